import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { initDb } from '../../src/db/open.ts';
import { temporaryDatabase, temporaryDirectory } from './temporary-database.ts';
import { audit } from './temporary-database-rows.ts';

export function overwrite(path: string, at: number, bytes: Uint8Array): void {
  const content = readFileSync(path);
  content.set(bytes, at);
  writeFileSync(path, content);
}

/** Bytes without sense, the same ones every time. */
export function noise(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 167 + 91) % 251);
}

/** A row in the file and fifty commits in its log, as after a kill. */
export function databaseWithLog(): string {
  const path = temporaryDatabase();
  const handle = initDb(path);
  handle.exec("INSERT INTO settings VALUES ('a', 'b', 'c')");
  handle.pragma('wal_checkpoint(TRUNCATE)');
  for (let n = 0; n < 50; n++) audit(handle, n);
  const copy = join(temporaryDirectory(), 'colibri.db');
  copyFileSync(path, copy);
  copyFileSync(`${path}-wal`, `${copy}-wal`);
  handle.close();
  return copy;
}
