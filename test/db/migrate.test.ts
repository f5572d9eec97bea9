import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';

import {
  listMigrations,
  MIGRATIONS_DIRECTORY,
  migrate,
  migrationHash,
  readLock,
} from '../../src/db/migrate.ts';
import { initDb } from '../../src/db/open.ts';
import {
  bytesOf,
  codeOf,
  exitOf,
  PROCESS_MS,
  startProcess,
  temporaryDatabase,
  temporaryDirectory,
} from './temporary-database.ts';

const FILES = listMigrations(MIGRATIONS_DIRECTORY);
const NEWEST = FILES.length;
const NEXT = String(NEWEST + 1).padStart(3, '0');

/** A copy of the migrations, cut after `upTo`, that a test may spoil. */
function migrationsUpTo(upTo: number): string {
  const directory = join(temporaryDirectory(), 'migrations');
  cpSync(MIGRATIONS_DIRECTORY, directory, { recursive: true });
  for (const file of FILES.slice(upTo)) rmSync(join(directory, file));
  return directory;
}

function addMigration(directory: string, file: string, sql: string): void {
  writeFileSync(join(directory, file), sql);
  writeFileSync(
    join(directory, 'lock.json'),
    JSON.stringify({ ...readLock(directory), [file]: migrationHash(sql) }),
  );
}

function schemaOf(handle: Database.Database): unknown[] {
  return handle.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all();
}

describe('the schema', () => {
  test('goes from nothing to the newest version, one by one', () => {
    const path = temporaryDatabase();
    const numbers = FILES.map((_, index) => index + 1);
    const versions = numbers.map((upTo) => {
      const handle = initDb(path, { migrationsDirectory: migrationsUpTo(upTo) });
      const version = handle.pragma('user_version', { simple: true });
      handle.close();
      return version;
    });
    expect(versions).toEqual(numbers);
    expect(FILES[2]).toBe('003_skills.sql');
  });

  test.each(FILES.map((_, index) => index))('from version %i ends the same as from nothing', (start) => {
    const fresh = initDb(':memory:');
    const path = temporaryDatabase();
    if (start > 0) initDb(path, { migrationsDirectory: migrationsUpTo(start) }).close();
    const handle = initDb(path);
    expect(schemaOf(handle)).toEqual(schemaOf(fresh));
    handle.close();
    fresh.close();
  });

  test('003 is the table and index of the contract, letter by letter', () => {
    const sql = readFileSync(join(MIGRATIONS_DIRECTORY, '003_skills.sql'), 'utf8');
    expect(sql).toContain(`CREATE TABLE skills (
  name TEXT PRIMARY KEY,
  description TEXT NOT NULL,
  version TEXT,
  entrypoint TEXT,
  capabilities TEXT NOT NULL DEFAULT '[]',   -- JSON array of capability strings
  greek_letter TEXT,
  body TEXT NOT NULL,
  source_path TEXT NOT NULL,
  frontmatter_json TEXT NOT NULL,
  loaded_at TEXT NOT NULL
);

CREATE INDEX idx_skills_greek ON skills(greek_letter);
`);
  });

  test('a skill written with the columns of 003 gets safe facts', () => {
    const handle = initDb(':memory:');
    handle
      .prepare(
        "INSERT INTO skills (name, description, body, source_path, frontmatter_json, loaded_at) VALUES ('a', 'b', 'c', 'd', '{}', 'e')",
      )
      .run();
    expect(handle.prepare('SELECT * FROM skills').get()).toMatchObject({
      name: 'a',
      description: 'b',
      version: null,
      entrypoint: null,
      capabilities: '[]',
      greek_letter: null,
      body: 'c',
      source_path: 'd',
      frontmatter_json: '{}',
      loaded_at: 'e',
      tier: 2,
      invokable_by: '["T0","T1","T2","T3"]',
      source: 'workspace',
      root: '',
      directory: '',
      category: null,
      license: null,
      compatibility: null,
      metadata: '{}',
      allowed_tools: '[]',
      triggers: '[]',
      required_tools: '[]',
      workflow: '[]',
      verification: '[]',
      digest: '',
      body_version: '',
      body_tokens: 0,
      diagnostics: '[]',
      search_text: '',
    });
    handle.close();
  });

  test('the audit log takes new rows and refuses to change or lose old ones', () => {
    const handle = initDb(':memory:');
    handle.exec(
      "INSERT INTO audit_log (id, at, actor, action, subject, outcome) VALUES ('1', 't', 'a', 'b', 'c', 'ok')",
    );
    expect(() => handle.exec("UPDATE audit_log SET actor = 'x'")).toThrow('append-only');
    expect(() => handle.exec('DELETE FROM audit_log')).toThrow('append-only');
    handle.close();
  });
});

