import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, skillText, writeSkill } from './harness.ts';

const GOOD = skillText({ name: 'good', description: 'Does good things when asked.' });
const ODD = skillText({ name: 'odd', description: 'Does odd things when asked.', colour: 'blue' });
const BAD = skillText({ name: 'Bad', description: 'Has a name in capitals.' });

function folderOfSkills(): string {
  const root = temporaryDirectory();
  writeSkill(path.join(root, 'good'), GOOD);
  writeSkill(path.join(root, 'odd'), ODD);
  writeSkill(path.join(root, 'bad'), BAD);
  mkdirSync(path.join(root, 'shared'));
  writeFileSync(path.join(root, 'shared', 'notes.txt'), 'no skill');
  return root;
}

test('a folder of skills is checked child by child; folders without SKILL.md are passed over', async () => {
  const root = folderOfSkills();
  const { code, stdout, stderr } = await colibri(['validate', root]);
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(code).toBe(1);
  expect(rows.map(([status, place, field, id]) => [status, place, field, id])).toEqual([
    ['error', `${root}/bad/SKILL.md:2`, 'name', 'name-case'],
    ['error', `${root}/bad/SKILL.md:2`, 'name', 'name-directory'],
    ['ok', `${root}/good`, '', ''],
    ['warning', `${root}/odd/SKILL.md:4`, 'colour', 'nonstandard-field'],
  ]);
  expect(stderr).toBe('3 skills checked (strict): 1 ok, 1 with warnings, 1 with errors\n');
});

test('a terminal gets a paragraph for each skill, coloured by how bad it is', async () => {
  const root = folderOfSkills();
  const { stdout } = await colibri(['validate', `${root}/good`, `${root}/odd`], { terminal: 80 });
  const [good, odd, finding] = stdout.split('\n');
  expect(good).toBe(`\u001b[32mok     \u001b[0m  ${root}/good`);
  expect(odd).toBe(`\u001b[33mwarning\u001b[0m  ${root}/odd`);
  expect(finding).toContain(`${root}/odd/SKILL.md:4  colour nonstandard-field  `);
});

test('warnings alone exit with 0', async () => {
  expect((await colibri(['validate', `${folderOfSkills()}/odd`])).code).toBe(0);
});

describe('profiles', () => {
  test.each([
    [['--profile', 'strict'], 0],
    [['--profile', 'publish'], 1],
    [['--publish'], 1],
    [['--publish', '--profile', 'publish'], 1],
    [['--publish', '--profile', 'lenient'], 2],
  ])('%j exits with %i', async (words, code) => {
    expect((await colibri(['validate', `${folderOfSkills()}/odd`, ...words])).code).toBe(code);
  });

  test('lenient lets a name differ from its folder', async () => {
    const root = folderOfSkills();
    renameSync(path.join(root, 'good'), path.join(root, 'better'));
    expect((await colibri(['validate', `${root}/better`])).code).toBe(1);
    expect((await colibri(['validate', `${root}/better`, '--profile', 'lenient'])).code).toBe(0);
  });
});

test('JSON holds every finding with all its parts', async () => {
  const root = folderOfSkills();
  const { code, stdout } = await colibri(['validate', '--json', `${root}/good`, `${root}/odd/SKILL.md`]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    profile: 'strict',
    skills: [
      { path: `${root}/good`, name: 'good', status: 'ok', diagnostics: [] },
      {
        path: `${root}/odd/SKILL.md`,
        name: 'odd',
        status: 'warning',
        diagnostics: [
          {
            severity: 'warning',
            code: 'nonstandard-field',
            file: `${root}/odd/SKILL.md`,
            line: 4,
            field: 'colour',
            message: expect.stringContaining('colour'),
          },
        ],
      },
    ],
    totals: { skills: 2, ok: 1, warning: 1, error: 0 },
  });
});

test('a path that does not exist is a finding', async () => {
  const { code, stdout } = await colibri(['validate', `${temporaryDirectory()}/nothing`]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^error\t.*\/nothing\t\tpath-missing\t/);
});

test('a path that cannot be followed is a finding and stops no other', async () => {
  const root = folderOfSkills();
  symlinkSync('loop', path.join(root, 'loop'));
  const { code, stdout } = await colibri(['validate', `${root}/loop`, `${root}/good`]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^error\t[^\n]*\/loop\t[^\n]*\nok\t[^\n]*\/good\t\t\t\n$/);
});

test('a misspelt skill.md is found in a folder of skills', async () => {
  const root = temporaryDirectory();
  writeSkill(path.join(root, 'good'), GOOD);
  renameSync(path.join(root, 'good', 'SKILL.md'), path.join(root, 'good', 'skill.md'));
  const { code, stdout } = await colibri(['validate', root]);
  expect(code).toBe(1);
  expect(stdout).toContain('did you mean SKILL.md?');
});

test('a link that leads out of the folder is a finding, as it is for the index', async () => {
  const root = folderOfSkills();
  symlinkSync(temporaryDirectory(), path.join(root, 'away'));
  const { stdout } = await colibri(['validate', root]);
  expect(stdout).toContain(`error\t${root}/away\t\tlink-outside\t`);
});

test('a folder in which nothing can be checked is not called good', async () => {
  const root = temporaryDirectory();
  mkdirSync(path.join(root, 'a', 'b'), { recursive: true });
  expect(await colibri(['validate', root])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: no SKILL.md in ${root} nor in a folder right below it; name the folder that holds the skills (USAGE)\n`,
  });
  expect((await colibri(['validate', temporaryDirectory()])).code).toBe(1);
});
