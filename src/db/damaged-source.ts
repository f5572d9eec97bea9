import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';

import { systemCodeOf } from '../lib/errors.ts';
import { hasContent } from './database-file.ts';

const HEADER_BYTES = 100;
const PAGE_BYTES = 4_096;

/**
 * Opens a scratch copy of a damaged file as far as that goes; in the worst case as a database without tables.
 * `soundPath` is a database of our own making that lends its file header.
 */
export function openDamaged(scratchPath: string, soundPath: string): Database.Database {
  // SQLite deletes the log of an empty file; behind a header it reads the pages that the log holds.
  if (!hasContent(scratchPath)) lendHeader(scratchPath, soundPath);
  const handle = openLenient(scratchPath);
  if (handle !== undefined) return handle;
  lendHeader(scratchPath, soundPath);
  return openLenient(scratchPath) ?? new Database(':memory:');
}

/** `undefined` when SQLite cannot read on; everything else is thrown. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (systemCodeOf(error)?.startsWith('SQLITE_')) return undefined;
    throw error;
  }
}

function openLenient(path: string): Database.Database | undefined {
  const handle = new Database(path);
  // Takes a schema that is damaged in part; the driver forbids that unless told.
  handle.unsafeMode(true);
  const opened = attempt(() => {
    handle.pragma('writable_schema = ON');
    handle.pragma('trusted_schema = OFF');
    handle.pragma('cell_size_check = ON');
    return handle.prepare('SELECT count(*) FROM sqlite_schema').get();
  });
  if (opened !== undefined) return handle;
  handle.close();
  return undefined;
}

/** Puts the first 100 bytes right. The tables begin behind them and may well be whole. */
function lendHeader(path: string, soundPath: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const sound = openSync(soundPath, 'r');
  readSync(sound, header, 0, HEADER_BYTES, 0);
  closeSync(sound);
  // Size, free list and largest root page belong to the other file; zero lets SQLite go by the size of this one.
  header.fill(0, 28, 40);
  header.fill(0, 52, 56);
  const empty = !hasContent(path);
  const file = openSync(path, empty ? 'w' : 'r+');
  if (empty) writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, 0);
  writeSync(file, header, 0, HEADER_BYTES, 0);
  closeSync(file);
}
