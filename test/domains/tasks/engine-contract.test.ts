/** What every engine has to keep, with two real worker processes on one store. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';

import { type ColibriDatabase, openDatabase } from '../../../src/db/database.ts';
import type { Engine, RunState } from '../../../src/domains/tasks/engine.ts';
import { createQueueEngine } from '../../../src/domains/tasks/queue-service.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createIds } from '../../../src/lib/ids.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import type { QueueSettings } from './queue-process.ts';

const PROGRAM = path.join(import.meta.dirname, 'queue-process.ts');
const LEASE_MS = 900;
const TIMEOUT_MS = 90_000;

interface Line {
  readonly what: 'ready' | 'start' | 'end' | 'refused' | 'phase';
  readonly run: string;
  readonly pid: number;
  readonly at: number;
  readonly epoch?: number;
  readonly phase?: string;
  readonly code?: string;
}

interface Store {
  readonly db: ColibriDatabase;
  readonly engine: Engine;
  readonly database: string;
  start(settings: Partial<QueueSettings>): Promise<ChildProcess>;
  lines(what?: Line['what']): readonly Line[];
  until(what: string, check: () => boolean): Promise<void>;
  enqueue(
    runs: readonly string[],
    how?: { readonly priority?: number; readonly partition?: string },
  ): Promise<void>;
  states(): Readonly<Record<string, RunState>>;
  settled(): Promise<void>;
}

function openStore(): Store {
  const directory = temporaryDirectory();
  const database = path.join(directory, 'colibri.db');
  const log = path.join(directory, 'log');
  const db = openDatabase(database);
  onTestFinished(() => db.close());
  const ids = createIds(systemClock);
  const engine = createQueueEngine({ db, clock: systemClock, ids, logger: () => undefined });
  const lines = (what?: Line['what']): readonly Line[] => {
    if (!existsSync(log)) return [];
    const texts = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    const all = texts.map((line): Line => JSON.parse(line));
    return what === undefined ? all : all.filter((line) => line.what === what);
  };
  const states = (): Readonly<Record<string, RunState>> => {
    const rows = db.handle.prepare('SELECT run_id, state FROM run_queue ORDER BY run_id').raw().all();
    return Object.fromEntries(rows as [string, RunState][]);
  };
  const until: Store['until'] = async (what, check) => {
    for (let waited = 0; waited < TIMEOUT_MS / 2; waited += 10) {
      if (check()) return;
      await sleep(10);
    }
    throw new Error(`waited in vain for ${what}: ${JSON.stringify(lines())}`);
  };
  const isSettled = () => Object.values(states()).every((state) => state !== 'queued' && state !== 'running');
  return {
    db,
    engine,
    database,
    lines,
    states,
    until,
    async start(settings) {
      const all = { database, log, lanes: 2, leaseMs: LEASE_MS, workMs: 0, work: 'sleep', ...settings };
      const words = ['--import', 'tsx', PROGRAM, JSON.stringify(all)];
      const child = spawn(process.execPath, words, { stdio: 'inherit' });
      onTestFinished(() => void child.kill('SIGKILL'));
      await until('a worker', () => lines('ready').some(({ pid }) => pid === child.pid));
      return child;
    },
    async enqueue(names, { priority = 0, partition = '' } = {}) {
      for (const runId of names) {
        await engine.enqueue({ runId, queue: 'implementation', partition, priority });
      }
    },
    settled: () => until('the end of all runs', isSettled),
  };
}

function runs(count: number, prefix = 'run'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(3, '0')}`);
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** A task to which checkpoints and writebacks can belong. */
function insertTask({ handle }: ColibriDatabase, id: string): void {
  handle.exec(`
    INSERT INTO tasks (id, slug, title, description, state, attempt, max_attempts, priority, agent_tier, pool,
      strategy, required_skills, required_tools, base_ref, brief, status, progress, summary, created_at, updated_at)
    VALUES ('${id}', '${id}', 'One', '', 'INIT', 1, 3, 0, 'T3', 'implementation',
      'FIFO', '[]', '[]', 'HEAD', '{}', '', 0, '', '', '');
    INSERT INTO task_updates VALUES ('update', '${id}', NULL, 'done', 100, 'done', '');
    INSERT INTO thought_records (id, task_id, type, content, at)
    VALUES ('thought', '${id}', 'reflection', 'done', '');`);
}

