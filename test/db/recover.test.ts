import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import { listMigrations, MIGRATIONS_DIRECTORY, migrationHash, readLock } from '../../src/db/migrate.ts';
import { initDb } from '../../src/db/open.ts';
import { type RecoveryReport, recoverDatabase } from '../../src/db/recover.ts';
import { databaseWithLog, noise, overwrite } from './spoil.ts';
import {
  bytesOf,
  codeOf,
  exitOf,
  filledDatabase,
  PROCESS_MS,
  startProcess,
  temporaryDatabase,
  temporaryDirectory,
} from './temporary-database.ts';
import { AUDITS, audit, SETTINGS } from './temporary-database-rows.ts';

const NOW = new Date('2026-02-03T04:05:06.789Z');
const ASIDE = '.corrupt-20260203T040506.789Z';

/** The pages that hold a table's rows, in order. */
function leavesOf(path: string, table: string): number[] {
  const handle = initDb(path);
  const pages = handle
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
    .pluck()
    .all(table);
  handle.close();
  return pages.map(Number);
}

function spoilPage(path: string, page: number | undefined): void {
  overwrite(path, ((page ?? 1) - 1) * 4096, noise(4096));
}

function counts(report: RecoveryReport): Record<string, string> {
  return Object.fromEntries(
    report.tables.map(({ name, copied, lost, lostIsExact }) => [
      name,
      `${copied} copied, ${lostIsExact ? '' : 'at least '}${lost} lost`,
    ]),
  );
}

/** What stands in the file afterwards; it must open as any other. The recovery's own audit row does not count. */
function rowsIn(path: string): Record<string, unknown> {
  const handle = initDb(path);
  const count = (sql: string) => handle.prepare(sql).pluck().get();
  const rows = {
    audit_log: count("SELECT count(*) FROM audit_log WHERE action <> 'db.recover'"),
    settings: count('SELECT count(*) FROM settings'),
    skills: count('SELECT count(*) FROM skills'),
    integrity: handle.pragma('integrity_check', { simple: true }),
    recoveries: count("SELECT count(*) FROM audit_log WHERE action = 'db.recover'"),
  };
  handle.close();
  return rows;
}

const sound = (audits: number, settings: number) => ({
  audit_log: audits,
  settings,
  skills: 0,
  integrity: 'ok',
  recoveries: 1,
});

/** Recovers, and checks what holds for every recovery. */
function recover(path: string): RecoveryReport {
  const before = bytesOf(path);
  expect(codeOf(() => initDb(path).close())).toBe('DB_CORRUPT');
  const report = recoverDatabase(path, NOW);
  expect(report).toMatchObject({ path, movedTo: path + ASIDE, healthy: false });
  expect(bytesOf(report.movedTo)).toEqual(before);
  const left = readdirSync(dirname(path)).filter((name) => !name.startsWith(basename(report.movedTo)));
  expect(left).toEqual(['colibri.db']);
  return report;
}

