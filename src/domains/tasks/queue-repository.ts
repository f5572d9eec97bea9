/** The queue of runs. Every change of a claimed run names its epoch, so that an older claim changes nothing. */
import type { Kysely } from 'kysely';

import type { RecordTransaction } from '../../db/database.ts';
import type { RunState, RunStatus } from './engine.ts';

export interface RunRow extends RunStatus {
  readonly queue: string;
  readonly partition: string;
  readonly priority: number;
  readonly run_at: number;
  readonly lease_until: number | null;
  readonly max_claims: number;
  readonly cancel: number;
}

export interface QueueSchema {
  readonly run_queue: RunRow;
}

type Database = Kysely<QueueSchema> | RecordTransaction;

/** False when a run of this id is there already. */
export async function insertRun(transaction: RecordTransaction, row: RunRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await records(transaction)
    .insertInto('run_queue')
    .values(row)
    .onConflict((conflict) => conflict.column('run_id').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export async function findRun(db: Database, runId: string): Promise<RunRow | null> {
  const row = await records(db)
    .selectFrom('run_queue')
    .selectAll()
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row ?? null;
}

export function findRuns(db: Database, runIds: readonly string[]): Promise<readonly RunRow[]> {
  return records(db).selectFrom('run_queue').selectAll().where('run_id', 'in', runIds).execute();
}

export interface Due {
  readonly now: number;
  readonly only?: string | undefined;
  /** Partitions that are full. */
  readonly without?: readonly string[] | undefined;
}

/** The run whose turn it is. */
export async function nextRun(db: Database, { now, only, without = [] }: Due): Promise<RunRow | null> {
  let query = records(db)
    .selectFrom('run_queue')
    .selectAll()
    .where('state', '=', 'queued')
    .where('run_at', '<=', now)
    .orderBy('priority', 'desc')
    .orderBy('run_at')
    .orderBy('run_id')
    .limit(1);
  if (only !== undefined) query = query.where('run_id', '=', only);
  if (without.length > 0) query = query.where('partition', 'not in', without);
  return (await query.executeTakeFirst()) ?? null;
}

/** Partitions in which something waits, with what runs in each. */
export async function waitingPartitions(db: Database): Promise<ReadonlyMap<string, number>> {
  const waiting = await records(db)
    .selectFrom('run_queue')
    .select('partition')
    .distinct()
    .where('state', '=', 'queued')
    .where('partition', '<>', '')
    .execute();
  const running = await records(db)
    .selectFrom('run_queue')
    .select((select) => ['partition', select.fn.countAll<number>().as('runs')])
    .where('state', '=', 'running')
    .groupBy('partition')
    .execute();
  const runs = new Map(running.map((row) => [row.partition, Number(row.runs)]));
  return new Map(waiting.map(({ partition }) => [partition, runs.get(partition) ?? 0]));
}

/** What of a run changes when its state does. */
type RunChange = Partial<Omit<RunRow, 'run_id' | 'queue' | 'partition' | 'max_claims'>>;

/** Changes the run if it is still as it was read: same state, same epoch. False when somebody was faster. */
export async function changeRun(
  transaction: RecordTransaction,
  before: Pick<RunRow, 'run_id' | 'state' | 'epoch'>,
  change: RunChange,
): Promise<boolean> {
  const { numUpdatedRows } = await records(transaction)
    .updateTable('run_queue')
    .set(change)
    .where('run_id', '=', before.run_id)
    .where('state', '=', before.state)
    .where('epoch', '=', before.epoch)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Runs whose lease has ended. */
export function expiredRuns(db: Database, now: number): Promise<readonly RunRow[]> {
  return records(db)
    .selectFrom('run_queue')
    .selectAll()
    .where('state', '=', 'running')
    .where('lease_until', '<', now)
    .orderBy('lease_until')
    .execute();
}

export async function countOpen(db: Database): Promise<number> {
  const { open } = await records(db)
    .selectFrom('run_queue')
    .select((select) => select.fn.countAll<number>().as('open'))
    .where('state', 'in', ['queued', 'running'] satisfies RunState[])
    .executeTakeFirstOrThrow();
  return Number(open);
}

function records(db: Database): Kysely<QueueSchema> {
  return db as unknown as Kysely<QueueSchema>;
}
