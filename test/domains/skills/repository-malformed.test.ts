/** Every bad SKILL.md costs one log line and nothing else. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { getSkill, listSkills } from '../../../src/domains/skills/repository.ts';
import { skillText, writeSkill, writeSkillFile } from '../../support/skill-files.ts';
import { namesOf, testIndex } from '../../support/skill-index.ts';

const FIFTY_MB = 50 * 1024 * 1024;

/** The directory is always `bad`. Each message must name what is wrong and, after a semicolon, what to do. */
const CONTENTS: [string, string | Uint8Array, RegExp][] = [
  ['no frontmatter', '# Title\n\nText.\n', /frontmatter; make --- the first line$/],
  ['a blank first line', `\n${skillText('bad')}`, /frontmatter; make --- the first line$/],
  ['frontmatter without end', '---\nname: bad\ndescription: x\n', /not properly closed; end it/],
  ['bad YAML', '---\nname: bad\ndescription: "open\n---\n', /YAML.*;/],
  ['a tab for indentation', '---\nname: bad\nmetadata:\n\ta: b\n---\n', /YAML.*;/],
  ['a key written twice', '---\nname: bad\nname: bad\ndescription: x\n---\n', /duplicated.*;/],
  ['an alias', '---\nname: &a bad\ndescription: *a\n---\n', /(?:alias|anchor).*;/],
  ['a list instead of a mapping', '---\n- name\n- description\n---\n', /mapping.*;/],
  ['a text instead of a mapping', '---\njust text\n---\n', /mapping.*;/],
  ['empty frontmatter', '---\n---\nbody\n', /.*;/],
  ['no name', '---\ndescription: x\n---\n', /name.*;/],
  ['no description', '---\nname: bad\n---\n', /description.*;/],
  ['a blank name', '---\nname: ""\ndescription: x\n---\n', /name.*;/],
  ['a blank description', '---\nname: bad\ndescription: "  "\n---\n', /description.*;/],
  [
    'a description of 1025 code points',
    skillText('bad', { description: '😀'.repeat(1025) }),
    /description.*1024.*;/,
  ],
  ['a name that is too long', `---\nname: ${'a'.repeat(65)}\ndescription: x\n---\n`, /name.*64.*;/],
  [
    'a compatibility of 501 code points',
    withLine(`compatibility: ${'x'.repeat(501)}`),
    /compatibility.*500.*;/,
  ],
  ['a name in upper case', '---\nname: Bad\ndescription: x\n---\n', /name.*;/],
  ['a name that differs from its directory', skillText('other'), /"bad".*"other"; rename/],
  ['a number for a description', '---\nname: bad\ndescription: 7\n---\n', /description.*;/],
  ['a list for a name', '---\nname: [bad]\ndescription: x\n---\n', /name.*;/],
  ['a text for capabilities', withLine('capabilities: read'), /capabilities.*;/],
  ['a number among the capabilities', withLine('capabilities: [read, 7]'), /capabilities.*;/],
  ['a number for a version', withLine('version: 1.0'), /version.*;/],
  ['a tier out of range', withLine('tier: 4'), /tier.*;/],
  ['a tier in words', withLine('tier: two'), /tier.*;/],
  ['an agent tier that does not exist', withLine('invokable_by: [T9]'), /invokable_by.*;/],
  ['bytes that are no UTF-8', Uint8Array.from([...Buffer.from(skillText('bad')), 0xff, 0xfe]), /UTF-8.*;/],
  ['UTF-16', Buffer.from(`\ufeff${skillText('bad')}`, 'utf16le'), /UTF-8.*;/],
  ['no bytes at all', '', /empty; /],
];

function withLine(line: string): string {
  return skillText('bad', { lines: [line] });
}

