import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';

import { translateDbError } from '../../src/db/db-errors.ts';
import { listMigrations, MIGRATIONS_DIRECTORY, schemaVersion } from '../../src/db/migrate.ts';
import { initDb } from '../../src/db/open.ts';
import { ColibriError } from '../../src/lib/errors.ts';
import { databaseWithLog, noise, overwrite } from './spoil.ts';
import {
  bytesOf,
  codeOf,
  filledDatabase,
  temporaryDatabase,
  temporaryDirectory,
} from './temporary-database.ts';

function pragmasOf(handle: Database.Database): Record<string, unknown> {
  const names = [
    'journal_mode',
    'synchronous',
    'busy_timeout',
    'foreign_keys',
    'trusted_schema',
    'cell_size_check',
    'recursive_triggers',
    'journal_size_limit',
  ];
  return Object.fromEntries(names.map((name) => [name, handle.pragma(name, { simple: true })]));
}

const PRAGMAS = {
  journal_mode: 'wal',
  synchronous: 2,
  busy_timeout: 5000,
  foreign_keys: 1,
  trusted_schema: 0,
  cell_size_check: 1,
  recursive_triggers: 0,
  journal_size_limit: 67108864,
};

describe('opening', () => {
  test('sets every pragma on a new file, on an old one and in memory', () => {
    const path = temporaryDatabase();
    for (const where of [path, path, ':memory:']) {
      const handle = initDb(where);
      const expected = where === path ? PRAGMAS : { ...PRAGMAS, journal_mode: 'memory' };
      expect(pragmasOf(handle)).toEqual(expected);
      handle.close();
    }
  });

  test('stays at synchronous FULL after the first write of a connection', () => {
    const path = temporaryDatabase();
    initDb(path).close();
    const handle = initDb(path, { check: 'none' });
    handle.prepare("INSERT INTO settings VALUES ('a', 'b', 'c')").run();
    expect(handle.pragma('synchronous', { simple: true })).toBe(2);
    handle.close();
  });

  test('makes the parent directories', () => {
    const path = join(temporaryDirectory(), 'a', 'b', 'colibri.db');
    initDb(path).close();
    expect(readdirSync(dirname(path))).toEqual(['colibri.db']);
  });

  test('takes an empty file for a new database', () => {
    const path = temporaryDatabase();
    writeFileSync(path, '');
    const handle = initDb(path);
    expect(schemaVersion(handle)).toBe(listMigrations(MIGRATIONS_DIRECTORY).length);
    handle.close();
  });

  test('reads commits that a killed process left in the log', () => {
    const handle = initDb(databaseWithLog());
    expect(handle.prepare('SELECT count(*) FROM audit_log').pluck().get()).toBe(50);
    handle.close();
  });

  test('finds the log of a linked database beside the file', () => {
    const path = databaseWithLog();
    overwrite(`${path}-wal`, 0, noise(64));
    const link = join(temporaryDirectory(), 'link.db');
    symlinkSync(path, link);
    expect(codeOf(() => initDb(link))).toBe('DB_CORRUPT');
  });
});

const DAMAGE: Readonly<Record<string, () => string>> = {
  'text instead of a database': () => {
    const path = temporaryDatabase();
    writeFileSync(path, 'this is a shopping list\n'.repeat(300));
    return path;
  },
  'a flipped header': () => {
    const path = filledDatabase();
    overwrite(path, 0, noise(16));
    return path;
  },
  'an unknown file format': () => {
    const path = filledDatabase();
    overwrite(path, 44, Uint8Array.of(0, 0, 0, 99));
    return path;
  },
  'a truncated file': () => {
    const path = filledDatabase();
    truncateSync(path, 4096 * 20 + 100);
    return path;
  },
  'a file cut within its first page': () => {
    const path = filledDatabase();
    truncateSync(path, 700);
    return path;
  },
  'flipped pages': () => {
    const path = filledDatabase();
    for (const page of [15, 16, 40]) overwrite(path, page * 4096, noise(4096));
    return path;
  },
  'flipped pages behind a sound log': () => {
    const path = databaseWithLog();
    overwrite(path, 5 * 4096, noise(4096));
    return path;
  },
  'random bytes instead of the log': () => {
    const path = databaseWithLog();
    writeFileSync(`${path}-wal`, noise(40_000));
    return path;
  },
  'random bytes within the log': () => {
    const path = databaseWithLog();
    overwrite(`${path}-wal`, 9_000, noise(100));
    return path;
  },
  'one flipped bit in the log': () => {
    const path = databaseWithLog();
    const at = 32 + 24 + 2_000;
    overwrite(`${path}-wal`, at, Uint8Array.of((readFileSync(`${path}-wal`)[at] ?? 0) ^ 1));
    return path;
  },
  'an emptied file beside its log': () => {
    const path = databaseWithLog();
    truncateSync(path, 0);
    return path;
  },
  'an interrupted recovery': () => {
    const path = filledDatabase();
    copyFileSync(path, `${path}.recovered`);
    return path;
  },
};

