/** Kysely over the connection that the index uses too. Loaded only when records are touched: it costs start-up time. */
import type Database from 'better-sqlite3';
import {
  CompiledQuery,
  type Dialect,
  type Driver,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely';

export interface RecordsOptions {
  /** Whether a transaction may begin now; by default always. */
  readonly mayBegin?: () => boolean;
}

/** Inside a transaction use the `trx` it hands over: the outer instance waits for the transaction to end. */
export function openRecords<Schema>(handle: Database.Database, options: RecordsOptions = {}): Kysely<Schema> {
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => sharedDriver(handle, options.mayBegin ?? (() => true)),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return new Kysely<Schema>({ dialect });
}

function sharedDriver(handle: Database.Database, mayBegin: () => boolean): Driver {
  const inner = new SqliteDriver({ database: keepStatements(handle) });
  return {
    init: () => inner.init(),
    acquireConnection: () => inner.acquireConnection(),
    async beginTransaction(connection) {
      // Outside of the queue a synchronous transaction could slip in at any await and become part of this one.
      if (!mayBegin()) throw new Error('a record transaction must run inside db.write');
      // Deferred transactions that read first lose to SQLITE_BUSY whatever the timeout.
      await connection.executeQuery(CompiledQuery.raw('begin immediate'));
    },
    commitTransaction: (connection) => inner.commitTransaction(connection),
    async rollbackTransaction(connection) {
      // SQLite rolls back by itself on a full disk; a second rollback would hide the first error.
      if (handle.inTransaction) await inner.rollbackTransaction(connection);
    },
    releaseConnection: () => inner.releaseConnection(),
    // The handle belongs to whoever opened it.
    destroy: async () => undefined,
  };
}

/** Far more than there are kinds of queries; only lists of changing length make new ones. */
const STATEMENTS_MAX = 500;

/** Preparing costs more than running, so a statement is kept with its text. Nothing streams, so it is never busy. */
function keepStatements(handle: Database.Database): SqliteDatabase {
  const known = new Map<string, SqliteStatement>();
  return {
    close: () => handle.close(),
    prepare(sql) {
      const found = known.get(sql);
      if (found !== undefined) return found;
      if (known.size >= STATEMENTS_MAX) known.clear();
      const statement = handle.prepare(sql);
      known.set(sql, statement);
      return statement;
    },
  };
}
