/** The event log through Kysely: appended inside a transaction of records, read by its sequence. */
import type { InsertQueryBuilder, InsertResult, Kysely } from 'kysely';

import { builtQuery } from '../../db/built-query.ts';
import type { RecordTransaction } from '../../db/database.ts';
import { type ChainHead, sessionStream } from './chain.ts';
import type { EventRow } from './schema.ts';

export interface EventSchema {
  readonly events: EventRow;
  /** One row: where the log ends. */
  readonly event_head: ChainHead;
}

export interface EventFilter {
  /** Only events after this sequence number. */
  readonly after?: number | undefined;
  /** Only events before this sequence number. */
  readonly before?: number | undefined;
  /** The newest first; with a limit, the newest ones. */
  readonly newestFirst?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly session?: string | undefined;
  readonly stream?: string | undefined;
  readonly types?: readonly string[] | undefined;
}

export const EVENTS_PAGE = 500;

/** Limits are parameters, too. */
const ONE = 1;

export async function lastEvent(transaction: RecordTransaction): Promise<{ readonly seq: number }> {
  const { rows } = await LAST_EVENT(records(transaction), [ONE]);
  return { seq: rows[0]?.seq ?? 0 };
}

const LAST_EVENT = builtQuery((db: Kysely<EventSchema>) =>
  db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(ONE),
);

export async function lastHash(transaction: RecordTransaction, stream: string): Promise<string> {
  const { rows } = await LAST_HASH(records(transaction), [stream, ONE]);
  return rows[0]?.hash ?? '';
}

const LAST_HASH = builtQuery((db: Kysely<EventSchema>) =>
  db.selectFrom('events').select('hash').where('stream', '=', '').orderBy('seq', 'desc').limit(ONE),
);

export async function insertEvents(transaction: RecordTransaction, rows: readonly EventRow[]): Promise<void> {
  let start = 0;
  for (const { size, insert } of INSERTS) {
    for (; rows.length - start >= size; start += size) {
      await insert(records(transaction), valuesOf(rows.slice(start, start + size)));
    }
  }
}

function valuesOf(rows: readonly EventRow[]): unknown[] {
  const values: unknown[] = [];
  for (const row of rows) for (const column of COLUMNS) values.push(row[column]);
  return values;
}

// In the order of the query that is built from them.
const COLUMNS = [
  'seq',
  'id',
  'stream',
  'session_id',
  'type',
  'at',
  'actor',
  'parent_id',
  'payload',
  'sensitivity',
  'prev_hash',
  'hash',
] as const satisfies readonly (keyof EventRow)[];

/** Rows per statement, largest first: a batch of any size takes few of them, and their texts stay the same. */
const ROWS_AT_ONCE = [32, 8, 1];

const INSERTS = ROWS_AT_ONCE.map((size) => ({
  size,
  insert: builtQuery((db: Kysely<EventSchema>) => insertOf(db, size)),
}));

function insertOf(
  db: Kysely<EventSchema>,
  size: number,
): InsertQueryBuilder<EventSchema, 'events', InsertResult> {
  // Only the columns count: the values come with each run.
  const blank = Object.fromEntries(COLUMNS.map((column) => [column, null])) as unknown as EventRow;
  // Otherwise SQLite keeps the pages of every statement, to take back the rows before one that fails. Here all of it goes.
  return db
    .insertInto('events')
    .orRollback()
    .values(Array.from({ length: size }, () => blank));
}

/** In the transaction of the events, after the last of them: each points to the one before, so their chain cannot tell that its end was cut off. */
export async function moveHead(transaction: RecordTransaction, { seq, hash }: ChainHead): Promise<void> {
  await MOVE_HEAD(records(transaction), [seq, hash]);
}

const MOVE_HEAD = builtQuery((db: Kysely<EventSchema>) =>
  db.updateTable('event_head').set({ seq: 0, hash: '' }),
);

/** In order of their sequence, unless asked for the newest first. */
export function readEvents(db: Kysely<EventSchema>, filter: EventFilter = {}): Promise<EventRow[]> {
  let query = db
    .selectFrom('events')
    .selectAll()
    .orderBy('seq', filter.newestFirst === true ? 'desc' : 'asc')
    .limit(filter.limit ?? EVENTS_PAGE);
  if (filter.after !== undefined) query = query.where('seq', '>', filter.after);
  if (filter.before !== undefined) query = query.where('seq', '<', filter.before);
  if (filter.session !== undefined) query = query.where('stream', '=', sessionStream(filter.session));
  if (filter.stream !== undefined) query = query.where('stream', '=', filter.stream);
  if (filter.types !== undefined) query = query.where('type', 'in', filter.types);
  return query.execute();
}

export function readHead(db: Kysely<EventSchema>): Promise<ChainHead> {
  return db.selectFrom('event_head').select(['seq', 'hash']).executeTakeFirstOrThrow();
}

/** Each repository sees its own tables of the one database. */
function records(transaction: RecordTransaction): Kysely<EventSchema> {
  return transaction as unknown as Kysely<EventSchema>;
}
