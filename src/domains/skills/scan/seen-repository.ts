/** What the last scan saw, for those who only compare it with the disk. */
import type Database from 'better-sqlite3';

import { prepared } from '../prepared-repository.ts';
import { countWinners } from './root-snapshot.ts';
import { layoutOf, type SeenDirectories, seenIn } from './snapshot-layout.ts';

export interface SeenRoot extends SeenDirectories {
  readonly path: string;
  readonly key: string;
}

/**
 * In the order of precedence. Nothing when it cannot be relied on. The checksum is not looked at: damage shows where the
 * disk is compared with it, and then a scan looks closer.
 */
export function readSeenRoots(db: Database.Database): readonly SeenRoot[] {
  const sql = 'SELECT path, key, snapshot FROM skill_roots ORDER BY position';
  const rows = prepared(db, sql).all() as RootRow[];
  const seen = rows.flatMap(({ path, key, snapshot }) => {
    const bytes = Buffer.from(snapshot.buffer, snapshot.byteOffset, snapshot.byteLength);
    const layout = layoutOf(bytes);
    return layout === null ? [] : [{ path, key, ...seenIn(bytes, layout) }];
  });
  const { skills } = prepared(db, 'SELECT count(*) AS skills FROM skills').get() as { skills: number };
  const winners = seen.reduce((sum, root) => sum + countWinners(root), 0);
  // Else somebody has added or deleted rows.
  return winners === skills ? seen : [];
}

interface RootRow {
  readonly path: string;
  readonly key: string;
  readonly snapshot: Uint8Array;
}
