/** `run`, `task …` and `agent pool`, as a person types them. */
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { makePlaces, type Places } from '../../domains/tasks/task-world.ts';
import { colibri } from './harness.ts';

const TIMEOUT_MS = 60_000;

function commandsIn(places: Places) {
  const options = {
    cwd: places.workspace,
    home: places.home,
    env: { PATH: process.env['PATH'] ?? '', HOME: places.home },
  };
  return (...words: readonly string[]) => colibri(words, options);
}

describe('colibri run', { timeout: TIMEOUT_MS }, () => {
  test('goes from the words of a task to its branch, with progress on stderr', async () => {
    const places = makePlaces();
    places.profile(['library']);
    const { code, stdout, stderr } = await commandsIn(places)('run', 'Add a line', '--agent', 'coder');
    expect(code).toBe(0);
    const head = places.git('rev-parse', 'feature/add-a-line');
    expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual([
      ['task', 'add-a-line'],
      ['state', 'DONE'],
      ['summary', 'work.txt has a new line'],
      ['branch', 'feature/add-a-line'],
      ['commit', head],
      ['worktree', path.join(places.workspace, '.colibri/worktrees/add-a-line')],
      [''],
    ]);
    const labels = stderr.split('\n').map((line) => line.split(' ')[0]);
    const shown = labels.filter((label) => label !== 'says' && label !== '');
    expect(shown.filter((label) => label !== 'worktree')).toEqual([
      ...['task', 'agent', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'update', 'written', 'DONE'],
    ]);
  });

  test('merges when asked for, as JSON', async () => {
    const places = makePlaces();
    places.profile(['library']);
    const { code, stdout } = await commandsIn(places)(
      'run',
      'Add a line',
      '--agent',
      'coder',
      '--merge',
      '--json',
      '--quiet',
    );
    const told = JSON.parse(stdout);
    expect({ code, told }).toMatchObject({
      code: 0,
      told: { state: 'DONE', worktree: null, merged: { into: 'main', branch: 'feature/add-a-line' } },
    });
    expect(places.git('rev-parse', 'main')).toBe(told.head_sha);
  });

  test('exits with 3 and the reason when nobody can do it', async () => {
    const places = makePlaces();
    const { code, stdout } = await commandsIn(places)('run', 'Add a line', '--agent', 'nobody');
    expect(code).toBe(3);
    expect(stdout).toContain('state\tBLOCKED\nbecause\tNO_PROFILE: there is no agent profile');
  });
});

describe('colibri task', { timeout: TIMEOUT_MS }, () => {
  test('makes, lists, shows, blocks, tries again and cancels', async () => {
    const places = makePlaces();
    const run = commandsIn(places);
    const made = await run(
      'task',
      'create',
      'Tidy \u001b[2Jup',
      '--priority=-5',
      '--skill',
      'a, b',
      '--strategy',
      'FIFO',
    );
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tidy-2jup\t[0-9A-Z]{26}\n$/) });
    const listed = await run('task', 'list');
    expect(listed.stdout).toBe('tidy-2jup\tINIT\t1/3\t0%\tany\tTidy \\u{1b}[2Jup\n');
    expect(await run('task', 'block', 'last', '--reason', 'not now')).toMatchObject({
      code: 0,
      stderr: 'tidy-2jup is BLOCKED\n',
    });
    const retried = await run('task', 'retry', 'tidy-2jup', '--json');
    expect(JSON.parse(retried.stdout)).toMatchObject({ state: 'GATHER', attempt: 2, priority: -5 });
    await run('task', 'cancel', 'last');
    const { stdout } = await run('task', 'show', 'last', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'CANCELLED',
      required_skills: ['a', 'b'],
      thoughts: [{ content: 'blocked by cli: not now' }, { content: 'cancelled by cli: by hand' }],
    });
    expect((await run('task', 'list', '--open', '--json')).stdout).toBe('{"tasks":[],"more":false}\n');
    expect(await run('task', 'cancel', 'last')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('TASK_TRANSITION'),
    });
  });

  test('says what is wrong with what was typed', async () => {
    const places = makePlaces();
    const run = commandsIn(places);
    await run('task', 'create', 'Tidy up');
    const typo = await run('task', 'show', 'tidi-up');
    expect(typo).toMatchObject({
      code: 3,
      stderr: 'error: no task "tidi-up"; did you mean tidy-up? (TASK_NOT_FOUND)\n',
    });
    expect(await run('task', 'list', '--open', '--state', 'INIT')).toMatchObject({ code: 2 });
    expect(await run('task', 'create', 'x', '--priority', 'high')).toMatchObject({ code: 2 });
    expect(await run('agent', 'pool')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--task is missing'),
    });
  });

  test('work --drain works off what was dispatched', async () => {
    const places = makePlaces();
    places.profile(['library']);
    const run = commandsIn(places);
    await run('task', 'create', 'Add a line', '--dispatch');
    expect(await run('task', 'work', '--drain', '--lanes', '1')).toMatchObject({ code: 0 });
    expect((await run('task', 'list', '--state', 'DONE')).stdout).toMatch(/^add-a-line\tDONE\t1\/3\t100%/);
    expect(await run('task', 'orphans')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'every agent that ended has written back\n',
    });
  });
});

test('agent pool explains who is eligible, who not and why', async () => {
  const places = makePlaces();
  places.profile([], { name: 'able', skills: ['line-adder'] });
  places.profile([], { name: 'unskilled' });
  places.skill('line-adder', ['triggers: [add a line]']);
  const run = commandsIn(places);
  await run('task', 'create', 'Add a line', '--skill', 'line-adder');
  const { code, stdout } = await run('agent', 'pool', '--task', 'last');
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    'task\tadd-a-line',
    'strategy\tCAPACITY_AWARE',
    'required\tline-adder',
    'chosen\table',
    'able\tyes\t0/1\t0.820\t1.00 0.70 0.50 1.00\t',
    'unskilled\tno\t0/1\t0.720\t1.00 0.70 0.50 0.00\tlacks the skill line-adder',
    '',
  ]);
  await run('task', 'create', 'Add a line', '--skill', 'nobody');
  const empty = await run('agent', 'pool', '--task', 'last', '--json');
  expect(empty.code).toBe(1);
  expect(JSON.parse(empty.stdout)).toMatchObject({ chosen: null, empty: { code: 'NO_SKILL' } });
});
