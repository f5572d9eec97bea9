import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { inspectSkill } from '../../../src/domains/skills/inspect.ts';
import type { Profile } from '../../../src/domains/skills/schema.ts';

const CONTENT = '---\nname: my-skill\ndescription: Does a thing.\n---\nbody\n';

let root = '';
let directory = '';

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'colibri-inspect-'));
  directory = path.join(root, 'my-skill');
  fs.mkdirSync(directory);
});

afterEach(() => {
  fs.rmSync(root, { recursive: true });
});

function write(file: string, content: string | Uint8Array = CONTENT): void {
  fs.mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
  fs.writeFileSync(path.join(directory, file), content);
}

function codes(target = directory, profile: Profile = 'strict'): string[] {
  return inspectSkill(target, { profile }).diagnostics.map(({ code }) => code);
}

describe('what may be inspected', () => {
  it.each(['', '/', '/SKILL.md'])('is a skill given as its directory plus "%s"', (suffix) => {
    write('SKILL.md');
    const { skill, diagnostics, directory: found } = inspectSkill(directory + suffix);
    expect({ name: skill?.name, diagnostics, found: path.resolve(found) }).toEqual({
      name: 'my-skill',
      diagnostics: [],
      found: directory,
    });
  });

  it('is nothing where there is nothing', () => {
    expect(codes(path.join(root, 'none'))).toEqual(['path-missing']);
    expect(codes(path.join(root, 'none/SKILL.md'))).toEqual(['path-missing']);
  });

  it('is no other file', () => {
    write('notes.md');
    expect(codes(path.join(directory, 'notes.md'))).toEqual(['path-not-directory']);
    expect(codes(path.join(directory, 'notes.md/SKILL.md'))).toEqual(['path-missing']);
  });

  it.each(['skill.md', 'Skill.md', 'SKILL.MD'])('is not %s, and the answer says what was meant', (name) => {
    write(name);
    for (const target of [directory, path.join(directory, name)]) {
      expect(inspectSkill(target)).toMatchObject({
        skill: null,
        diagnostics: [
          { code: 'skill-md-missing', message: expect.stringContaining('did you mean SKILL.md?') },
        ],
      });
    }
  });

  it('never waits for a pipe', () => {
    execFileSync('mkfifo', [path.join(directory, 'SKILL.md')]);
    expect(codes()).toEqual(['file-not-regular']);
    expect(codes(path.join(directory, 'SKILL.md'))).toEqual(['file-not-regular']);
  });

  it('judges a SKILL.md that is a directory or a link', () => {
    fs.mkdirSync(path.join(directory, 'SKILL.md'));
    expect(codes(path.join(directory, 'SKILL.md'))).toEqual(['file-not-regular']);
    fs.rmdirSync(path.join(directory, 'SKILL.md'));
    fs.symlinkSync('/etc/passwd', path.join(directory, 'SKILL.md'));
    expect(codes()).toEqual(['link-outside']);
    expect(codes(path.join(directory, 'SKILL.md'))).toEqual(['link-outside']);
  });
});

describe('the tree of a skill to publish', () => {
  it('may hold 512 files, and not one more', () => {
    write('SKILL.md');
    for (let index = 1; index < 512; index++) write(`a/${index % 7}/${index}`, '');
    expect(codes(directory, 'publish')).toEqual([]);
    write('last', '');
    expect(codes(directory, 'publish')).toEqual(['too-many-files']);
    expect(codes(directory, 'strict')).toEqual([]);
    expect(inspectSkill(directory, { profile: 'publish' }).skill).toBeNull();
  });

  it('may hold 16 MiB, and not one byte more', () => {
    write('SKILL.md');
    write('data', '');
    fs.truncateSync(path.join(directory, 'data'), 16 * 1024 ** 2 - CONTENT.length);
    expect(codes(directory, 'publish')).toEqual([]);
    fs.appendFileSync(path.join(directory, 'data'), 'x');
    expect(codes(directory, 'publish')).toEqual(['tree-too-large']);
  });

  it('ends the count of a tree without end', () => {
    write('SKILL.md');
    for (let index = 0; index < 10_001; index++) fs.mkdirSync(path.join(directory, String(index)));
    expect(codes(directory, 'publish')).toEqual(['too-many-files']);
  });

  it('is measured without following links', () => {
    write('SKILL.md');
    fs.symlinkSync('/', path.join(directory, 'everything'));
    fs.symlinkSync('..', path.join(directory, 'up'));
    expect(codes(directory, 'publish')).toEqual([]);
  });
});
