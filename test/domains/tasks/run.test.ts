/** A task from its words to its branch, with a real agent in a real repository. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { ColibriError } from '../../../src/lib/errors.ts';
import { req } from '../../requirements.ts';
import { type TaskWorld, taskWorld } from './task-world.ts';

const TIMEOUT_MS = 60_000;

async function steps({ runtime }: TaskWorld, id: string): Promise<readonly string[]> {
  const rows = await runtime.events.read({ stream: `task:${id}`, types: ['task.transitioned'] });
  return rows.map(({ payload }) => {
    const { from, to, attempt } = JSON.parse(payload);
    return `${from} > ${to} ${attempt}`;
  });
}

const ALL_PHASES = [
  'INIT > GATHER 1',
  'GATHER > ANALYZE 1',
  'ANALYZE > PLAN 1',
  'PLAN > APPLY 1',
  'APPLY > VERIFY 1',
  'VERIFY > DONE 1',
];

describe('a task', { timeout: TIMEOUT_MS }, () => {
  test(req('C1-phases-1', 'goes through every phase and ends with a branch and one writeback'), async () => {
    const world = await taskWorld();
    world.profile(['library']);
    const task = await world.run();
    expect(task).toMatchObject({
      state: 'DONE',
      attempt: 1,
      progress: 100,
      code: null,
      branch: 'feature/add-a-line',
    });
    expect(await steps(world, task.id)).toEqual(ALL_PHASES);
    expect(task.checkpoints.map(({ phase, status }) => `${phase} ${status}`)).toEqual(
      ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY'].map((phase) => `${phase} ok`),
    );
    expect(task.head_sha).toBe(world.git('rev-parse', 'feature/add-a-line'));
    expect(task.writebacks).toMatchObject([
      { agent_id: task.agent_id, commits: 1, dirty: false, head_sha: task.head_sha },
    ]);
    expect(await (await world.runtime.agents()).status(task.agent_id ?? '')).toMatchObject({
      state: 'TERMINATED',
    });
    const audited = world.runtime.db
      .prepare("SELECT count(*) FROM audit_log WHERE action = 'task.transition' AND subject = ?")
      .pluck()
      .get(task.id);
    expect(audited).toBe(ALL_PHASES.length);
    expect((await world.runtime.events.verify()).broken).toBeNull();
    expect(world.processes()).toEqual([]);
  });

  test('whose agent crashes is tried again from GATHER, as the next attempt', async () => {
    const world = await taskWorld();
    world.profile(['library', 'crash-once']);
    const task = await world.run();
    expect(task).toMatchObject({ state: 'DONE', attempt: 2 });
    expect(await steps(world, task.id)).toEqual([
      ...ALL_PHASES.slice(0, 3),
      'PLAN > GATHER 2',
      ...ALL_PHASES.slice(1).map((step) => step.replace('1', '2')),
    ]);
  });

  test('whose agent gives up for good is blocked, and can be tried again by hand', async () => {
    const world = await taskWorld();
    world.profile(['library', 'fails']);
    const task = await world.run();
    expect(task).toMatchObject({ state: 'BLOCKED', code: 'PHASE_FAILED' });
    expect(task.reason).toContain('ANALYZE: no idea');
    world.profile(['library']);
    const again = await world.tasks.retry(task.id, 'test');
    expect(again).toMatchObject({ state: 'GATHER', attempt: 2 });
    const worker = await world.tasks.work({ task: task.id });
    await worker.drained();
    expect(await world.tasks.get(task.id)).toMatchObject({ state: 'DONE', attempt: 2 });
  });

  test('whose APPLY fails is verified all the same', async () => {
    const world = await taskWorld();
    world.profile(['library', 'apply-fails']);
    const task = await world.run();
    expect(task).toMatchObject({ state: 'BLOCKED', code: 'PHASE_FAILED' });
    expect(task.reason).toContain('APPLY: no way');
    expect(await steps(world, task.id)).toEqual([...ALL_PHASES.slice(0, 5), 'VERIFY > BLOCKED 1']);
    expect(task.checkpoints.map(({ phase, status }) => `${phase} ${status}`).slice(3)).toEqual([
      'APPLY failed',
      'VERIFY ok',
    ]);
  });

  test.each([
    ['silent', 'task_update was not called'],
    ['half', 'thought_record with type reflection was not called'],
    ['wrong-commit', 'names the commit 0000'],
  ])(
    req(['C1-lifecycle-1', 'C1-reflection-1'], 'whose agent ends %s is never done'),
    async (word, reason) => {
      const world = await taskWorld();
      world.profile(['library', word]);
      const task = await world.run();
      expect(task).toMatchObject({ state: 'BLOCKED', code: 'WRITEBACK_REJECTED', writebacks: [] });
      expect(task.reason).toContain(reason);
      const agents = await world.runtime.agents();
      expect(await agents.status(task.agent_id ?? '')).toMatchObject({
        state: 'FAILED',
        fail_code: 'WRITEBACK_REJECTED',
      });
      // Its work is still there.
      expect(world.git('log', '--format=%s', '-1', 'feature/add-a-line')).toBe(`Work of ${task.agent_id}`);
    },
  );

  test(
    req('C1-verification-1', 'is not done before each check of its skills is answered and passed'),
    async () => {
      const world = await taskWorld();
      world.skill('line-adder', [
        'triggers: [add a line]',
        'verification: [the line is there]',
        'workflow:',
        '  - step: add it',
      ]);
      world.profile(['library', 'careless'], { skills: ['line-adder'] });
      const careless = await world.run();
      expect(careless).toMatchObject({ state: 'BLOCKED', code: 'VERIFICATION_OPEN' });
      expect(careless.reason).toContain('unanswered: the line is there');
      expect(careless.brief).toMatchObject({
        skills: [{ name: 'line-adder' }],
        plan: [{ skill: 'line-adder', step: 'add it' }],
        checks: ['the line is there'],
      });
      world.profile(['library', 'honest'], { skills: ['line-adder'] });
      expect(await world.run()).toMatchObject({ state: 'BLOCKED', code: 'VERIFICATION_OPEN' });
      world.profile(['library'], { skills: ['line-adder'] });
      const good = await world.run();
      expect(good).toMatchObject({
        state: 'DONE',
        answers: [{ line: 'the line is there', verdict: 'pass', evidence: 'seen' }],
      });
    },
  );

  test('that nobody can do is blocked with the reason', async () => {
    const world = await taskWorld();
    world.profile(['library']);
    expect(await world.run({ required_skills: ['nobody'] })).toMatchObject({
      state: 'BLOCKED',
      code: 'NO_SKILL',
    });
    expect(await world.run({ profile: 'nobody' })).toMatchObject({ state: 'BLOCKED', code: 'NO_PROFILE' });
    expect(await world.run({ token_budget: 1_000_000 })).toMatchObject({
      state: 'BLOCKED',
      code: 'OVER_BUDGET',
    });
  });

  test('waits while its profile is busy', async () => {
    const world = await taskWorld();
    world.profile(['library', 'ms=50']);
    const ids: string[] = [];
    for (const title of ['One', 'Two', 'Three']) {
      const { id } = await world.tasks.create({ title, strategy: 'ROUND_ROBIN' }, 'test');
      await world.tasks.dispatch(id, 'test');
      ids.push(id);
    }
    const worker = await world.tasks.work({ lanes: 3 });
    await worker.drained();
    const agents = await (await world.runtime.agents()).list();
    const spans = agents.map(({ created_at, ended_at }) => [created_at, ended_at ?? '']).sort();
    for (const [index, [begun = '']] of spans.slice(1).entries())
      expect(begun >= (spans[index]?.[1] ?? '')).toBe(true);
    for (const id of ids) expect(await world.tasks.get(id)).toMatchObject({ state: 'DONE' });
  });

  test('that is cancelled while its agent works ends at once, and leaves no process', async () => {
    const world = await taskWorld();
    world.profile(['library', 'ms=30000']);
    const { id } = await world.tasks.create({ title: 'Add a line', profile: 'coder' }, 'test');
    await world.tasks.dispatch(id, 'test');
    const worker = await world.tasks.work({ task: id });
    while ((await world.tasks.get(id)).state !== 'GATHER') await sleep(20);
    await world.tasks.cancel(id, { actor: 'ada', reason: 'not needed' });
    await worker.drained();
    const task = await world.tasks.detail(id);
    expect(task).toMatchObject({ state: 'CANCELLED', reason: 'not needed' });
    expect(task.thoughts).toMatchObject([{ type: 'decision', content: 'cancelled by ada: not needed' }]);
    const agents = await world.runtime.agents();
    expect(await agents.status(task.agent_id ?? '')).toMatchObject({
      state: 'FAILED',
      fail_code: 'CANCELLED',
    });
    expect(world.processes()).toEqual([]);
    await expect(world.tasks.retry(id, 'test')).rejects.toMatchObject({ code: 'TASK_TRANSITION' });
    const update = { task_id: id, status: 'working', progress: 1, summary: 'late' };
    await expect(world.tasks.update(update, 'test')).rejects.toMatchObject({ code: 'TASK_CLOSED' });
  });

  test('an agent that has ended can record nothing more in its name', async () => {
    const world = await taskWorld();
    world.profile(['library']);
    const { id, agent_id } = await world.run();
    const late = { task_id: id, type: 'reflection', content: 'late', agent_id: agent_id ?? '' } as const;
    const refused = await world.tasks.think(late, 'test').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ColibriError);
    expect(refused).toMatchObject({ code: 'AGENT_ENDED' });
  });

  test('is merged when asked for, and its worktree goes', async () => {
    const world = await taskWorld();
    world.profile(['library']);
    const task = await world.run();
    writeFileSync(path.join(world.workspace, 'readme.txt'), 'changed\n');
    await expect(world.tasks.merge(task.id, 'test')).rejects.toMatchObject({ code: 'MERGE_REFUSED' });
    world.git('checkout', '-q', '--', 'readme.txt');
    expect(await world.tasks.worktree(task.id)).not.toBeNull();
    expect(await world.tasks.merge(task.id, 'test')).toMatchObject({ into: 'main', head: task.head_sha });
    expect(world.git('rev-parse', 'main')).toBe(task.head_sha);
    expect(await world.tasks.worktree(task.id)).toBeNull();
  });
});

describe('the orphan scan', { timeout: TIMEOUT_MS }, () => {
  test(
    req('C1-orphan-1', 'reports an agent that ended without a thought once, and leaves the others alone'),
    async () => {
      const world = await taskWorld();
      world.profile(['library']);
      await world.run();
      const agents = await world.runtime.agents();
      const { id } = await world.tasks.create({ title: 'Lost' }, 'test');
      const orphan = await agents.allocate({ taskId: id, profile: 'coder', epoch: 1 });
      expect(await world.tasks.orphans.scan()).toEqual([]);
      for (const state of ['INITIALIZING', 'READY', 'BUSY', 'TERMINATED'] as const)
        await agents.transition(orphan.id, state, { actor: 'test', reason: 'by other ways' });
      expect(await world.tasks.orphans.scan()).toMatchObject([{ agent_id: orphan.id, task_id: id }]);
      expect(await world.tasks.orphans.scan()).toEqual([]);
      expect(await world.tasks.orphans.list()).toMatchObject([{ agent_id: orphan.id }]);
      const alerts = await world.runtime.events.read({ types: ['task.alert'] });
      expect(alerts.map(({ payload }) => JSON.parse(payload))).toMatchObject([
        { kind: 'orphan', agent_id: orphan.id },
      ]);
      expect(await world.tasks.get(id)).toMatchObject({ state: 'INIT' });
    },
  );
});