describe('recovering', () => {
  test('copies every row but those of a spoiled page, and counts these by an index', () => {
    const path = filledDatabase();
    const leaves = leavesOf(path, 'audit_log');
    spoilPage(path, leaves[20]);
    const report = recover(path);
    const audits = report.tables.find(({ name }) => name === 'audit_log');
    expect(counts(report)['settings']).toBe(`${SETTINGS} copied, 0 lost`);
    expect(audits?.lostIsExact).toBe(true);
    expect((audits?.copied ?? 0) + (audits?.lost ?? 0)).toBe(AUDITS);
    expect(audits?.lost).toBeGreaterThan(5);
    expect(audits?.lost).toBeLessThan(40);
    expect(rowsIn(path)).toEqual(sound(audits?.copied ?? 0, SETTINGS));
  });

  test('reaches the rows between two spoiled pages', () => {
    const path = filledDatabase();
    const leaves = leavesOf(path, 'audit_log');
    spoilPage(path, leaves[5]);
    spoilPage(path, leaves[leaves.length - 6]);
    const audits = recover(path).tables.find(({ name }) => name === 'audit_log');
    expect(audits?.lost).toBeLessThan(80);
    expect((audits?.copied ?? 0) + (audits?.lost ?? 0)).toBe(AUDITS);
  });

  test('keeps rows in their order', () => {
    const path = filledDatabase();
    spoilPage(path, leavesOf(path, 'audit_log')[20]);
    recover(path);
    const handle = initDb(path);
    const ids = handle.prepare("SELECT id FROM audit_log WHERE action = 'act' ORDER BY rowid").pluck().all();
    handle.close();
    expect(ids).toEqual([...ids].sort());
  });

  test('says "at least" when no index can count', () => {
    const path = filledDatabase();
    spoilPage(path, leavesOf(path, 'settings')[1]);
    spoilPage(path, leafOfTwin(path, 'sqlite_autoindex_settings_1'));
    const settings = recover(path).tables.find(({ name }) => name === 'settings');
    expect(settings).toMatchObject({ lostIsExact: false });
    expect(settings?.lost).toBeGreaterThan(0);
    expect(settings?.copied).toBeGreaterThan(SETTINGS / 2);
  });

  test('a spoiled file header costs no row', () => {
    const path = filledDatabase();
    overwrite(path, 0, noise(100));
    expect(counts(recover(path))).toMatchObject({
      audit_log: `${AUDITS} copied, 0 lost`,
      settings: `${SETTINGS} copied, 0 lost`,
    });
    expect(rowsIn(path)).toEqual(sound(AUDITS, SETTINGS));
  });

  test('a truncated file gives what its first part holds', () => {
    const path = filledDatabase();
    // In the middle of a page, and far behind the schema, which grows with every migration.
    truncateSync(path, Math.floor((statSync(path).size * 3) / 4) + 100);
    const report = recover(path);
    const audits = report.tables.find(({ name }) => name === 'audit_log');
    expect(audits?.copied).toBeGreaterThan(0);
    expect(audits?.copied).toBeLessThan(AUDITS);
    expect(rowsIn(path)).toMatchObject({ audit_log: audits?.copied, integrity: 'ok' });
  });

  test('a file that is no database gives an empty one', () => {
    const path = temporaryDatabase();
    writeFileSync(path, 'this is a shopping list\n'.repeat(2_000));
    expect(counts(recover(path))).toMatchObject({
      audit_log: '0 copied, at least 0 lost',
      settings: '0 copied, at least 0 lost',
    });
    expect(rowsIn(path)).toEqual(sound(0, 0));
  });

  test('an empty file gives an empty database', () => {
    const path = temporaryDatabase();
    writeFileSync(path, '');
    expect(recoverDatabase(path, NOW)).toMatchObject({ healthy: false, movedTo: path + ASIDE });
    expect(rowsIn(path)).toEqual(sound(0, 0));
  });

  test('a spoiled log costs what lies behind the damage and says so', () => {
    const path = databaseWithLog();
    overwrite(`${path}-wal`, 32 + (24 + 4096) * 30 + 500, noise(100));
    const report = recover(path);
    const audits = report.tables.find(({ name }) => name === 'audit_log');
    expect(audits?.lostIsExact).toBe(false);
    expect(audits?.copied).toBeGreaterThan(0);
    expect(audits?.copied).toBeLessThan(50);
    expect(existsSync(`${report.movedTo}-wal`)).toBe(true);
  });

  test('random bytes instead of the log cost the log only', () => {
    const path = databaseWithLog();
    writeFileSync(`${path}-wal`, noise(40_000));
    expect(counts(recover(path))['settings']).toBe('1 copied, at least 0 lost');
  });

  test('an emptied file beside its log gives what the log holds', () => {
    const path = temporaryDatabase();
    const handle = initDb(path);
    for (let n = 0; n < 50; n++) audit(handle, n);
    const copy = join(temporaryDirectory(), 'colibri.db');
    writeFileSync(copy, '');
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    handle.close();
    expect(counts(recover(copy))['audit_log']).toBe('50 copied, at least 0 lost');
  });

  test('whatever bytes flip, it ends with a sound database and honest numbers', () => {
    const sound = filledDatabase();
    const bytes = readFileSync(sound);
    // A small generator with a fixed seed, so that a failure can be repeated.
    let state = 20_260_203;
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 15; round++) {
      const path = temporaryDatabase();
      writeFileSync(path, bytes);
      for (let flips = 1 + random(12); flips > 0; flips--) {
        overwrite(path, random(bytes.length - 64), noise(64).slice(0, 1 + random(63)));
      }
      const { tables } = recoverDatabase(path, NOW, { force: true });
      const rows = rowsIn(path);
      expect(rows).toMatchObject({ skills: 0, integrity: 'ok', recoveries: 1 });
      for (const { name, copied } of tables.filter((table) => table.name in rows))
        expect({ round, name, rows: rows[name] }).toEqual({ round, name, rows: copied });
    }
  });

  test('copies tables of later migrations too: integer keys, big numbers, blobs', () => {
    const directory = join(temporaryDirectory(), 'migrations');
    cpSync(MIGRATIONS_DIRECTORY, directory, { recursive: true });
    const file = `${String(listMigrations(directory).length + 1).padStart(3, '0')}_things.sql`;
    const sql =
      'CREATE TABLE things (id INTEGER PRIMARY KEY, big INTEGER, blob BLOB, "odd ""name" TEXT) STRICT;';
    writeFileSync(join(directory, file), sql);
    const lock = { ...readLock(directory), [file]: migrationHash(sql) };
    writeFileSync(join(directory, 'lock.json'), JSON.stringify(lock));
    const path = temporaryDatabase();
    const options = { migrationsDirectory: directory };
    const before = initDb(path, options);
    before.exec("INSERT INTO things VALUES (7, 9007199254740993, x'00ff', NULL), (9, -1, NULL, 'text')");
    const rows = before.prepare('SELECT * FROM things').safeIntegers().all();
    before.close();
    overwrite(path, 0, noise(100));
    expect(counts(recoverDatabase(path, NOW, options))['things']).toBe('2 copied, 0 lost');
    const after = initDb(path, options);
    expect(after.prepare('SELECT * FROM things').safeIntegers().all()).toEqual(rows);
    after.close();
  });

  test('the triggers of the new file are back in force', () => {
    const path = filledDatabase();
    overwrite(path, 0, noise(16));
    recover(path);
    const handle = initDb(path);
    expect(() => handle.exec('DELETE FROM audit_log')).toThrow('append-only');
    handle.close();
  });
});

