import { copyFileSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { databaseMark } from '../../src/db/database-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/** Long after everything that the tests write. */
const LATER = Date.now() + 60_000;

function database(): { readonly file: string; readonly db: Database.Database } {
  const file = path.join(temporaryDirectory(), 'some.db');
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE things (name TEXT)');
  return { file, db };
}

test('a mark stays while nothing is written, and changes with every write', () => {
  const { file, db } = database();
  db.close();
  const first = databaseMark(file, LATER);
  expect(first).toEqual(expect.any(String));
  const reader = new Database(file);
  expect(reader.prepare('SELECT count(*) FROM things').pluck().get()).toBe(0);
  reader.close();
  expect(databaseMark(file, LATER)).toBe(first);
  const writer = new Database(file);
  writer.exec("INSERT INTO things VALUES ('one')");
  // It stands in the log alone.
  expect(databaseMark(file, LATER)).toBeNull();
  writer.close();
  expect(databaseMark(file, LATER)).not.toBe(first);
});

test('a file of the same size and time has another mark', () => {
  const { file, db } = database();
  db.close();
  const first = databaseMark(file, LATER);
  const { atime, mtime } = statSync(file);
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
  utimesSync(file, atime, mtime);
  expect(databaseMark(file, LATER)).not.toBe(first);
});

test('there is no mark of what was written just now, of links, and while a recovery waits', () => {
  const { file, db } = database();
  db.close();
  expect(databaseMark(file, statSync(file).ctimeMs + 10)).toBeNull();
  expect(databaseMark(file, statSync(file).ctimeMs + 21)).toEqual(expect.any(String));
  symlinkSync(file, `${file}.link`);
  expect(databaseMark(`${file}.link`, LATER)).toBeNull();
  expect(databaseMark(path.dirname(file), LATER)).toBeNull();
  expect(databaseMark(`${file}.none`, LATER)).toBeNull();
  expect(databaseMark(':memory:', LATER)).toBeNull();
  writeFileSync(`${file}.recovered`, '');
  expect(databaseMark(file, LATER)).toBeNull();
});