describe('the lock', () => {
  test('holds every migration and nothing else', () => {
    const hashes = FILES.map((file) => [
      file,
      migrationHash(readFileSync(join(MIGRATIONS_DIRECTORY, file), 'utf8')),
    ]);
    expect(readLock(MIGRATIONS_DIRECTORY)).toEqual(Object.fromEntries(hashes));
  });

  test('refuses an edited migration, an old one too, and says to add a new one', () => {
    const path = temporaryDatabase();
    initDb(path, { migrationsDirectory: migrationsUpTo(NEWEST - 1) }).close();
    const directory = migrationsUpTo(NEWEST);
    appendFileSync(join(directory, '001_audit_log.sql'), '-- one more line\n');
    const before = bytesOf(path);
    const open = () => initDb(path, { migrationsDirectory: directory });
    expect(codeOf(open)).toBe('DB_MIGRATION_CHANGED');
    expect(open).toThrow(/001_audit_log\.sql: it differs .* never edit a released migration, add a new one/);
    expect(bytesOf(path)).toEqual(before);
  });

  test('refuses a migration that it does not know', () => {
    const directory = migrationsUpTo(NEWEST);
    const file = `${NEXT}_more.sql`;
    writeFileSync(join(directory, file), 'CREATE TABLE more (a TEXT) STRICT;');
    expect(codeOf(() => initDb(':memory:', { migrationsDirectory: directory }))).toBe('DB_MIGRATION_CHANGED');
    expect(() => initDb(':memory:', { migrationsDirectory: directory })).toThrow('npm run db:lock');
  });

  test('does not mind rewritten line ends', () => {
    const directory = migrationsUpTo(NEWEST);
    for (const file of FILES) {
      const text = readFileSync(join(directory, file), 'utf8');
      writeFileSync(join(directory, file), text.replaceAll('\n', '\r\n'));
    }
    expect(codeOf(() => initDb(':memory:', { migrationsDirectory: directory }).close())).toBe('opened');
  });
});

test('a gap in the numbers is refused', () => {
  const directory = migrationsUpTo(NEWEST);
  renameSync(join(directory, FILES[NEWEST - 1] ?? ''), join(directory, `${NEXT}_later.sql`));
  expect(codeOf(() => initDb(':memory:', { migrationsDirectory: directory }))).toBe('DB_MIGRATION_CHANGED');
  expect(() => initDb(':memory:', { migrationsDirectory: directory })).toThrow('without gaps');
});

test.each(['quick', 'none'] as const)(
  'a newer database is refused unread and unwritten (check %s)',
  (check) => {
    const path = temporaryDatabase();
    const newer = new Database(path);
    newer.pragma('user_version = 77');
    newer.close();
    const before = bytesOf(path);
    expect(codeOf(() => initDb(path, { check }))).toBe('DB_FUTURE');
    expect(() => initDb(path, { check })).toThrow(
      `schema version 77, this Colibri knows ${NEWEST}; update Colibri`,
    );
    expect(bytesOf(path)).toEqual(before);
  },
);

