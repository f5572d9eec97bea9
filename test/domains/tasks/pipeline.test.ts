/** The steps that a task may take: the same in the code and in the database. */
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';

import { initDb } from '../../../src/db/open.ts';
import {
  afterFailure,
  backoffMs,
  isLegalStep,
  isTransient,
  remainingPhases,
} from '../../../src/domains/tasks/pipeline.ts';
import { type Checkpoint, PHASES, TASK_STATES, type TaskState } from '../../../src/domains/tasks/schema.ts';

/** Written out a second time, so that a slip in the code is not repeated here. */
const STEPS = [
  'INIT 1 > GATHER 1',
  'GATHER 1 > ANALYZE 1',
  'ANALYZE 1 > PLAN 1',
  'PLAN 1 > APPLY 1',
  'APPLY 1 > VERIFY 1',
  'VERIFY 1 > DONE 1',
  'GATHER 1 > GATHER 2',
  'ANALYZE 1 > GATHER 2',
  'PLAN 1 > GATHER 2',
  'VERIFY 1 > GATHER 2',
  'BLOCKED 1 > GATHER 2',
  ...['INIT', ...PHASES, 'BLOCKED'].map((from) => `${from} 1 > CANCELLED 1`),
  ...['INIT', ...PHASES].map((from) => `${from} 1 > BLOCKED 1`),
];

const PAIRS = TASK_STATES.flatMap((from) =>
  TASK_STATES.flatMap((to) => [1, 2, 3].map((attempt) => ({ from, to, attempt }))),
);

/** A task in this state, without taking the way there. */
function taskIn(state: TaskState): Database.Database {
  const db = initDb(':memory:');
  onTestFinished(() => void db.close());
  db.exec(`INSERT INTO tasks (id, slug, title, description, state, attempt, max_attempts, priority, agent_tier, pool,
      strategy, required_skills, required_tools, base_ref, brief, status, progress, summary, created_at, updated_at)
    VALUES ('t', 't', 'T', '', 'INIT', 1, 3, 0, 'T3', 'implementation', 'FIFO', '[]', '[]', 'HEAD', '{}', '', 0, '', '', '')`);
  const trigger = db.prepare("SELECT sql FROM sqlite_master WHERE name = 'tasks_edges'").pluck().get();
  db.exec('DROP TRIGGER tasks_edges');
  db.prepare('UPDATE tasks SET state = ?').run(state);
  db.exec(String(trigger));
  return db;
}

function databaseTakes(from: TaskState, to: TaskState, attempt: number): boolean {
  try {
    return taskIn(from).prepare('UPDATE tasks SET state = ?, attempt = ?').run(to, attempt).changes === 1;
  } catch (error) {
    if (error instanceof Database.SqliteError && /cannot take this step/.test(error.message)) return false;
    throw error;
  }
}

describe('a step of the pipeline', () => {
  test.each(TASK_STATES)(
    'from %s is taken only along the edges there are, in code and in the database',
    (from) => {
      const pairs = PAIRS.filter((pair) => pair.from === from);
      const told = (takes: (pair: (typeof PAIRS)[number]) => boolean) =>
        pairs.filter(takes).map(({ to, attempt }) => `${from} 1 > ${to} ${attempt}`);
      const legal = STEPS.filter((step) => step.startsWith(`${from} 1`)).sort();
      const stay = `${from} 1 > ${from} 1`;
      const inCode = told(({ to, attempt }) =>
        isLegalStep({ state: from, attempt: 1 }, { state: to, attempt }),
      );
      expect(inCode.sort()).toEqual(legal);
      const inDatabase = told(({ to, attempt }) => databaseTakes(from, to, attempt));
      // The row may be written without a step, for example by an update of its progress.
      expect(inDatabase.filter((step) => step !== stay).sort()).toEqual(legal);
      expect(inDatabase).toContain(stay);
    },
  );

  test('a task begins in INIT and cannot be deleted', () => {
    const db = taskIn('INIT');
    const copy = `INSERT INTO tasks SELECT 'u', 'u', title, description, 'APPLY', attempt, max_attempts, priority, agent_tier,
      pool, profile, strategy, required_skills, required_tools, token_budget, timeout_ms, repo, base_ref, brief, status,
      progress, summary, run_id, agent_id, branch, head_sha, code, reason, created_at, updated_at, closed_at FROM tasks`;
    expect(() => db.exec(copy)).toThrow(/begins in INIT/);
    expect(() => db.exec('DELETE FROM tasks')).toThrow(/cancel it instead/);
  });
});

describe('an attempt', () => {
  const checkpoint = (phase: Checkpoint['phase'], status: Checkpoint['status'], attempt = 1): Checkpoint => ({
    ...{ task_id: 't', attempt, phase, status, output: null, head_sha: null },
    ...{ agent_id: null, epoch: 1, started_at: '', ended_at: null },
  });

  test('goes on at its first unfinished phase', () => {
    expect(remainingPhases([], 1)).toEqual(PHASES);
    const begun = [checkpoint('GATHER', 'ok'), checkpoint('ANALYZE', 'ok'), checkpoint('PLAN', 'started')];
    expect(remainingPhases(begun, 1)).toEqual(['PLAN', 'APPLY', 'VERIFY']);
    expect(remainingPhases(begun, 2)).toEqual(PHASES);
  });

  test('that was verified but not written back is verified again, by whoever can write back', () => {
    const verified = PHASES.map((phase) => checkpoint(phase, 'ok'));
    expect(remainingPhases(verified, 1)).toEqual(['VERIFY']);
  });

  test('whose APPLY has failed is verified, not applied again', () => {
    const done = (['GATHER', 'ANALYZE', 'PLAN'] as const).map((phase) => checkpoint(phase, 'ok'));
    expect(remainingPhases([...done, checkpoint('APPLY', 'failed')], 1)).toEqual(['VERIFY']);
    expect(remainingPhases([...done, checkpoint('APPLY', 'started')], 1)).toEqual(['APPLY', 'VERIFY']);
  });

  test('that failed is tried again only for what may pass, and three times at most', () => {
    const task = { attempt: 1, max_attempts: 3 };
    expect(afterFailure(task, { transient: true })).toEqual({ kind: 'retry', delayMs: 1000 });
    expect(afterFailure({ ...task, attempt: 2 }, { transient: true })).toEqual({
      kind: 'retry',
      delayMs: 4000,
    });
    expect(afterFailure({ ...task, attempt: 3 }, { transient: true })).toMatchObject({ kind: 'block' });
    expect(afterFailure(task, { transient: false })).toMatchObject({ kind: 'block' });
    expect([1, 2, 3].map(backoffMs)).toEqual([1000, 4000, 16_000]);
  });

  test('a crash may pass, a missing tool does not', () => {
    expect(['CRASH', 'STALLED', 'INIT_TIMEOUT'].map(isTransient)).toEqual([true, true, true]);
    expect(['MISSING_TOOLS', 'BUDGET_EXCEEDED', 'WRITEBACK_REJECTED'].map(isTransient)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
