/** A task from its words to its writeback, by an agent that speaks the Agent Client Protocol. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { CLI, makePlaces } from './task-world.ts';

const ACP_AGENT = path.join(import.meta.dirname, 'acp-task-agent.mjs');
const TIMEOUT_MS = 60_000;

test('an agent of the Agent Client Protocol is driven through a whole task, checks and writeback included', {
  timeout: TIMEOUT_MS,
}, async () => {
  expect(existsSync(CLI), 'dist is missing: run `npm run build` first').toBe(true);
  const places = makePlaces();
  places.skill('line-adder', ['triggers: [add a line]', 'verification: [the line is there]']);
  places.profile([], { skills: ['line-adder'] });
  const file = path.join(places.home, '.colibri/agents/coder.yaml');
  const profile = JSON.parse(readFileSync(file, 'utf8'));
  const runtime = { ...profile.runtime, driver: 'acp', command: [process.execPath, ACP_AGENT] };
  writeFileSync(file, JSON.stringify({ ...profile, runtime }));

  const options = { cwd: places.workspace, env: { PATH: process.env['PATH'], HOME: places.home } };
  const colibri = async (...words: readonly string[]) =>
    JSON.parse((await promisify(execFile)(process.execPath, [CLI, ...words, '--json'], options)).stdout);
  expect(await colibri('run', 'Add a line', '--agent', 'coder')).toMatchObject({ state: 'DONE' });
  const head = places.git('rev-parse', 'feature/add-a-line');
  expect(places.git('show', `${head}:work.txt`)).toBe('a line');
  expect(await colibri('task', 'show', 'last')).toMatchObject({
    answers: [{ line: 'the line is there', verdict: 'pass' }],
    thoughts: [{ type: 'reflection', commit_sha: head, tests_run: ['read work.txt'], blockers: [] }],
    writebacks: [{ branch: 'feature/add-a-line', head_sha: head, commits: 1 }],
  });
  expect(places.processes()).toEqual([]);
});
