// From one sentence to a branch that can be reviewed: a real repository, a skill, a profile, and an agent that does the work.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { makeGuide } from './guide.ts';

const project = path.resolve(import.meta.dirname, '../..');
const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'colibri-example-')));
process.on('exit', () => rmSync(base, { recursive: true, force: true }));
const [repo, home] = [path.join(base, 'guide'), path.join(base, 'home')];
mkdirSync(home);

const env = { PATH: process.env['PATH'], HOME: home };
const git = makeGuide(repo, env);

/** The command line, as it was built. */
function colibri(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const words = [path.join(project, 'dist/cli.js'), ...args];
  return spawnSync(process.execPath, words, { cwd: repo, env, encoding: 'utf8' });
}

// A profile says what is run, and a skill what is done: both came with the repository, so a person vouches for them first.
assert.equal(colibri('trust', 'typo-fixer.yaml', 'fix-typos').status, 0);
const { status, stdout, stderr } = colibri(
  'run',
  'Fix the spelling in the guide',
  '--agent',
  'typo-fixer',
  '--json',
);
assert.equal(status, 0, `${stdout}\n${stderr}`);
const { state, branch } = JSON.parse(stdout);
assert.deepEqual({ state, branch }, { state: 'DONE', branch: 'feature/fix-the-spelling-in-the-guide' });
assert.equal(
  git('show', `${branch}:README.md`),
  '# Guide\n\nHere the reader learns to receive parcels, and to separate them.',
);
assert.match(git('show', 'main:README.md'), /recieve/);
console.log(`ok: ${branch} has ${git('log', '--format=%s', `main..${branch}`)}`);
