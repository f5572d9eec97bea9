import type Database from 'better-sqlite3';
import type { Kysely, Transaction } from 'kysely';

import { systemCodeOf } from '../lib/errors.ts';
import { translateDbError } from './db-errors.ts';
import { initDb, type OpenOptions } from './open.ts';
import { createWriteQueue } from './write-queue.ts';

/** A transaction of records. Repositories work with it; everybody else only passes it on. */
export type RecordTransaction = Transaction<unknown>;

/** The one connection of this process and the one queue in front of it. */
export interface ColibriDatabase {
  readonly path: string;
  /** For reads, and for synchronous transactions inside `write`. */
  readonly handle: Database.Database;
  /** Runs alone: no other `write` runs in between, not even across awaits. */
  write<T>(work: () => T | Promise<T>): Promise<T>;
  /** Kysely over the same connection; its transactions must run inside `write`. */
  records<Schema>(): Promise<Kysely<Schema>>;
  /** One transaction of records, alone in the queue. */
  transact<T>(work: (transaction: RecordTransaction) => Promise<T>): Promise<T>;
  /** Waits for queued writes, then closes. Calling it again does nothing. */
  close(): Promise<void>;
}

export function openDatabase(path: string, options: OpenOptions = {}): ColibriDatabase {
  const handle = initDb(path, options);
  const queue = createWriteQueue();
  let records: Promise<Kysely<unknown>> | undefined;
  let closing: Promise<void> | undefined;

  async function shut(): Promise<void> {
    await queue.close();
    checkpoint(handle);
    handle.close();
  }

  function openOnce(): Promise<Kysely<unknown>> {
    records ??= import('./records.ts').then(({ openRecords }) =>
      openRecords<unknown>(handle, { mayBegin: queue.inside }),
    );
    return records;
  }

  return {
    path,
    handle,
    write: (work) => queue.write(() => guard(handle, work)),
    // The schema is a compile-time view only: each repository names the tables it owns.
    records: async <Schema>() => (await openOnce()) as unknown as Kysely<Schema>,
    transact: (work) =>
      queue.write(() => guard(handle, async () => (await openOnce()).transaction().execute(work))),
    async close() {
      closing ??= shut();
      // A close that was refused, for example inside a write, may be tried again.
      await closing.catch((error: unknown) => {
        closing = undefined;
        throw error;
      });
    },
  };
}

async function guard<T>(handle: Database.Database, work: () => T | Promise<T>): Promise<T> {
  try {
    const result = await work();
    if (!handle.inTransaction) return result;
    throw new Error('a write ended with its transaction open; it was rolled back');
  } catch (error) {
    throw translateDbError(error, handle.name);
  } finally {
    // Whatever happened, the next in line starts clean.
    if (handle.inTransaction) handle.exec('ROLLBACK');
  }
}

/** Shortens the write-ahead log. Another process may be reading, then it stays and loses nothing. */
function checkpoint(handle: Database.Database): void {
  try {
    // Not worth waiting for: the wait would block the whole process for as long as the busy timeout.
    handle.pragma('busy_timeout = 0');
    handle.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (!systemCodeOf(error)?.startsWith('SQLITE_')) throw error;
  }
}
