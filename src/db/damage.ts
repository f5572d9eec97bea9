import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';

import { messageOf, systemCodeOf } from '../lib/errors.ts';
import { hasContent } from './database-file.ts';
import { schemaVersion } from './migrate.ts';
import { findWalDamage } from './wal.ts';

export interface Inspection {
  /** What is wrong, in words; `undefined` when nothing was found. */
  readonly damage: string | undefined;
  /** The schema version, where it could be read. */
  readonly version: number | undefined;
}

export interface InspectOptions {
  /** `quick` walks every page; `none` looks at the log's header and reads the schema. */
  readonly check: 'quick' | 'none';
  readonly timeout: number;
}

/** Looks at an existing database without changing a byte of it. Failures that are not damage are thrown as they come. */
export function inspectDatabase(path: string, { check, timeout }: InspectOptions): Inspection {
  const wal = `${path}-wal`;
  if (hasContent(wal)) {
    // SQLite would delete the log of an empty file, and the writes in it.
    if (!hasContent(path)) return damaged('it is empty or missing while its write-ahead log is not');
    const damage = findWalDamage(wal, { frames: check === 'quick' });
    if (damage !== undefined) return damaged(damage);
  }
  if (!hasContent(path)) return { damage: undefined, version: 0 };
  return inspectFile(path, { check, timeout });
}

function inspectFile(path: string, { check, timeout }: InspectOptions): Inspection {
  // Closing a writable connection folds the log into the file, so a file with a log is read through a read-only one. Elsewhere
  // a read-only one would leave an empty log behind, or could not undo a half-done write after a kill in rollback mode.
  const readonly = hasContent(`${path}-wal`) && !existsSync(`${path}-journal`);
  const handle = new Database(path, { readonly, fileMustExist: true, timeout });
  try {
    const version = schemaVersion(handle);
    if (version < 0) return damaged(`its schema version is ${version}`);
    handle.prepare('SELECT count(*) FROM sqlite_schema').get();
    if (check === 'none') return { damage: undefined, version };
    handle.pragma('cell_size_check = ON');
    const finding = handle.pragma('quick_check(1)', { simple: true });
    return { damage: finding === 'ok' ? undefined : String(finding), version };
  } catch (error) {
    const code = systemCodeOf(error) ?? '';
    // These statements are right, so when SQLite calls one wrong it is the file that is.
    if (/^SQLITE_(?:CORRUPT|NOTADB|ERROR)/.test(code)) return damaged(messageOf(error));
    // Something must be rolled back or rebuilt before it can be read; the writable connection does that, or says why not.
    if (code.startsWith('SQLITE_READONLY')) return { damage: undefined, version: undefined };
    throw error;
  } finally {
    handle.close();
  }
}

function damaged(damage: string): Inspection {
  return { damage, version: undefined };
}
