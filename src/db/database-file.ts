/** The database as a file among others, looked at without opening it. */
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { isRacy, markOf } from '../lib/file-mark.ts';

const LINKS_MAX = 40;

/** The file behind a link, also when it is not there: SQLite keeps the log beside the file, not beside the link. */
export function databaseFile(path: string): string {
  let file = path;
  for (let links = 0; links < LINKS_MAX; links++) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return file;
    file = resolve(dirname(file), readlinkSync(file));
  }
  return path;
}

/** Where a finished recovery waits to take the place of the damaged file. */
export function recoveredPath(file: string): string {
  return `${file}.recovered`;
}

export function hasContent(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Differs whenever the database may hold something else than before. Null: it takes opening it to tell. */
export function databaseMark(file: string, now: number): string | null {
  // The log is looked at first: what has left it stands in the file by then, and shows in its times.
  if (hasContent(`${file}-wal`) || existsSync(recoveredPath(file))) return null;
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats?.isFile() !== true || isRacy({ ctimeMs: Number(stats.ctimeMs) }, now)) return null;
  return markOf(stats);
}
