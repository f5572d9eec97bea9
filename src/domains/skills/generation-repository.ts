import type Database from 'better-sqlite3';

import { prepared } from './prepared-repository.ts';

/** The generation of the index as it stands. */
export function currentGeneration(db: Database.Database): number {
  const row = prepared(db, "SELECT value FROM settings WHERE key = 'registry.generation'").get() as
    | { value: string }
    | undefined;
  return Number(row?.value ?? 0);
}
