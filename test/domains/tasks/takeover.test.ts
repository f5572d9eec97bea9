/** Two real supervisors and one task: what the first could not finish the second does, and nothing is done twice. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';

import { CLI, type TaskWorld, taskWorld } from './task-world.ts';

const SUPERVISOR = path.join(import.meta.dirname, '../../crash/task-supervisor.mjs');
const LEASE_MS = 600;
const TIMEOUT_MS = 180_000;

async function startSupervisor({ workspace, home }: TaskWorld): Promise<ChildProcess> {
  const words = [SUPERVISOR, path.dirname(CLI), workspace, home, String(LEASE_MS)];
  const env = { PATH: process.env['PATH'], HOME: home };
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout ?? child, 'data');
  return child;
}

async function until(world: TaskWorld, id: string, state: string): Promise<void> {
  while ((await world.tasks.get(id)).state !== state) await sleep(20);
}

/** A process that is paused in the middle of a transaction would hold the lock of the database for everybody. */
async function stop(supervisor: ChildProcess, { runtime }: TaskWorld, signal: NodeJS.Signals): Promise<void> {
  const probe = new Database(runtime.config.database, { timeout: 200 });
  onTestFinished(() => void probe.close());
  for (;;) {
    supervisor.kill(signal);
    try {
      probe.exec('BEGIN IMMEDIATE; ROLLBACK');
      return;
    } catch (error) {
      if (!(error instanceof Database.SqliteError) || error.code !== 'SQLITE_BUSY') throw error;
      supervisor.kill('SIGCONT');
      await sleep(10);
    }
  }
}

/** A task whose first supervisor was stopped by this signal while its agent was in PLAN. */
async function stoppedInPlan(world: TaskWorld, signal: NodeJS.Signals) {
  world.profile(['library', 'ms=800']);
  const { id } = await world.tasks.create({ title: 'Add a line' }, 'test');
  await world.tasks.dispatch(id, 'test');
  const first = await startSupervisor(world);
  await until(world, id, 'PLAN');
  await stop(first, world, signal);
  const { agent_id } = await world.tasks.get(id);
  return { id, first, agent: agent_id ?? '' };
}

test('a task is resumed at its first unfinished phase when its supervisor is killed', {
  timeout: TIMEOUT_MS,
}, async () => {
  const world = await taskWorld();
  const { id, agent } = await stoppedInPlan(world, 'SIGKILL');
  await startSupervisor(world);
  await until(world, id, 'DONE');
  const task = await world.tasks.detail(id);
  expect(task.attempt).toBe(1);
  expect(
    task.checkpoints.map(({ phase, agent_id }) => `${phase} ${agent_id === agent ? 'first' : 'second'}`),
  ).toEqual(['GATHER first', 'ANALYZE first', 'PLAN second', 'APPLY second', 'VERIFY second']);
  expect(task.writebacks.length).toBe(1);
  const agents = await world.runtime.agents();
  expect(await agents.status(agent)).toMatchObject({ state: 'FAILED', fail_code: 'HOST_LOST' });
});

test('a supervisor that was paused past its lease wakes up and changes nothing', {
  timeout: TIMEOUT_MS,
}, async () => {
  const world = await taskWorld();
  const { id, first, agent } = await stoppedInPlan(world, 'SIGSTOP');
  await startSupervisor(world);
  await until(world, id, 'DONE');
  const before = await world.tasks.detail(id);
  const events = await world.runtime.events.last();
  first.kill('SIGCONT');
  // Long enough to renew, to write and to be refused several times.
  await sleep(3 * LEASE_MS);
  expect(await world.tasks.detail(id)).toEqual(before);
  expect(await world.runtime.events.last()).toBe(events);
  expect(before.writebacks).toMatchObject([{ epoch: 2 }]);
  expect(before.agent_id).not.toBe(agent);
  expect(world.processes()).toEqual([]);
  expect((await world.runtime.events.verify()).broken).toBeNull();
});
