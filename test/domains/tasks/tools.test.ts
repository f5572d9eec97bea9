/** The task tools and `agent_spawn`, called through the kernel. */
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import type { Envelope } from '../../../src/server.ts';
import { type TaskWorld, taskWorld } from './task-world.ts';

const TIMEOUT_MS = 60_000;

interface Answer {
  readonly ok: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string; readonly details?: Readonly<Record<string, unknown>> };
}

async function call({ runtime }: TaskWorld, tool: string, input: object): Promise<Answer> {
  const envelope: Envelope | undefined = await runtime.ctx.tools.get(tool)?.call(input, { door: 'library' });
  // Each test looks at the half that it expects.
  return envelope as unknown as Answer;
}

describe('the task tools', { timeout: TIMEOUT_MS }, () => {
  test('make, list and record', async () => {
    const world = await taskWorld();
    const made = await call(world, 'task_create', { title: 'Tidy up', priority: 3 });
    expect(made).toMatchObject({
      ok: true,
      data: { slug: 'tidy-up', state: 'INIT', priority: 3, branch: null },
    });
    const update = { task_id: 'tidy-up', status: 'working', progress: 40, summary: 'half of it' };
    expect(await call(world, 'task_update', update)).toMatchObject({
      ok: true,
      data: { progress: 40, state: 'INIT' },
    });
    const thought = { task_id: 'tidy-up', type: 'plan', content: 'one after the other' };
    expect(await call(world, 'thought_record', thought)).toMatchObject({ ok: true, data: { type: 'plan' } });
    expect(await call(world, 'task_list', { open: true })).toMatchObject({
      ok: true,
      data: { tasks: [{ slug: 'tidy-up', progress: 40, summary: 'half of it' }], more: false },
    });
    const { id: session_id } = await world.runtime.sessions.open({ agent_id: 'ada' });
    const packed = await call(world, 'memory_pack', {
      session_id,
      task_id: 'tidy-up',
      notes: ['look below'],
    });
    expect(packed.data['content']).toMatchObject({
      notes: ['look below'],
      task: { slug: 'tidy-up', summary: 'half of it' },
      thoughts: [{ type: 'plan', content: 'one after the other' }],
    });
    const types = (await world.runtime.events.read()).map(({ type }) => type);
    expect(types.filter((type) => /^(task|thought|memory)\./.test(type))).toEqual([
      'task.created',
      'task.updated',
      'thought.recorded',
      'memory.packed',
    ]);
    const detail = await world.tasks.detail('tidy-up');
    expect({ updates: detail.updates.length, thoughts: detail.thoughts.length }).toEqual({
      updates: 1,
      thoughts: 1,
    });
  });

  test('a session that was packed without a task still replays, and the pack is one of its events', async () => {
    const world = await taskWorld();
    const { id: session_id } = await world.runtime.sessions.open({ agent_id: 'ada' });
    expect(await call(world, 'memory_pack', { session_id, notes: ['look below'] })).toMatchObject({
      ok: true,
    });
    await world.runtime.sessions.close(session_id);
    const types = (await world.runtime.events.ofSession(session_id)).map(({ type }) => type);
    expect(types.filter((type) => !type.startsWith('tool.'))).toEqual([
      'session.opened',
      'memory.packed',
      'session.closed',
    ]);
    expect(await world.runtime.replay(session_id, { live: false })).toMatchObject({
      equal: true,
      difference: null,
    });
  });

  test('refuse what does not fit, with the reason', async () => {
    const world = await taskWorld();
    for (const input of [{}, { title: '' }, { title: 'x', nonsense: 1 }, { title: 'x', priority: 1e9 }])
      expect(await call(world, 'task_create', input)).toMatchObject({
        ok: false,
        error: { code: 'INVALID_PARAMS' },
      });
    expect(
      await call(world, 'thought_record', { task_id: 'nobody', type: 'plan', content: 'x' }),
    ).toMatchObject({
      error: { code: 'TASK_NOT_FOUND' },
    });
  });

  test('thoughts cannot be changed or deleted', async () => {
    const world = await taskWorld();
    await call(world, 'task_create', { title: 'Tidy up' });
    await call(world, 'thought_record', { task_id: 'tidy-up', type: 'plan', content: 'so' });
    expect(() => world.runtime.db.exec("UPDATE thought_records SET content = 'other'")).toThrow(
      /append-only/,
    );
    expect(() => world.runtime.db.exec('DELETE FROM thought_records')).toThrow(/append-only/);
  });
});

describe('agent_spawn', { timeout: TIMEOUT_MS }, () => {
  test('answers with the agent, and the task is worked off by this process', async () => {
    const world = await taskWorld();
    world.profile(['library']);
    await call(world, 'task_create', { title: 'Add a line' });
    const spawned = await call(world, 'agent_spawn', { task_id: 'add-a-line', agent_type: 'coder' });
    const agent_id = String(spawned.data['agent_id']);
    expect(spawned).toMatchObject({ ok: true, data: { agent_id: expect.stringMatching(/^[0-9A-Z]{26}$/) } });
    while ((await world.tasks.get('add-a-line')).state !== 'DONE') await sleep(50);
    expect(await call(world, 'agent_status', { agent_id })).toMatchObject({
      ok: true,
      data: { state: 'TERMINATED' },
    });
    expect(await call(world, 'agent_spawn', { task_id: 'add-a-line' })).toMatchObject({
      ok: false,
      error: { code: 'TASK_CLOSED' },
    });
  });

  test('says why nobody can do it, and puts nothing into the queue', async () => {
    const world = await taskWorld();
    world.profile(['library']);
    await call(world, 'task_create', { title: 'Add a line', required_skills: ['nobody'] });
    expect(await call(world, 'agent_spawn', { task_id: 'add-a-line' })).toMatchObject({
      ok: false,
      error: { code: 'POOL_EMPTY', details: { code: 'NO_SKILL' } },
    });
    expect(await world.tasks.get('add-a-line')).toMatchObject({ state: 'INIT', run_id: null });
  });
});
