/** What the last scan saw, for those who only compare it with the disk. */
import type Database from 'better-sqlite3';

import { prepared } from '../prepared-repository.ts';
import { countWinners } from './root-snapshot.ts';
import { type RootBytes, type SeenRoot, seenRoots } from './snapshot-layout.ts';

/**
 * In the order of precedence. Nothing when it cannot be relied on. The checksum is not looked at: damage shows where the
 * disk is compared with it, and then a scan looks closer.
 */
export function readSeenRoots(db: Database.Database): readonly SeenRoot[] {
  const seen = seenRoots(readRootBytes(db));
  const { skills } = prepared(db, 'SELECT count(*) AS skills FROM skills').get() as { skills: number };
  const winners = seen.reduce((sum, root) => sum + countWinners(root), 0);
  // Else somebody has added or deleted rows.
  return winners === skills ? seen : [];
}

/** In the order of precedence. */
export function readRootBytes(db: Database.Database): readonly RootBytes[] {
  const sql = 'SELECT path, key, snapshot FROM skill_roots ORDER BY position';
  return prepared(db, sql).all() as RootBytes[];
}
