/** Whoever reads a list gets all of it, however slowly they read, and nobody is told about readers that leave. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { copyBuild, type Installed, workIn } from '../../support/installed.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { makeTemporaryDirectory, removeTree } from '../../support/temporary.ts';

// Several times what a pipe holds.
const SKILLS = 300;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const DESCRIPTION = 'All that a pipe cannot hold at once. '.repeat(25);

const folder = makeTemporaryDirectory();
let world: Installed;
let expected: string;
beforeAll(() => {
  world = workIn(folder, copyBuild(folder));
  for (let index = 0; index < SKILLS; index++) {
    const root = path.join(world.workspace, '.agents', 'skills');
    writeSkill(root, `skill-${index}`, { description: DESCRIPTION });
  }
  expected = world.run('cli.js', 'list').stdout;
  world.run('bin.cjs', 'list');
});
afterAll(() => removeTree(folder));

/** With `$LIST` for the program and its words. */
function shell(script: string, words: string): ReturnType<Installed['run']> {
  return spawnSync('bash', ['-c', script], {
    cwd: world.workspace,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: path.join(folder, 'home'),
      NODE: process.execPath,
      LIST: `${process.execPath} ${path.join(world.dist, 'bin.cjs')} ${words}`,
    },
    maxBuffer: OUTPUT_BYTES_MAX,
  });
}

// From the database, and from what was kept of the last list.
const WAYS = ['list --db=data/colibri.db', 'list'];

test.each(WAYS)('a slow reader of a pipe gets all of `%s`', (words) => {
  expect(shell('$LIST | (sleep 0.2; cat)', words)).toMatchObject({ status: 0, stdout: expected, stderr: '' });
});

test.each(WAYS)('a pipe that does not wait gets all of `%s` as well', (words) => {
  // A stream of Node's makes the pipe answer `EAGAIN` to everybody who writes to it.
  const other = `$NODE -e 'process.stdout.write(""); setTimeout(() => {}, 600)' & sleep 0.2`;
  const { stdout, stderr } = shell(`{ ${other}; $LIST; echo "code $?"; wait; } | (sleep 0.5; cat)`, words);
  expect({ stdout, stderr }).toEqual({ stdout: `${expected}code 0\n`, stderr: '' });
});

test.each(WAYS)('a reader that leaves ends `%s` without a word', (words) => {
  const { stdout, stderr } = shell(`$LIST | head -c 9; echo " \${PIPESTATUS[0]}"`, words);
  expect({ stdout, stderr }).toEqual({ stdout: `${expected.slice(0, 9)} 0\n`, stderr: '' });
});

test.each(WAYS)('a file gets all of `%s`, behind what is in it', (words) => {
  expect(shell('echo before > out.txt; $LIST >> out.txt', words)).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(path.join(world.workspace, 'out.txt'), 'utf8')).toBe(`before\n${expected}`);
});

test.each(WAYS)('nobody gets `%s`', (words) => {
  expect(shell('$LIST > /dev/null', words)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(shell('$LIST >&-', words)).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

test.each([...WAYS, '--version'])('a full disk is a failure of `%s`', (words) => {
  const { status, stderr } = shell('$LIST > /dev/full', words);
  expect({ status, stderr }).toEqual({
    status: 3,
    stderr: expect.stringMatching(/^error: stdout could not be written: ENOSPC/),
  });
});
