/** What a scan reads and writes beside the `skills` rows themselves. All of it runs inside the scan's transaction. */
import type Database from 'better-sqlite3';

import type { Diagnostic } from '../../../lib/diagnostics.ts';
import { keepsBodies, putBody } from '../body-repository.ts';
import { prepared } from '../prepared-repository.ts';
import { type SkillRowWriter, skillRowWriter } from '../rows-repository.ts';
import { countWinners, EMPTY_SNAPSHOT } from './root-snapshot.ts';
import type { StoredRoot } from './scan-plan.ts';
import { decodeSnapshot, encodeSnapshot } from './snapshot-bytes.ts';

/** Enough of an indexed skill to name it in a report. */
export interface IndexedPlace {
  readonly path: string;
  readonly source: string;
  readonly digest: string;
}

export interface ShadowedSkill extends IndexedPlace {
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly root: string;
  readonly directory: string;
  readonly winner_path: string;
}

export interface RejectedSkill {
  readonly directory: string;
  readonly root: string;
  readonly source: string;
  readonly lenient_ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

export interface SkillAlias {
  readonly directory: string;
  readonly root: string;
  readonly target: string;
}

export interface ScanRepository {
  readonly skills: SkillRowWriter;
  storedRoots(): readonly StoredRoot[];
  /** Replaces what is known of all roots. */
  putRoots(roots: readonly StoredRoot[]): void;
  keepsBodies(): boolean;
  putBody(digest: string, body: string): void;
  winner(name: string): IndexedPlace | null;
  putShadowed(skill: ShadowedSkill): void;
  shadowed(directory: string): IndexedPlace | null;
  dropShadowed(directory: string): void;
  putRejection(rejection: RejectedSkill): void;
  /** Whether exactly this is stored. */
  hasRejection(rejection: RejectedSkill): boolean;
  dropRejection(directory: string): void;
  putAlias(alias: SkillAlias): void;
  /** Whether exactly this is stored. */
  hasAlias(alias: SkillAlias): boolean;
  dropAlias(directory: string): void;
  /** Whether anything is recorded besides winners. */
  hasRecords(): boolean;
  /** Deletes the records of every directory, as displayed, that is not in the list, and says how many went. */
  pruneRecords(keepDirectories: readonly string[]): number;
  shadowedCount(): number;
  /** One immediate transaction: readers see all of it or nothing. */
  transaction<T>(work: () => T): T;
}

export function createScanRepository(db: Database.Database): ScanRepository {
  const putRoot = db.prepare(
    'INSERT INTO skill_roots (path, position, key, display, snapshot) VALUES (?, ?, ?, ?, ?)',
  );
  const dropRoots = db.prepare('DELETE FROM skill_roots');
  const winner = db.prepare('SELECT source_path AS path, source, digest FROM skills WHERE name = ?');
  const skills = skillRowWriter(db);
  return {
    skills,
    storedRoots: () => readStoredRoots(db),
    putRoots: (all) => {
      dropRoots.run();
      for (const { path, position, key, display, snapshot } of all) {
        putRoot.run(path, position, key, display, encodeSnapshot(snapshot));
      }
    },
    keepsBodies: () => keepsBodies(db),
    putBody: (digest, body) => putBody(db, digest, body),
    winner: (name) => (winner.get(name) as IndexedPlace | undefined) ?? null,
    transaction(work) {
      try {
        return withScanCache(db, () => db.transaction(work).immediate());
      } finally {
        skills.discard();
      }
    },
    ...shadowedStatements(db),
    ...rejectionStatements(db),
    ...aliasStatements(db),
    ...pruneStatements(db),
  };
}

/**
 * Rows of a first scan are written once, in order, and not looked at again: SQLite may write them out early instead of
 * collecting them in memory until the end.
 */
const FIRST_SCAN_CACHE_KIB = 2_000;

function withScanCache<T>(db: Database.Database, work: () => T): T {
  if (prepared(db, 'SELECT 1 FROM skills LIMIT 1').get() !== undefined) return work();
  const before = db.pragma('cache_size', { simple: true });
  db.pragma(`cache_size = -${FIRST_SCAN_CACHE_KIB}`);
  try {
    return work();
  } finally {
    db.pragma(`cache_size = ${String(before)}`);
  }
}

/** What the last scan stored; nothing when somebody else has added or deleted rows, for then it cannot be relied on. */
export function readStoredRoots(db: Database.Database): readonly StoredRoot[] {
  const sql = 'SELECT path, position, key, display, snapshot FROM skill_roots ORDER BY position';
  const stored = (prepared(db, sql).all() as RootRow[]).map(storedRoot);
  const { skills } = prepared(db, 'SELECT count(*) AS skills FROM skills').get() as { skills: number };
  const winners = stored.reduce((sum, { snapshot }) => sum + countWinners(snapshot), 0);
  return winners === skills ? stored : [];
}

interface RootRow {
  readonly path: string;
  readonly position: number;
  readonly key: string;
  readonly display: string;
  readonly snapshot: Uint8Array;
}

function storedRoot({ path, position, key, display, snapshot }: RootRow): StoredRoot {
  const decoded = decodeSnapshot(snapshot);
  return decoded === null
    ? { path, position, key: '', display, snapshot: EMPTY_SNAPSHOT }
    : { path, position, key, display, snapshot: decoded };
}

function shadowedStatements(
  db: Database.Database,
): Pick<ScanRepository, 'putShadowed' | 'shadowed' | 'dropShadowed' | 'shadowedCount'> {
  const put = db.prepare(
    `INSERT OR REPLACE INTO skill_shadowed
       (directory, name, description, version, source, root, source_path, digest, winner_path)
     VALUES (:directory, :name, :description, :version, :source, :root, :path, :digest, :winner_path)`,
  );
  const get = db.prepare(
    'SELECT source_path AS path, source, digest FROM skill_shadowed WHERE directory = ?',
  );
  const drop = db.prepare('DELETE FROM skill_shadowed WHERE directory = ?');
  const count = db.prepare('SELECT count(*) FROM skill_shadowed').pluck();
  return {
    putShadowed: (skill) => {
      put.run(skill);
    },
    shadowed: (directory) => (get.get(directory) as IndexedPlace | undefined) ?? null,
    dropShadowed: (directory) => {
      drop.run(directory);
    },
    shadowedCount: () => Number(count.get()),
  };
}

function rejectionStatements(
  db: Database.Database,
): Pick<ScanRepository, 'putRejection' | 'hasRejection' | 'dropRejection'> {
  const put = db.prepare(
    `INSERT OR REPLACE INTO skill_rejections (directory, root, source, lenient_ok, diagnostics) VALUES (?, ?, ?, ?, ?)`,
  );
  const has = db
    .prepare(
      `SELECT 1 FROM skill_rejections
       WHERE directory = ? AND root = ? AND source = ? AND lenient_ok = ? AND diagnostics = ?`,
    )
    .pluck();
  const drop = db.prepare('DELETE FROM skill_rejections WHERE directory = ?');
  const values = ({ directory, root, source, lenient_ok, diagnostics }: RejectedSkill) => [
    directory,
    root,
    source,
    lenient_ok ? 1 : 0,
    JSON.stringify(diagnostics),
  ];
  return {
    putRejection: (rejection) => {
      put.run(values(rejection));
    },
    hasRejection: (rejection) => has.get(values(rejection)) === 1,
    dropRejection: (directory) => {
      drop.run(directory);
    },
  };
}

function aliasStatements(db: Database.Database): Pick<ScanRepository, 'putAlias' | 'hasAlias' | 'dropAlias'> {
  const put = db.prepare(
    'INSERT OR REPLACE INTO skill_aliases (directory, root, target) VALUES (:directory, :root, :target)',
  );
  const has = db
    .prepare('SELECT 1 FROM skill_aliases WHERE directory = :directory AND root = :root AND target = :target')
    .pluck();
  const drop = db.prepare('DELETE FROM skill_aliases WHERE directory = ?');
  return {
    putAlias: (alias) => {
      put.run(alias);
    },
    hasAlias: (alias) => has.get(alias) === 1,
    dropAlias: (directory) => {
      drop.run(directory);
    },
  };
}

const RECORDS = ['skill_shadowed', 'skill_rejections', 'skill_aliases'] as const;

function pruneStatements(db: Database.Database): Pick<ScanRepository, 'hasRecords' | 'pruneRecords'> {
  const has = db
    .prepare(`SELECT ${RECORDS.map((table) => `EXISTS (SELECT 1 FROM ${table})`).join(' OR ')}`)
    .pluck();
  const statements = RECORDS.map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE directory NOT IN (SELECT value FROM json_each(?))`),
  );
  return {
    hasRecords: () => has.get() === 1,
    pruneRecords: (keepDirectories) => {
      const keep = JSON.stringify(keepDirectories);
      return statements.reduce((total, statement) => total + statement.run(keep).changes, 0);
    },
  };
}