/** What can stand in the place of SKILL.md without being a file that holds text. */
const SPECIAL: [string, (file: string) => void | Promise<void>, RegExp][] = [
  [
    'a file of 50 MB',
    (file) => {
      execFileSync('touch', [file]);
      truncateSync(file, FIFTY_MB);
    },
    /has more than 1 MiB; /,
  ],
  ['a directory', (file) => void mkdirSync(file), /not a regular file; /],
  ['a named pipe', (file) => void execFileSync('mkfifo', [file]), /not a regular file; /],
  ['a socket', listen, /not a regular file; /],
  ['a link to nothing', (file) => symlinkSync('nowhere.md', file), /leads nowhere; /],
  ['a link to itself', (file) => symlinkSync('SKILL.md', file), /back to itself; /],
  ['a link to a device', (file) => symlinkSync('/dev/zero', file), /outside the skill roots; /],
];

async function listen(file: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(file, resolve));
  onTestFinished(() => void server.close());
}

describe('is skipped with one line that names file, field and fix, while the others load', () => {
  test.each(CONTENTS)('%s', (_, content, message) => {
    const index = testIndex();
    writeSkill(index.root, 'after');
    writeSkill(index.root, 'zbefore');
    const file = writeSkillFile(index.root, 'bad', content);
    expectOneRefusal(index, file, message);
  });

  test.each(SPECIAL)('%s', async (_, make, message) => {
    const index = testIndex();
    writeSkill(index.root, 'after');
    writeSkill(index.root, 'zbefore');
    mkdirSync(path.join(index.root, 'bad'));
    const file = path.join(index.root, 'bad', 'SKILL.md');
    await make(file);
    expectOneRefusal(index, file, message);
  });
});

function expectOneRefusal(index: ReturnType<typeof testIndex>, file: string, message: RegExp): void {
  expect(index.load()).toEqual({ loaded: 2, skipped: 1, pruned: 0, total_on_disk: 3 });
  expect(namesOf(listSkills(index.db))).toEqual(['after', 'zbefore']);
  expect(index.lines).toHaveLength(2);
  const prefix = `[colibri] skill skipped: ${file}: `;
  expect(index.lines[0]?.slice(0, prefix.length)).toBe(prefix);
  expect(index.lines[0]?.slice(prefix.length)).toMatch(message);
  expect(index.lines[0]).not.toContain('\n');
}

test('all of them in one root: one line each, and the good ones load', async () => {
  const index = testIndex();
  for (const [place, [, content]] of CONTENTS.entries())
    writeSkillFile(index.root, `content-${place}`, content);
  for (const [place, [, make]] of SPECIAL.entries()) {
    mkdirSync(path.join(index.root, `special-${place}`));
    await make(path.join(index.root, `special-${place}`, 'SKILL.md'));
  }
  writeSkill(index.root, 'good');
  const skipped = CONTENTS.length + SPECIAL.length;
  expect(index.load()).toEqual({ loaded: 1, skipped, pruned: 0, total_on_disk: skipped + 1 });
  expect(index.lines).toHaveLength(skipped + 1);
});

describe('is fine', () => {
  test.each([
    ['a byte order mark', `\ufeff${skillText('fine')}`],
    ['CRLF', skillText('fine').replaceAll('\n', '\r\n')],
    ['both', `\ufeff${skillText('fine').replaceAll('\n', '\r\n')}`],
    ['no body', '---\nname: fine\ndescription: About fine.\n---'],
    ['an unknown field', skillText('fine', { lines: ['color: blue'] })],
    ['a description of 1024 code points', skillText('fine', { description: '😀'.repeat(1024) })],
  ])('%s', (_, content) => {
    const index = testIndex();
    writeSkillFile(index.root, 'fine', content);
    expect(index.load()).toEqual({ loaded: 1, skipped: 0, pruned: 0, total_on_disk: 1 });
    expect(getSkill(index.db, 'fine')?.name).toBe('fine');
    expect(index.lines).toEqual(['[colibri] skills loaded: 1, skipped: 0, pruned: 0']);
  });
});
