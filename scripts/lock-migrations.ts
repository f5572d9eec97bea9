// Adds new migrations to the lock. An entry that is there stays: a released migration is never edited.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  LOCK_FILE,
  listMigrations,
  MIGRATIONS_DIRECTORY,
  migrationHash,
  readLock,
} from '../src/db/migrate.ts';

const lock = readLock(MIGRATIONS_DIRECTORY);
const entries = listMigrations(MIGRATIONS_DIRECTORY).map((file) => {
  const hash = migrationHash(readFileSync(join(MIGRATIONS_DIRECTORY, file), 'utf8'));
  if (lock[file] !== undefined && lock[file] !== hash) {
    throw new Error(`${file} was edited after it was locked; restore it and add a new migration instead`);
  }
  return [file, hash] as const;
});
for (const file of Object.keys(lock)) {
  if (!entries.some(([name]) => name === file)) throw new Error(`${file} is locked but gone; restore it`);
}
writeFileSync(
  join(MIGRATIONS_DIRECTORY, LOCK_FILE),
  `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`,
);