describe('a damaged database', () => {
  test.each(Object.keys(DAMAGE))('%s: is refused, named, and left as it is', (name) => {
    const path = DAMAGE[name]?.() ?? '';
    const before = bytesOf(path);
    let thrown: unknown;
    try {
      initDb(path).close();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'ColibriError', code: 'DB_CORRUPT' });
    expect(String(thrown)).toContain(path);
    expect(String(thrown)).toContain('`colibri db recover`');
    expect(bytesOf(path)).toEqual(before);
  });

  test('any byte of the header may flip: the file opens, or is refused with a code and left as it is', () => {
    const sound = filledDatabase();
    const path = temporaryDatabase();
    const codes = new Set<string>();
    for (let at = 0; at < 100; at++) {
      copyFileSync(sound, path);
      overwrite(path, at, Uint8Array.of((readFileSync(path)[at] ?? 0) ^ 0x81));
      const before = bytesOf(path);
      const code = codeOf(() => initDb(path).close());
      codes.add(code);
      if (code !== 'opened') expect({ at, bytes: bytesOf(path) }).toEqual({ at, bytes: before });
    }
    expect([...codes].sort()).toEqual(['DB_CORRUPT', 'DB_FUTURE', 'opened']);
  });

  test('a commit torn off the end of the log is no damage: it was never acknowledged', () => {
    const path = databaseWithLog();
    truncateSync(`${path}-wal`, readFileSync(`${path}-wal`).length - 1_000);
    const handle = initDb(path);
    expect(handle.prepare('SELECT count(*) FROM audit_log').pluck().get()).toBe(49);
    handle.close();
  });

  test('a log that never got its header is no damage', () => {
    const path = filledDatabase();
    writeFileSync(`${path}-wal`, Buffer.alloc(8_192));
    expect(codeOf(() => initDb(path).close())).toBe('opened');
  });
});

describe('a database that cannot be written', () => {
  test('below a file, or being a directory', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), '');
    mkdirSync(join(directory, 'taken'));
    for (const path of [join(directory, 'file', 'colibri.db'), join(directory, 'taken')]) {
      expect(codeOf(() => initDb(path))).toBe('DB_UNWRITABLE');
    }
  });

  test('names the file and the fix', () => {
    const directory = temporaryDirectory();
    expect(() => initDb(directory)).toThrow(`cannot open or write the database ${directory}`);
  });

  test('a full disk is DB_UNWRITABLE', () => {
    const handle = initDb(':memory:');
    handle.pragma('max_page_count = 1');
    const fillUp = () => {
      try {
        handle.prepare('INSERT INTO settings VALUES (?, ?, ?)').run('k', 'v'.repeat(100_000), 't');
      } catch (error) {
        throw translateDbError(error, 'x.db');
      }
    };
    expect(codeOf(fillUp)).toBe('DB_UNWRITABLE');
    handle.close();
  });

  test('held by another connection for longer than the timeout is DB_BUSY', () => {
    const path = temporaryDatabase();
    const holder = new Database(path);
    holder.exec('BEGIN EXCLUSIVE; CREATE TABLE t (a)');
    expect(codeOf(() => initDb(path, { busyTimeoutMs: 50 }))).toBe('DB_BUSY');
    holder.close();
    expect(codeOf(() => initDb(path).close())).toBe('opened');
  });

  test('a failed open leaves no handle behind', () => {
    const path = DAMAGE['flipped pages']?.() ?? '';
    for (const check of ['quick', 'none'] as const) codeOf(() => initDb(path, { check }).close());
    const open = existsSync('/proc/self/fd')
      ? spawnSync('ls', ['-l', `/proc/${process.pid}/fd`], { encoding: 'utf8' }).stdout
      : '';
    expect(open).not.toContain(path);
  });
});

test('an error that is not of the database comes back as it was', () => {
  const error = new RangeError('mine');
  expect(translateDbError(error, 'x.db')).toBe(error);
  // What a write does with other files is not the database's fault.
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  expect(translateDbError(missing, 'x.db')).toBe(missing);
  const known = new ColibriError('USAGE', 'no');
  expect(translateDbError(known, 'x.db')).toBe(known);
});
