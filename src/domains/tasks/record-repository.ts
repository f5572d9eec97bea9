/** What agents write back: updates, thoughts, packs of memory; and who did not. */
import type { Kysely } from 'kysely';

import type { RecordTransaction } from '../../db/database.ts';
import type { MemoryPack, TaskUpdate, Thought } from './schema.ts';

export interface RecordSchema {
  readonly task_updates: TaskUpdate;
  readonly thought_records: Omit<Thought, 'tests_run' | 'blockers'> & {
    /** JSON. */
    readonly tests_run: string | null;
    readonly blockers: string | null;
  };
  readonly memory_packs: Omit<MemoryPack, 'content'> & { readonly content: string };
  readonly orphans: { readonly agent_id: string; readonly task_id: string; readonly found_at: string };
}

type Database = Kysely<RecordSchema> | RecordTransaction;

export async function insertUpdate(transaction: RecordTransaction, update: TaskUpdate): Promise<void> {
  await records(transaction).insertInto('task_updates').values(update).execute();
}

/** Oldest first. */
export function findUpdates(db: Database, taskId: string): Promise<readonly TaskUpdate[]> {
  return records(db)
    .selectFrom('task_updates')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('id')
    .execute();
}

export async function insertThought(transaction: RecordTransaction, thought: Thought): Promise<void> {
  const { tests_run, blockers, ...rest } = thought;
  await records(transaction)
    .insertInto('thought_records')
    .values({ ...rest, tests_run: encodeList(tests_run), blockers: encodeList(blockers) })
    .execute();
}

/** Oldest first. */
export async function findThoughts(db: Database, taskId: string): Promise<readonly Thought[]> {
  const rows = await records(db)
    .selectFrom('thought_records')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...row,
    tests_run: decodeList(row.tests_run),
    blockers: decodeList(row.blockers),
  }));
}

export async function insertPack(transaction: RecordTransaction, pack: MemoryPack): Promise<void> {
  await records(transaction)
    .insertInto('memory_packs')
    .values({ ...pack, content: JSON.stringify(pack.content) })
    .execute();
}

/** Oldest first. */
export async function findPacks(db: Database, taskId: string): Promise<readonly MemoryPack[]> {
  const rows = await records(db)
    .selectFrom('memory_packs')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, content: JSON.parse(row.content) }));
}

/** Which of these agents have recorded no thought at all. */
export async function withoutThought(db: Database, agents: readonly string[]): Promise<readonly string[]> {
  if (agents.length === 0) return [];
  const rows = await records(db)
    .selectFrom('thought_records')
    .select('agent_id')
    .distinct()
    .where('agent_id', 'in', agents)
    .execute();
  const thoughtful = new Set(rows.map(({ agent_id }) => agent_id));
  return agents.filter((agent) => !thoughtful.has(agent));
}

/** False when it was known before. */
export async function noteOrphan(
  transaction: RecordTransaction,
  orphan: RecordSchema['orphans'],
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await records(transaction)
    .insertInto('orphans')
    .values(orphan)
    .onConflict((conflict) => conflict.column('agent_id').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export function findOrphans(db: Database): Promise<readonly RecordSchema['orphans'][]> {
  return records(db).selectFrom('orphans').selectAll().orderBy('found_at').orderBy('agent_id').execute();
}

function encodeList(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

/** Written by `encodeList`. */
function decodeList(text: string | null): readonly string[] | null {
  return text === null ? null : JSON.parse(text);
}

function records(db: Database): Kysely<RecordSchema> {
  return db as unknown as Kysely<RecordSchema>;
}
