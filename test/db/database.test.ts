import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import { type ColibriDatabase, openDatabase } from '../../src/db/database.ts';
import { initDb } from '../../src/db/open.ts';
import { openRecords } from '../../src/db/records.ts';
import {
  exitOf,
  PROCESS_MS,
  startProcess,
  temporaryDatabase,
  temporaryDirectory,
} from './temporary-database.ts';

interface Schema {
  readonly settings: { readonly key: string; readonly value: string; readonly updated_at: string };
}

const row = (key: string) => ({ key, value: 'v', updated_at: 't' });

function rawInsert(db: ColibriDatabase, key: string): void {
  db.handle
    .transaction(() => db.handle.prepare("INSERT INTO settings VALUES (?, 'v', 't')").run(key))
    .immediate();
}

function keysOf(db: ColibriDatabase): unknown[] {
  return db.handle.prepare('SELECT key FROM settings ORDER BY rowid').pluck().all();
}

describe('one connection, one queue', () => {
  test('record transactions and raw transactions never interleave', async () => {
    const db = openDatabase(':memory:');
    const records = await db.records<Schema>();
    const slow = db.write(() =>
      records.transaction().execute(async (trx) => {
        await trx.insertInto('settings').values(row('record-1')).execute();
        await sleep(10);
        await trx.insertInto('settings').values(row('record-2')).execute();
        throw new Error('undo');
      }),
    );
    const raw = db.write(() => rawInsert(db, 'raw'));
    await expect(slow).rejects.toThrow('undo');
    await raw;
    // Had the raw one run in the pause, it would have become part of the other and been undone with it.
    expect(keysOf(db)).toEqual(['raw']);
    await db.close();
  });

  test('a record transaction outside of write is refused', async () => {
    const db = openDatabase(':memory:');
    const records = await db.records<Schema>();
    await expect(records.transaction().execute(async () => 'never')).rejects.toThrow('inside db.write');
    await expect(db.write(() => records.transaction().execute(async () => 'fine'))).resolves.toBe('fine');
    await db.close();
  });

  test('record transactions take the write lock at once', async () => {
    const path = temporaryDatabase();
    const db = openDatabase(path);
    const other = initDb(path, { busyTimeoutMs: 0 });
    const records = await db.records<Schema>();
    await db.write(() =>
      records.transaction().execute(async () => {
        expect(() => other.exec('BEGIN IMMEDIATE')).toThrow('locked');
      }),
    );
    other.close();
    await db.close();
  });

  test('a full disk in a record transaction is reported as such, and the next write works', async () => {
    const db = openDatabase(':memory:');
    const records = await db.records<Schema>();
    const pages = Number(db.handle.pragma('page_count', { simple: true }));
    db.handle.pragma(`max_page_count = ${pages + 2}`);
    const big = { ...row('big'), value: 'x'.repeat(100_000) };
    const write = db.write(() =>
      records.transaction().execute((trx) => trx.insertInto('settings').values(big).execute()),
    );
    await expect(write).rejects.toMatchObject({ code: 'DB_UNWRITABLE' });
    await db.write(() => rawInsert(db, 'small'));
    expect(keysOf(db)).toEqual(['small']);
    await db.close();
  });

  test('a write that forgets to end its transaction is undone and told', async () => {
    const db = openDatabase(':memory:');
    const write = db.write(() => {
      db.handle.exec("BEGIN; INSERT INTO settings VALUES ('a', 'b', 'c')");
    });
    await expect(write).rejects.toThrow('transaction open');
    await db.write(() => rawInsert(db, 'next'));
    expect(keysOf(db)).toEqual(['next']);
    await db.close();
  });

  test('destroying the records leaves the connection open', async () => {
    const handle = initDb(':memory:');
    const records = openRecords<Schema>(handle);
    await records.insertInto('settings').values(row('a')).execute();
    await records.destroy();
    expect(handle.open).toBe(true);
    handle.close();
  });

  test('close waits for queued writes, empties the log, and may be called twice', async () => {
    const path = temporaryDatabase();
    const db = openDatabase(path);
    const write = db.write(async () => {
      await sleep(5);
      rawInsert(db, 'late');
    });
    await Promise.all([db.close(), db.close(), write]);
    await db.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
    await expect(db.write(() => 'never')).rejects.toMatchObject({ code: 'DB_CLOSED' });
    const again = openDatabase(path);
    expect(keysOf(again)).toEqual(['late']);
    await again.close();
  });

  test('close beside a reading connection neither fails nor waits for it', async () => {
    const path = temporaryDatabase();
    const [one, two] = [openDatabase(path), openDatabase(path)];
    const reading = two.handle.prepare('SELECT name FROM sqlite_schema').iterate();
    reading.next();
    await one.write(() => rawInsert(one, 'a'));
    const started = performance.now();
    await one.close();
    expect(performance.now() - started).toBeLessThan(1_000);
    reading.return?.();
    await two.close();
  });

  test('opening does not load Kysely', () => {
    // A tree in which Kysely cannot be found: only `records` may notice.
    const directory = temporaryDirectory();
    for (const part of ['db', 'lib'])
      cpSync(`src/${part}`, join(directory, 'src', part), { recursive: true });
    mkdirSync(join(directory, 'node_modules'));
    symlinkSync(resolve('node_modules/better-sqlite3'), join(directory, 'node_modules/better-sqlite3'));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(directory, 'main.ts'),
      `import { openDatabase } from './src/db/database.ts';
       const db = openDatabase(':memory:');
       process.stdout.write('opened ');
       await db.records().catch((error) => process.stdout.write(error.code));
       await db.close();`,
    );
    const tsx = import.meta.resolve('tsx');
    const child = spawnSync(process.execPath, ['--import', tsx, 'main.ts'], {
      cwd: directory,
      encoding: 'utf8',
    });
    expect(child.stderr).toBe('');
    expect(child.stdout).toBe('opened ERR_MODULE_NOT_FOUND');
  });
});

test(
  'what a killed process was told is written is there',
  async () => {
    const path = temporaryDatabase();
    let next = 0;
    for (const delay of [5, 40, 110]) {
      const child = startProcess('write', path, String(next));
      let told = '';
      child.stdout?.on('data', (chunk) => {
        told += String(chunk);
      });
      const exit = exitOf(child);
      while (told === '' && child.exitCode === null) await sleep(2);
      await sleep(delay);
      child.kill('SIGKILL');
      await exit;
      const acknowledged = told.split('\n').filter(Boolean).length;
      const handle = initDb(path);
      const stored = Number(handle.prepare('SELECT count(*) FROM audit_log').pluck().get());
      handle.close();
      expect(stored - next).toBeGreaterThanOrEqual(acknowledged);
      next = stored;
    }
  },
  PROCESS_MS,
);
