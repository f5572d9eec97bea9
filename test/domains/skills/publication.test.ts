/** What the skills extension hands out: whole skills that pass, and never a byte from elsewhere. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { createPublication, type Publication } from '../../../src/domains/skills/publication.ts';
import { sha256Hex } from '../../../src/lib/digest.ts';
import { skillText, writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

let root: string;
let directory: string;
let publication: Publication;
const place = () => ({ name: 'one', directory });
const listed = () => publication.publish(place())?.files.map((file) => file.path) ?? null;

function addFile(name: string, content = name): string {
  const file = path.join(directory, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

beforeEach(() => {
  root = path.join(temporaryDirectory(), 'skills');
  directory = path.join(root, 'one');
  writeSkill(root, 'one');
  publication = createPublication([root]);
});

describe('the listing', () => {
  test('has every file with size and digest, sorted, and the frontmatter of the file', () => {
    for (const name of ['scripts/run.sh', 'a.txt', 'scripts/deep/b.py', 'references/z.md']) addFile(name);
    const skill = publication.publish(place());
    const text = skillText('one');
    expect(skill).toEqual({
      name: 'one',
      description: 'About one.',
      frontmatter: { name: 'one', description: 'About one.' },
      skillFile: Buffer.from(text),
      files: [
        { path: 'SKILL.md', size: text.length, digest: sha256Hex(Buffer.from(text)) },
        ...['a.txt', 'references/z.md', 'scripts/deep/b.py', 'scripts/run.sh'].map((name) => ({
          path: name,
          size: name.length,
          digest: sha256Hex(Buffer.from(name)),
        })),
      ],
    });
  });

  test('never has hidden files, and a hidden file is no obstacle', () => {
    addFile('.env', 'SECRET=1');
    addFile('.git/config');
    addFile('scripts/.cache');
    symlinkSync('/etc/passwd', path.join(directory, '.link'));
    expect(listed()).toEqual(['SKILL.md']);
  });

  test('is made again only when something changed', () => {
    const first = publication.publish(place());
    expect(publication.publish(place())).toBe(first);
    addFile('new.txt');
    expect(listed()).toEqual(['SKILL.md', 'new.txt']);
  });
});

describe('a skill is not published', () => {
  test.each([
    ['with a field that the standard does not know', () => writeSkill(root, 'one', { lines: ['tier: 1'] })],
    ['with metadata that is no text', () => writeSkill(root, 'one', { lines: ['metadata: {a: 1}'] })],
    [
      'with another name in the file',
      () => writeFileSync(path.join(directory, 'SKILL.md'), skillText('two')),
    ],
    ['without SKILL.md', () => rmSync(path.join(directory, 'SKILL.md'))],
    ['with a link inside', () => symlinkSync('/etc/passwd', path.join(directory, 'passwd'))],
    ['with a linked folder inside', () => symlinkSync('/etc', path.join(directory, 'etc'))],
    ['with a link that stays inside', () => symlinkSync('SKILL.md', path.join(directory, 'copy.md'))],
    ['with a pipe inside', () => execFileSync('mkfifo', [path.join(directory, 'pipe')])],
    ['with more than 512 files', () => manyFiles(512)],
    ['with more than 16 MiB', () => truncateSync(addFile('big.bin'), 16 * 1024 * 1024)],
    [
      'with thousands of empty folders',
      () => {
        for (let number = 0; number <= 10_000; number++) mkdirSync(path.join(directory, `d${number}`));
      },
    ],
  ])('%s', (_, spoil) => {
    spoil();
    expect(listed()).toBeNull();
    expect(publication.read(place(), 'SKILL.md')).toBeNull();
  });

  test('when it has no more than 512 files, it is', () => {
    manyFiles(511);
    expect(listed()).toHaveLength(512);
  });

  test('under a name that is not its directory, as a lenient root may index it', () => {
    renameSync(directory, path.join(root, 'uno'));
    expect(publication.publish({ name: 'one', directory: path.join(root, 'uno') })).toBeNull();
  });
});

function manyFiles(count: number): void {
  for (let number = 0; number < count; number++) addFile(`f${number}`, '');
}

describe('reading', () => {
  test('gives the bytes of a listed file', () => {
    addFile('scripts/run.sh', 'echo hi');
    expect(String(publication.read(place(), 'scripts/run.sh'))).toBe('echo hi');
  });

  test.each([
    '',
    '.',
    '..',
    '../one/SKILL.md',
    '/etc/passwd',
    './SKILL.md',
    'scripts/../SKILL.md',
    'SKILL.md\0',
    '.env',
    'scripts',
  ])('gives nothing for %j', (name) => {
    addFile('.env', 'SECRET=1');
    addFile('scripts/run.sh');
    expect(publication.read(place(), name)).toBeNull();
  });

  test('of a file that changed since it was listed fails, and the next listing has the new digest', () => {
    const file = addFile('a.txt', 'first');
    publication.publish(place());
    writeFileSync(file, 'other');
    expect(() => publication.read(place(), 'a.txt')).toThrow(
      expect.objectContaining({ code: 'FILE_CHANGED', message: expect.stringContaining('one/a.txt') }),
    );
    const [, entry] = publication.publish(place())?.files ?? [];
    expect(entry).toEqual({ path: 'a.txt', size: 5, digest: sha256Hex(Buffer.from('other')) });
    expect(String(publication.read(place(), 'a.txt'))).toBe('other');
  });

  test.each([
    ['a link', (file: string) => symlinkSync('/etc/passwd', file)],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['nothing', () => undefined],
  ])('of a file that became %s fails without reading it', (_, replace) => {
    const file = addFile('a.txt');
    publication.publish(place());
    rmSync(file);
    replace(file);
    expect(() => publication.read(place(), 'a.txt')).toThrow(
      expect.objectContaining({ code: 'FILE_CHANGED' }),
    );
  });

  test('of a skill whose directory became a link out of the root gives nothing', () => {
    addFile('a.txt', 'same');
    publication.publish(place());
    const outside = path.join(root, '..', 'outside');
    renameSync(directory, outside);
    symlinkSync(outside, directory);
    expect(listed()).toBeNull();
    expect(publication.read(place(), 'a.txt')).toBeNull();
  });

  test('of a folder that became a link out of the skill gives nothing that was not listed', () => {
    addFile('scripts/a.txt', 'inside');
    publication.publish(place());
    rmSync(path.join(directory, 'scripts'), { recursive: true });
    const outside = path.join(root, '..', 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'a.txt'), 'secret');
    symlinkSync(outside, path.join(directory, 'scripts'));
    expect(() => publication.read(place(), 'scripts/a.txt')).toThrow(
      expect.objectContaining({ code: 'FILE_CHANGED' }),
    );
    expect(listed()).toBeNull();
  });

  test('of a folder whose path only starts like the root gives nothing', () => {
    writeSkill(`${root}-evil`, 'one');
    expect(publication.publish({ name: 'one', directory: path.join(`${root}-evil`, 'one') })).toBeNull();
  });
});
