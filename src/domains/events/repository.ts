/** The event log through Kysely: appended inside a transaction of records, read by its sequence. */
import type { Kysely } from 'kysely';

import type { RecordTransaction } from '../../db/database.ts';
import type { ChainHead } from './chain.ts';
import type { EventRow } from './schema.ts';

export interface EventSchema {
  readonly events: EventRow;
  /** One row, kept by a trigger: where the log ends. */
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

export async function lastEvent(transaction: RecordTransaction): Promise<{ readonly seq: number }> {
  const row = await records(transaction)
    .selectFrom('events')
    .select('seq')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { seq: row?.seq ?? 0 };
}

export async function lastHash(transaction: RecordTransaction, stream: string): Promise<string> {
  const row = await records(transaction)
    .selectFrom('events')
    .select('hash')
    .where('stream', '=', stream)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.hash ?? '';
}

export async function insertEvents(transaction: RecordTransaction, rows: readonly EventRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  // Built once: for rows this small, building the query costs more than running it.
  const query = records(transaction).insertInto('events').values(first).compile();
  // The query names the columns in the order of the first row.
  const columns = Object.keys(first) as (keyof EventRow)[];
  for (const row of rows) {
    const parameters = columns.map((column) => row[column]);
    await transaction.executeQuery({ ...query, parameters });
  }
}

/** In order of their sequence, unless asked for the newest first. */
export function readEvents(db: Kysely<EventSchema>, filter: EventFilter = {}): Promise<EventRow[]> {
  let query = db
    .selectFrom('events')
    .selectAll()
    .orderBy('seq', filter.newestFirst === true ? 'desc' : 'asc')
    .limit(filter.limit ?? EVENTS_PAGE);
  if (filter.after !== undefined) query = query.where('seq', '>', filter.after);
  if (filter.before !== undefined) query = query.where('seq', '<', filter.before);
  if (filter.session !== undefined) query = query.where('session_id', '=', filter.session);
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
