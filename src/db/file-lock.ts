/** A lock between processes that ends with its holder, also by `kill -9`: SQLite's lock on a file that holds nothing. */
import Database from 'better-sqlite3';

import { systemCodeOf } from '../lib/errors.ts';

export interface FileLock {
  release(): void;
}

/** Null while somebody else holds it, in this process or another. The folder has to exist. */
export function tryFileLock(file: string): FileLock | null {
  const handle = new Database(file, { timeout: 0 });
  try {
    handle.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    handle.close();
    if (systemCodeOf(error)?.startsWith('SQLITE_BUSY') === true) return null;
    throw error;
  }
  return {
    release() {
      handle.exec('ROLLBACK');
      handle.close();
    },
  };
}
