/** Brings a database to the newest schema: numbered SQL files, counted in `user_version`, locked by their hashes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';

import { sha256Hex } from '../lib/digest.ts';
import { ColibriError, messageOf, systemCodeOf } from '../lib/errors.ts';
import { translateDbError } from './db-errors.ts';

export const MIGRATIONS_DIRECTORY: string = join(import.meta.dirname, 'migrations');

export const LOCK_FILE = 'lock.json';

const MIGRATION_RE = /^(\d{3})_[a-z0-9_]+\.sql$/;

/** File names in order; the file at index `n` brings the schema to version `n + 1`. Reads no SQL. */
export function listMigrations(directory: string): readonly string[] {
  const files = readInstalled(directory, () => readdirSync(directory))
    .filter((name) => name.endsWith('.sql'))
    .sort();
  for (const [index, file] of files.entries()) {
    if (Number(MIGRATION_RE.exec(file)?.[1]) === index + 1) continue;
    const wanted = String(index + 1).padStart(3, '0');
    throw changed(file, `expected a file ${wanted}_name.sql in its place; number migrations without gaps`);
  }
  return files;
}

/** Throws when a newer Colibri wrote the database. Writes nothing. */
export function refuseFuture(version: number, newest: number, path: string): void {
  if (version <= newest) return;
  const message = `the database ${path} has schema version ${version}, this Colibri knows ${newest}; update Colibri, or name another database`;
  throw new ColibriError('DB_FUTURE', message, { path, version, newest });
}

/** Throws when another program made the database: a name was mistyped, or a workspace brought a link to it. Writes nothing. */
export function refuseForeign(handle: Database.Database): void {
  // One statement, so that a migration beside us is seen as a whole or not at all.
  const sql =
    'SELECT user_version AS version, (SELECT count(*) FROM sqlite_schema) AS objects FROM pragma_user_version';
  const { version, objects } = handle.prepare(sql).get() as { version: number; objects: number };
  if (version !== 0 || objects === 0) return;
  const message = `the database ${handle.name} is not Colibri's; name another, or move it away`;
  throw new ColibriError('DB_FOREIGN', message, { path: handle.name });
}

export function schemaVersion(handle: Database.Database): number {
  return Number(handle.pragma('user_version', { simple: true }));
}

/** Applies what is missing. Safe when two processes do it at once, and after a kill in the middle. */
export function migrate(handle: Database.Database, directory: string = MIGRATIONS_DIRECTORY): void {
  const files = listMigrations(directory);
  const version = schemaVersion(handle);
  refuseFuture(version, files.length, handle.name);
  if (version === files.length) return;
  const texts = readLocked(directory, files);
  for (let index = version; index < files.length; index++) {
    apply(handle, { number: index + 1, file: files[index] ?? '', sql: texts[index] ?? '' });
  }
  // A newer Colibri may have migrated beside us while we waited for its lock.
  refuseFuture(schemaVersion(handle), files.length, handle.name);
}

/** The hash kept in the lock. Line ends do not count, as a checkout may rewrite them. */
export function migrationHash(sql: string): string {
  return sha256Hex(sql.replaceAll('\r\n', '\n'));
}

export function readLock(directory: string): Readonly<Record<string, unknown>> {
  const lock = readInstalled<unknown>(LOCK_FILE, () =>
    JSON.parse(readFileSync(join(directory, LOCK_FILE), 'utf8')),
  );
  if (typeof lock === 'object' && lock !== null) return { ...lock };
  throw changed(LOCK_FILE, 'it must be a JSON object of file names and hashes');
}

interface Migration {
  readonly number: number;
  readonly file: string;
  readonly sql: string;
}

/** All files, also those applied long ago: an edit to an old one means that databases in the field differ from new ones. */
function readLocked(directory: string, files: readonly string[]): readonly string[] {
  const lock = readLock(directory);
  return files.map((file) => {
    const sql = readInstalled(file, () => readFileSync(join(directory, file), 'utf8'));
    const locked = lock[file];
    if (locked === undefined) throw changed(file, `it is not in ${LOCK_FILE}; run \`npm run db:lock\``);
    if (locked === migrationHash(sql)) return sql;
    throw changed(
      file,
      `it differs from its hash in ${LOCK_FILE}; never edit a released migration, add a new one`,
    );
  });
}

function apply(handle: Database.Database, migration: Migration): void {
  const step = handle.transaction(() => {
    // Read again under the write lock: another process may have applied it in the meantime.
    if (schemaVersion(handle) >= migration.number) return;
    handle.exec(migration.sql);
    handle.pragma(`user_version = ${migration.number}`);
  });
  try {
    step.immediate();
  } catch (error) {
    const isOurs =
      systemCodeOf(error)?.startsWith('SQLITE_') && translateDbError(error, handle.name) === error;
    if (!isOurs) throw error;
    const message = `migration ${migration.file} cannot be applied to ${handle.name}: ${messageOf(error)}; nothing of it was kept`;
    const details = { path: handle.name, file: migration.file };
    throw new ColibriError('DB_MIGRATION_FAILED', message, details, { cause: error });
  }
}

/** What goes wrong with files of the installation must not be blamed on the database. */
function readInstalled<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw changed(file, `it cannot be read (${messageOf(error)}); install Colibri again`);
  }
}

function changed(file: string, reason: string): ColibriError {
  return new ColibriError('DB_MIGRATION_CHANGED', `migration ${file}: ${reason}`, { file });
}