test('a database of another program is refused, also behind a link, and not a byte of it is changed', () => {
  const path = join(temporaryDirectory(), 'cookies.sqlite');
  const foreign = new Database(path);
  foreign.exec('CREATE TABLE cookies (name TEXT); INSERT INTO cookies VALUES (1)');
  foreign.close();
  const before = bytesOf(path);
  const link = join(temporaryDirectory(), 'colibri.db');
  symlinkSync(path, link);
  for (const named of [path, link]) {
    expect(codeOf(() => initDb(named))).toBe('DB_FOREIGN');
    expect(codeOf(() => initDb(named, { check: 'none' }))).toBe('DB_FOREIGN');
  }
  expect(bytesOf(path)).toEqual(before);
});

test('missing migrations are blamed on the installation, not on the database', () => {
  const directory = join(temporaryDirectory(), 'nowhere');
  expect(codeOf(() => initDb(':memory:', { migrationsDirectory: directory }))).toBe('DB_MIGRATION_CHANGED');
  const unlocked = migrationsUpTo(NEWEST);
  writeFileSync(join(unlocked, 'lock.json'), '{');
  expect(codeOf(() => initDb(':memory:', { migrationsDirectory: unlocked }))).toBe('DB_MIGRATION_CHANGED');
});

test('a migration that fails is undone as a whole and named', () => {
  const directory = migrationsUpTo(NEWEST);
  const file = `${NEXT}_broken.sql`;
  addMigration(directory, file, 'CREATE TABLE half (a TEXT) STRICT; CREATE TABLE settings (a TEXT);');
  const path = temporaryDatabase();
  expect(codeOf(() => initDb(path, { migrationsDirectory: directory }))).toBe('DB_MIGRATION_FAILED');
  const handle = initDb(path);
  expect(handle.pragma('user_version', { simple: true })).toBe(NEWEST);
  expect(handle.prepare("SELECT name FROM sqlite_schema WHERE name = 'half'").all()).toEqual([]);
  handle.close();
});

test('with nothing to do, no migration is read', () => {
  const handle = initDb(':memory:');
  const directory = temporaryDirectory();
  // Empty files and no lock: reading any of them would be refused.
  for (const file of FILES) writeFileSync(join(directory, file), '');
  expect(() => migrate(handle, directory)).not.toThrow();
  expect(readdirSync(directory)).toHaveLength(NEWEST);
  handle.close();
});

describe('processes', () => {
  test(
    'several that create the database at once all succeed',
    async () => {
      const path = temporaryDatabase();
      const exits = await Promise.all(Array.from({ length: 4 }, () => exitOf(startProcess('open', path))));
      expect(exits).toEqual([0, 0, 0, 0]);
      const handle = initDb(path);
      expect(handle.pragma('user_version', { simple: true })).toBe(NEWEST);
      handle.close();
    },
    PROCESS_MS,
  );

  test(
    'a kill in the middle of migrating loses nothing: the next open goes on',
    async () => {
      const directory = migrationsUpTo(NEWEST);
      // Long enough that kills land inside it.
      addMigration(
        directory,
        `${NEXT}_slow.sql`,
        'CREATE TABLE slow (n INTEGER); WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 600000) INSERT INTO slow SELECT n FROM c;',
      );
      const landed: number[] = [];
      for (const delay of [0, 30, 90, 180, 260]) {
        const path = temporaryDatabase();
        const child = startProcess('open', path, directory);
        const exit = exitOf(child);
        while (child.exitCode === null && bytesOf(path)[0] === undefined) await sleep(2);
        await sleep(delay);
        child.kill('SIGKILL');
        await exit;
        const left = new Database(path);
        landed.push(Number(left.pragma('user_version', { simple: true })));
        left.close();
        const handle = initDb(path, { migrationsDirectory: directory });
        expect(handle.pragma('integrity_check', { simple: true })).toBe('ok');
        expect(handle.pragma('user_version', { simple: true })).toBe(NEWEST + 1);
        expect(handle.prepare('SELECT count(*) FROM slow').pluck().get()).toBe(600_000);
        handle.close();
      }
      // At least one kill came in time to interrupt something.
      expect(Math.min(...landed)).toBeLessThanOrEqual(NEWEST);
    },
    PROCESS_MS,
  );
});