/** Most runs that were under way at the same time, without those of dead workers. */
function mostAtOnce(lines: readonly Line[], dead: ReadonlySet<number> = new Set()): number {
  let running = 0;
  let most = 0;
  for (const { what, pid } of [...lines].sort((a, b) => a.at - b.at)) {
    if (dead.has(pid)) continue;
    if (what === 'end') running--;
    if (what !== 'start') continue;
    running++;
    most = Math.max(most, running);
  }
  return most;
}

const allDone = new Set(['done']);

describe('an engine', { timeout: TIMEOUT_MS }, () => {
  test('1, 2: every run is worked off once, however often it was asked for', async () => {
    const store = openStore();
    const names = runs(60);
    await store.enqueue(names);
    const [first = ''] = names;
    expect(await store.engine.enqueue({ runId: first, queue: 'q', partition: '', priority: 0 })).toBe(
      'exists',
    );
    await Promise.all([store.start({ lanes: 4 }), store.start({ lanes: 4 })]);
    await store.settled();
    await store.enqueue(names);
    await sleep(100);
    const started = store.lines('start').map(({ run }) => run);
    expect(started.sort()).toEqual(names);
    expect(store.lines('end').length).toBe(names.length);
    expect(new Set(Object.values(store.states()))).toEqual(allDone);
  });

  test('3: the highest priority goes first, then the oldest', async () => {
    const store = openStore();
    await store.enqueue(['low-a', 'low-b'], { priority: -1 });
    await store.enqueue(['high-a', 'high-b'], { priority: 9 });
    await store.enqueue(['middle']);
    await store.start({ lanes: 1 });
    await store.settled();
    const started = store.lines('start').map(({ run }) => run);
    expect(started).toEqual(['high-a', 'high-b', 'middle', 'low-a', 'low-b']);
  });

  test('4: no more runs of a partition than its limit, also after a worker died', async () => {
    const store = openStore();
    await store.enqueue(runs(8, 'limited'), { partition: 'coder' });
    await store.enqueue(runs(2, 'free'));
    const settings = { lanes: 4, limit: 2, workMs: 250 };
    const [first] = await Promise.all([store.start(settings), store.start(settings)]);
    await store.until('two ends', () => store.lines('end').length >= 2);
    await kill(first, 'SIGKILL');
    await store.settled();
    const limited = store.lines().filter(({ run }) => run.startsWith('limited'));
    expect(mostAtOnce(limited, new Set([first.pid ?? 0]))).toBeLessThanOrEqual(2);
    expect(new Set(Object.values(store.states()))).toEqual(allDone);
  });

  test('5: runs of a killed worker begin exactly once more, elsewhere', async () => {
    const store = openStore();
    await store.enqueue(runs(4));
    const first = await store.start({ lanes: 2, workMs: 60_000 });
    await store.until('two starts', () => store.lines('start').length === 2);
    const second = await store.start({ lanes: 4, workMs: 50 });
    await kill(first, 'SIGKILL');
    await store.settled();
    const startedBy = (pid: number | undefined) =>
      store.lines('start').flatMap((line) => (line.pid === pid ? [line.run] : []));
    const held = startedBy(first.pid);
    expect(held.length).toBe(2);
    expect(startedBy(second.pid).sort()).toEqual(runs(4));
  });

  test('6: a run goes on at the first phase that has not ended', async () => {
    const store = openStore();
    insertTask(store.db, 'one');
    await store.enqueue(['one']);
    const first = await store.start({ work: 'phases', workMs: 100 });
    await store.until('PLAN', () => store.lines('phase').some(({ phase }) => phase === 'PLAN'));
    await kill(first, 'SIGKILL');
    await store.start({ work: 'phases', workMs: 5 });
    await store.settled();
    const told = store.lines('phase').map(({ phase, pid }) => `${pid === first.pid ? 'A' : 'B'} ${phase}`);
    expect(told).toEqual(['A GATHER', 'A ANALYZE', 'A PLAN', 'B PLAN', 'B APPLY', 'B VERIFY']);
  });

  test('7: a worker that was paused past its lease wakes up and changes nothing', async () => {
    const store = openStore();
    insertTask(store.db, 'one');
    await store.enqueue(['one']);
    // It never looks at its lease again, so that only the fence itself can stop it.
    const first = await store.start({ work: 'writeback', workMs: 400, pollMs: 3_600_000 });
    await store.until('a start', () => store.lines('start').length === 1);
    first.kill('SIGSTOP');
    const second = await store.start({ work: 'writeback', workMs: 10 });
    await store.settled();
    first.kill('SIGCONT');
    await store.until('the refusal', () => store.lines('refused').length === 1);
    expect(store.lines('refused')).toMatchObject([{ pid: first.pid, code: 'LEASE_LOST' }]);
    const rows = store.db.handle.prepare('SELECT agent_id, epoch FROM writebacks').all();
    expect(rows).toEqual([{ agent_id: String(second.pid), epoch: 2 }]);
    expect(store.states()).toEqual({ one: 'done' });
  });

  test('8: after the death of all workers everything is finished by the next ones', async () => {
    const store = openStore();
    const names = runs(12);
    await store.enqueue(names);
    const settings = { lanes: 2, workMs: 150 };
    const both = await Promise.all([store.start(settings), store.start(settings)]);
    await store.until('some ends', () => store.lines('end').length >= 3);
    await Promise.all(both.map((child) => kill(child, 'SIGKILL')));
    await store.start({ lanes: 4, workMs: 1 });
    await store.settled();
    expect(new Set(Object.values(store.states()))).toEqual(allDone);
    expect(new Set(store.lines('end').map(({ run }) => run))).toEqual(new Set(names));
  });

  test('9: a run can be cancelled before its turn, and while it is under way', async () => {
    const store = openStore();
    await store.enqueue(['waiting', 'busy']);
    expect(await store.engine.cancel('waiting')).toBe('cancelled');
    await store.start({ workMs: 60_000 });
    await store.until('a start', () => store.lines('start').length === 1);
    expect(await store.engine.cancel('busy')).toBe('asked');
    await store.settled();
    expect(await store.engine.cancel('busy')).toBe('settled');
    expect(store.lines('start').map(({ run }) => run)).toEqual(['busy']);
    expect(store.lines('refused')).toMatchObject([{ run: 'busy', code: 'RUN_CANCELLED' }]);
    expect(store.states()).toEqual({ busy: 'cancelled', waiting: 'cancelled' });
  });

  test('10: a run that always fails is given up in the end', async () => {
    const store = openStore();
    await store.enqueue(['poison']);
    await store.start({ work: 'throw' });
    await store.settled();
    expect(store.lines('start').map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5]);
    expect(await store.engine.status('poison')).toMatchObject({ state: 'dead', reason: 'poison' });
  });

  test('10: but not one that gets on each time', async () => {
    const store = openStore();
    insertTask(store.db, 'slow');
    await store.enqueue(['slow']);
    await store.start({ work: 'stumble' });
    await store.settled();
    expect(store.lines('start').length).toBe(6);
    expect(store.states()).toEqual({ slow: 'done' });
  });

  test('11: while the store cannot be written nothing is begun twice', async () => {
    const store = openStore();
    await store.enqueue(['long']);
    await Promise.all([store.start({ workMs: 4000 }), store.start({ workMs: 4000 })]);
    await store.until('a start', () => store.lines('start').length === 1);
    const other = new Database(store.database);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    await sleep(3 * LEASE_MS);
    other.exec('COMMIT');
    await store.settled();
    expect(store.lines('start').length).toBe(1);
    expect(store.states()).toEqual({ long: 'done' });
  });

  test('12: a worker that is asked to stop finishes what it has and takes nothing more', async () => {
    const store = openStore();
    await store.enqueue(runs(4));
    const worker = await store.start({ lanes: 2, workMs: 300 });
    await store.until('two starts', () => store.lines('start').length === 2);
    await kill(worker, 'SIGTERM');
    expect(store.lines('end').length).toBe(2);
    expect(Object.values(store.states()).sort()).toEqual(['done', 'done', 'queued', 'queued']);
  });

  test('13: a backlog flows through a single lane', async () => {
    const store = openStore();
    await store.enqueue(runs(150));
    await store.start({ lanes: 1 });
    await store.settled();
    expect(store.lines('start').length).toBe(150);
  });

  test('14: a run may take many times its lease', async () => {
    const store = openStore();
    await store.enqueue(['long']);
    const settings = { workMs: 2400, leaseMs: 300 };
    await Promise.all([store.start(settings), store.start(settings)]);
    await store.settled();
    expect(store.lines('start').length).toBe(1);
  });
});
