import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { parseSkillFile, SkillSchemaError } from '../../../src/domains/skills/schema.ts';
import { readSkillBytes, SKILL_BYTES_MAX } from '../../../src/domains/skills/skill-file.ts';

let root = '';
let file = '';

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'colibri-file-'));
  fs.mkdirSync(path.join(root, 'skills/my-skill'), { recursive: true });
  file = path.join(root, 'skills/my-skill/SKILL.md');
});

afterEach(() => {
  fs.rmSync(root, { recursive: true });
});

function codeOf(target = file, allowedRoots?: readonly string[]): string {
  const read = readSkillBytes(target, allowedRoots === undefined ? {} : { allowedRoots });
  return read.ok ? `${read.bytes.length} bytes` : read.diagnostic.code;
}

describe('regular files', () => {
  it('gives the bytes of the file', () => {
    fs.writeFileSync(file, 'content');
    const read = readSkillBytes(file);
    if (!read.ok) throw new Error(read.diagnostic.message);
    expect(Buffer.from(read.bytes).toString()).toBe('content');
  });

  it('gives bytes that a later read does not change', () => {
    fs.writeFileSync(file, 'first');
    const first = readSkillBytes(file);
    fs.writeFileSync(file, 'other');
    readSkillBytes(file);
    expect(first.ok && Buffer.from(first.bytes).toString()).toBe('first');
  });

  it('takes 1 MiB and refuses one byte more', () => {
    fs.writeFileSync(file, Buffer.alloc(SKILL_BYTES_MAX));
    expect(codeOf()).toBe(`${SKILL_BYTES_MAX} bytes`);
    fs.appendFileSync(file, 'x');
    expect(codeOf()).toBe('file-too-large');
  });

  it('refuses a sparse file of 4 TB by its size, without reading it', () => {
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 4 * 1024 ** 4);
    expect(codeOf()).toBe('file-too-large');
  });

  it('reads an empty file as no bytes', () => {
    fs.writeFileSync(file, '');
    expect(codeOf()).toBe('0 bytes');
  });

  it('says when there is none', () => {
    expect(codeOf()).toBe('skill-md-missing');
    expect(codeOf(path.join(root, 'no/where/SKILL.md'))).toBe('skill-md-missing');
  });

  it('answers a path with NUL in it', () => {
    expect(codeOf(`${root}/a\0b/SKILL.md`)).toBe('file-unreadable');
  });
});

describe('what is no regular file', () => {
  it('refuses a pipe at once', () => {
    execFileSync('mkfifo', [file]);
    const started = performance.now();
    expect(codeOf()).toBe('file-not-regular');
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('refuses a directory', () => {
    fs.mkdirSync(file);
    expect(codeOf()).toBe('file-not-regular');
  });

  it('refuses a socket', async () => {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(file, resolve));
    expect(codeOf()).toBe('file-not-regular');
    await new Promise((resolve) => server.close(resolve));
  });

  it.each(['/dev/zero', '/dev/null', '/proc/self/environ'])('refuses %s, also behind a link', (target) => {
    expect(codeOf(target)).toMatch(/file-not-regular|file-unreadable/);
    fs.symlinkSync(target, file);
    expect(codeOf()).toBe('link-outside');
    expect(codeOf(file, ['/'])).toMatch(/file-not-regular|file-unreadable/);
  });
});

describe('links', () => {
  it('are followed to another skill of the same root', () => {
    fs.mkdirSync(path.join(root, 'skills/other'));
    fs.writeFileSync(path.join(root, 'skills/other/SKILL.md'), 'shared');
    fs.symlinkSync('../other/SKILL.md', file);
    expect(codeOf()).toBe('6 bytes');
  });

  it('are refused when they leave the roots, and followed once a root allows it', () => {
    fs.writeFileSync(path.join(root, 'secret'), 'secret');
    fs.symlinkSync('../../secret', file);
    expect(codeOf()).toBe('link-outside');
    expect(codeOf(file, [path.join(root, 'skills'), path.join(root, 'missing')])).toBe('link-outside');
    expect(codeOf(file, [path.join(root, 'missing'), root])).toBe('6 bytes');
  });

  it('do not take a root for its neighbour with a longer name', () => {
    fs.mkdirSync(path.join(root, 'skills-evil'));
    fs.writeFileSync(path.join(root, 'skills-evil/x'), 'evil');
    fs.symlinkSync('../../skills-evil/x', file);
    expect(codeOf()).toBe('link-outside');
  });

  it('are judged by their real target, not by the links on the way', () => {
    fs.mkdirSync(path.join(root, 'outside'));
    fs.writeFileSync(path.join(root, 'outside/x'), 'secret');
    fs.symlinkSync('../outside', path.join(root, 'skills/inside'));
    fs.symlinkSync('../inside/x', file);
    expect(codeOf()).toBe('link-outside');
  });

  it('that lead nowhere or in a circle are named as such', () => {
    fs.symlinkSync('nothing', file);
    expect(codeOf()).toBe('link-broken');
    fs.rmSync(file);
    fs.symlinkSync('SKILL.md', file);
    expect(codeOf()).toBe('link-loop');
  });
});

describe('parseSkillFile', () => {
  it('compares the name with the directory, also for a relative path', () => {
    fs.writeFileSync(file, '---\nname: my-skill\ndescription: x\n---\nbody');
    expect(parseSkillFile(path.relative(process.cwd(), file)).name).toBe('my-skill');
    fs.writeFileSync(file, '---\nname: another\ndescription: x\n---\nbody');
    expect(() => parseSkillFile(file)).toThrow(/must match/);
  });

  it('throws the first error, with field and fix, and carries all of them', () => {
    fs.writeFileSync(file, '---\nname: My_Skill\ntier: 9\n---\n');
    const error = catchError(() => parseSkillFile(file));
    expect(error).toBeInstanceOf(SkillSchemaError);
    expect(error).toMatchObject({
      name: 'SkillSchemaError',
      message: expect.stringContaining('description'),
    });
    expect((error as SkillSchemaError).diagnostics.map(({ code }) => code)).toEqual([
      'field-missing',
      'name-case',
      'name-characters',
      'name-directory',
      'field-value',
    ]);
  });

  it('throws for a file that cannot be read', () => {
    expect(() => parseSkillFile(file)).toThrow(SkillSchemaError);
  });
});

function catchError(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