function leafOfTwin(path: string, index: string): number {
  const sound = filledDatabase();
  expect(readFileSync(sound).length).toBe(readFileSync(path).length);
  return leavesOf(sound, index)[0] ?? 0;
}

describe('what is not recovered', () => {
  test('a healthy database is refused and untouched, unless forced', () => {
    const path = filledDatabase();
    const before = bytesOf(path);
    expect(codeOf(() => recoverDatabase(path, NOW))).toBe('DB_HEALTHY');
    expect(bytesOf(path)).toEqual(before);
    expect(readdirSync(dirname(path))).toEqual(['colibri.db']);
    const report = recoverDatabase(path, NOW, { force: true });
    expect({ healthy: report.healthy, ...counts(report) }).toMatchObject({
      healthy: true,
      audit_log: `${AUDITS} copied, 0 lost`,
      settings: `${SETTINGS} copied, 0 lost`,
    });
  });

  test('a database that is not there is refused', () => {
    expect(codeOf(() => recoverDatabase(temporaryDatabase(), NOW))).toBe('DB_UNWRITABLE');
  });

  test('a newer database is refused: tables unknown here would be left behind', () => {
    const path = temporaryDatabase();
    const handle = initDb(path);
    handle.pragma('user_version = 77');
    handle.close();
    expect(codeOf(() => recoverDatabase(path, NOW))).toBe('DB_FUTURE');
  });
});

describe('a recovery that is killed', () => {
  test(
    'at any moment leaves the old or the new, and the next one completes',
    async () => {
      const outcomes: unknown[] = [];
      for (const delay of [0, 8, 20, 45]) {
        const path = filledDatabase();
        overwrite(path, 0, noise(100));
        const child = startProcess('recover', path);
        const exit = exitOf(child);
        await new Promise((resolve) => child.stdout?.once('data', resolve));
        await sleep(delay);
        child.kill('SIGKILL');
        await exit;
        const code = codeOf(() => initDb(path).close());
        if (code !== 'opened') recoverDatabase(path, NOW);
        outcomes.push([code, rowsIn(path)]);
      }
      for (const outcome of outcomes) {
        expect(outcome).toEqual([expect.stringMatching(/DB_CORRUPT|opened/), sound(AUDITS, SETTINGS)]);
      }
    },
    PROCESS_MS,
  );

  test.each([
    ['nothing', []],
    ['the log', ['-wal']],
    ['log and file', ['-wal', '']],
  ] as const)('in the swap, with %s moved: is refused by open and completed by the next run', (_, moved) => {
    const path = databaseWithLog();
    spoilPage(path, leavesOf(databaseWithLog(), 'idx_skills_greek')[0]);
    const source = join(temporaryDirectory(), 'colibri.db');
    for (const side of ['', '-wal']) copyFileSync(path + side, source + side);
    const report = recoverDatabase(source, NOW);
    // Rebuild the state just before the swap, then take the first steps of it.
    copyFileSync(source, `${path}.recovered`);
    const aside = report.movedTo;
    for (const side of moved) copyFileSync(path + side, aside + side);
    for (const side of moved) unlinkSync(path + side);
    expect(codeOf(() => initDb(path))).toBe('DB_CORRUPT');
    const finished = recoverDatabase(path, NOW);
    expect(finished.tables).toEqual(report.tables);
    expect(rowsIn(path)).toEqual(sound(50, 1));
    expect(existsSync(`${path}.recovered`)).toBe(false);
    expect(existsSync(aside)).toBe(true);
    expect(existsSync(`${aside}-wal`)).toBe(true);
  });
});
