import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

import { ColibriError, systemCodeOf } from '../lib/errors.ts';
import { type InspectOptions, inspectDatabase } from './damage.ts';
import { databaseFile, hasContent, recoveredPath } from './database-file.ts';
import { corruptError, translateFileError } from './db-errors.ts';
import {
  listMigrations,
  MIGRATIONS_DIRECTORY,
  migrate,
  refuseForeign,
  refuseFuture,
  schemaVersion,
} from './migrate.ts';

export interface OpenOptions {
  /** `quick` walks the file for damage first; `none` leaves that to whoever can afford the time. Default `quick`. */
  readonly check?: 'quick' | 'none';
  /** How long to wait for another process's write. */
  readonly busyTimeoutMs?: number;
  /** Where the `NNN_name.sql` files are; by default beside this module. */
  readonly migrationsDirectory?: string;
}

const BUSY_TIMEOUT_MS = 5_000;
const BUSY_STEP_MS = 20;
const JOURNAL_SIZE_BYTES_MAX = 67_108_864;
const SYNCHRONOUS_FULL = 2;
const MEMORY = ':memory:';

/** Opens the database, makes it durable and migrates it. On any failure the handle is closed; a damaged file is left as it is. */
export function initDb(path: string, options: OpenOptions = {}): Database.Database {
  try {
    return open(path === MEMORY ? path : databaseFile(path), options);
  } catch (error) {
    throw translateFileError(error, path);
  }
}

function open(path: string, options: OpenOptions): Database.Database {
  const timeout = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  const directory = options.migrationsDirectory ?? MIGRATIONS_DIRECTORY;
  const newest = listMigrations(directory).length;
  if (path !== MEMORY) {
    mkdirSync(dirname(path), { recursive: true });
    inspect(path, { check: options.check ?? 'quick', timeout, newest });
  }
  const handle = new Database(path, { timeout });
  try {
    const version = schemaVersion(handle);
    refuseFuture(version, newest, path);
    if (version === 0) refuseForeign(handle);
    setPragmas(handle, timeout);
    migrate(handle, directory);
    // Read again: this driver's build drops to NORMAL with the first write of a connection that did not ask for FULL.
    requireFull(handle);
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

/** Refuses what must not be touched, before a writable connection could touch it. */
function inspect(path: string, options: InspectOptions & { readonly newest: number }): void {
  if (existsSync(recoveredPath(path))) throw corruptError(path, 'its recovery was interrupted');
  // Without a log a writable connection that only reads changes nothing, so the second connection can be saved.
  if (options.check === 'none' && !hasContent(`${path}-wal`)) return;
  const { damage, version } = inspectDatabase(path, options);
  if (damage !== undefined) throw corruptError(path, damage);
  refuseFuture(version ?? 0, options.newest, path);
}

function setPragmas(handle: Database.Database, timeout: number): void {
  enterWal(handle, timeout);
  const pragmas = [
    'synchronous = FULL',
    `busy_timeout = ${timeout}`,
    'foreign_keys = ON',
    'trusted_schema = OFF',
    'cell_size_check = ON',
    'recursive_triggers = OFF',
    'mmap_size = 0',
    // What a statement may have to take back stays in memory: a file for it would hold records outside of the database.
    'temp_store = MEMORY',
    `journal_size_limit = ${JOURNAL_SIZE_BYTES_MAX}`,
  ];
  handle.exec(pragmas.map((pragma) => `PRAGMA ${pragma};`).join(' '));
  requireFull(handle);
}

/** SQLite does not wait for its busy timeout when two connections switch a new file to WAL at once, so we do. */
function enterWal(handle: Database.Database, timeout: number): void {
  for (let waited = 0; ; waited += BUSY_STEP_MS) {
    try {
      const mode = handle.pragma('journal_mode = WAL', { simple: true });
      if (mode === 'wal' || handle.memory) return;
      const message = `the file system of ${handle.name} cannot hold a write-ahead log (journal mode stays ${String(mode)}); put the database on a local disk`;
      throw new ColibriError('DB_UNWRITABLE', message, { path: handle.name });
    } catch (error) {
      if (!systemCodeOf(error)?.startsWith('SQLITE_BUSY') || waited >= timeout) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_STEP_MS);
    }
  }
}

function requireFull(handle: Database.Database): void {
  const level = handle.pragma('synchronous', { simple: true });
  if (level === SYNCHRONOUS_FULL) return;
  const message = `the database ${handle.name} runs at synchronous=${String(level)} and could lose acknowledged writes; report this build of SQLite`;
  throw new ColibriError('DB_UNWRITABLE', message, { path: handle.name, synchronous: level });
}
