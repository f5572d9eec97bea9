/**
 * `kill -9` of the supervisor, of its agents, and of both, at random moments: every task is finished or says why not,
 * nothing is written back twice, no commit is lost, and nothing is left behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import type { Task } from '../../src/domains/tasks/schema.ts';
import { startup } from '../../src/startup.ts';
import { CLI, makePlaces, type Places } from '../domains/tasks/task-world.ts';
import { randomFrom } from '../support/random.ts';

const SUPERVISOR = path.join(import.meta.dirname, 'task-supervisor.mjs');
const KILLS = 30;
const LEASE_MS = 600;
/** Tasks that are worked on, or could be at once, at any time while the killing goes on. */
const OPEN = 3;
/** A kill comes after so many events at most: counted in work and not in time, it is as fair on a slow machine. */
const EVENTS_MAX = 30;
const PATIENCE_MS = 5_000;
const JITTER_MS = 40;
/** Many times what it takes on a quiet machine. */
const TIMEOUT_MS = 900_000;
const seed = Number(process.env['COLIBRI_CRASH_SEED'] ?? Date.now() % 1_000_000);

type Victim = 'supervisor' | 'agent' | 'both';

function startSupervisor({ workspace, home }: Places, drain?: 'drain'): ChildProcess {
  const words = [SUPERVISOR, path.dirname(CLI), workspace, home, String(LEASE_MS), ...(drain ? [drain] : [])];
  const env = { PATH: process.env['PATH'], HOME: home };
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'], env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function openTasks({ workspace, home }: Places) {
  const env = { PATH: process.env['PATH'], HOME: home };
  const runtime = await startup({ workspace, home, env, logger: () => undefined, exit: () => undefined });
  return { runtime, tasks: await runtime.tasks() };
}

function kill(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
  }
}

/** The agents themselves, without what they have started: each leads a process group of its own. */
function agentsOf(places: Places): readonly number[] {
  return places.processes().filter((pid) => {
    try {
      // After the name, which may hold anything, come the state, the parent and the group.
      const [, , group] = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ');
      return group === String(pid);
    } catch {
      // It has just ended by itself.
      return false;
    }
  });
}

/** Locks of files and of worktrees that somebody left. */
function locksIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.lock$|\/locked$/.test(name),
  );
}

async function expectIntact(places: Places, journal: string): Promise<string> {
  const { runtime, tasks } = await openTasks(places);
  try {
    expect(runtime.db.pragma('quick_check', { simple: true })).toBe('ok');
    expect((await runtime.events.verify()).broken).toBeNull();
    const all = await Promise.all((await tasks.list({ limit: 1000 })).map(({ id }) => tasks.detail(id)));
    const open = all.filter(({ state }) => state !== 'DONE' && state !== 'BLOCKED');
    expect(open.map(({ slug, state }) => `${slug} is ${state}`)).toEqual([]);
    for (const task of all.filter(({ state }) => state === 'BLOCKED'))
      expect(task.reason, task.slug).toBeTruthy();
    const done = all.filter(({ state }) => state === 'DONE');
    for (const { writebacks, slug } of done) expect(writebacks.length, slug).toBe(1);
    for (const { writebacks, slug } of all) expect(writebacks.length, slug).toBeLessThanOrEqual(1);
    const agents = await (await runtime.agents()).list({ limit: 1000 });
    expect(agents.filter(({ state }) => state !== 'TERMINATED' && state !== 'FAILED')).toEqual([]);
    expect(agents.filter(({ state }) => state === 'TERMINATED').length).toBe(done.length);
    expect(agents.filter(({ state, fail_code }) => state === 'FAILED' && fail_code === null)).toEqual([]);
    const commits = existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : [];
    const kept = new Set(places.git('rev-list', '--branches=feature/*').split('\n'));
    expect(commits.filter((commit) => !kept.has(commit))).toEqual([]);
    const codes = all.filter(({ state }) => state === 'BLOCKED').map(({ code }) => code);
    return `${done.length} of ${all.length} tasks done (others: ${[...new Set(codes)].join(', ')}), ${agents.length} agents, ${commits.length} commits`;
  } finally {
    await runtime.close();
  }
}

/** Keeps a few tasks open while it kills, then lets the next supervisor finish everything. */
async function killAtRandom(victim: Victim, random: () => number): Promise<string> {
  const places = makePlaces();
  const journal = path.join(places.base, 'journal');
  places.profile(['library', 'ms=15', `journal=${journal}`], { max: 4 });
  const { runtime, tasks } = await openTasks(places);
  const agents = await runtime.agents();
  const refill = async (): Promise<void> => {
    const alive = new Set(
      (await agents.list({ limit: 1000 })).flatMap(({ id, ended_at }) => (ended_at === null ? [id] : [])),
    );
    // A task that waits for its next attempt is nobody's work for a while, and does not count.
    const waits = ({ attempt, state, agent_id }: Task) =>
      attempt > 1 && state === 'GATHER' && !alive.has(agent_id ?? '');
    const open = (await tasks.list({ open: true })).filter(
      (task) => task.state !== 'BLOCKED' && !waits(task),
    );
    for (let count = open.length; count < OPEN; count++) {
      const { id } = await tasks.create({ title: 'Add a line' }, 'test');
      await tasks.dispatch(id, 'test');
    }
  };
  const someWork = async (): Promise<void> => {
    const wanted = (await runtime.events.last()) + Math.floor(random() * EVENTS_MAX);
    for (let waited = 0; waited < PATIENCE_MS && (await runtime.events.last()) < wanted; waited += 10)
      await sleep(10);
    await sleep(random() * JITTER_MS);
  };
  let supervisor = startSupervisor(places);
  for (let kills = 0; kills < KILLS; ) {
    await refill();
    await someWork();
    const living = agentsOf(places);
    // A supervisor may die at any moment, its start included; of agents there has to be one.
    if (victim !== 'supervisor' && living.length === 0) continue;
    kills++;
    if (victim === 'agent') {
      // One of them, and not what it has started: its neighbours go on, and its children are to be found.
      kill(living.slice(Math.floor(random() * living.length)).slice(0, 1));
      continue;
    }
    const gone = once(supervisor, 'exit');
    supervisor.kill('SIGKILL');
    if (victim === 'both') kill(places.processes());
    await gone;
    supervisor = startSupervisor(places);
  }
  supervisor.kill('SIGKILL');
  await runtime.close();
  const last = startSupervisor(places, 'drain');
  await once(last, 'exit');
  const told = await expectIntact(places, journal);
  expect(places.processes()).toEqual([]);
  expect(locksIn(path.join(places.workspace, '.git'))).toEqual([]);
  return told;
}

test(`${KILLS} kills each of the supervisor, of its agents and of both (COLIBRI_CRASH_SEED=${seed})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  expect(existsSync(CLI), 'dist is missing: run `npm run build` first').toBe(true);
  const victims: readonly Victim[] = ['supervisor', 'agent', 'both'];
  const told = await Promise.all(
    victims.map(
      async (victim, index) => `${victim}: ${await killAtRandom(victim, randomFrom(seed + index))}`,
    ),
  );
  process.stderr.write(`crash seed ${seed}: ${told.join('; ')}\n`);
});
