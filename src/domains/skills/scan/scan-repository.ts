/** What a scan reads and writes beside the `skills` rows themselves. All of it runs inside the scan's transaction. */
import type Database from 'better-sqlite3';

import type { Diagnostic } from '../../../lib/diagnostics.ts';
import { type SkillRowWriter, skillRowWriter } from '../rows-repository.ts';
import { decodeSnapshot, EMPTY_SNAPSHOT, encodeSnapshot, type RootSnapshot } from './root-snapshot.ts';
import type { StoredRoot } from './scan-plan.ts';

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
  /** Counts the scans that changed something; a scan that was planned on an older one must be planned anew. */
  generation(): number;
  nextGeneration(): void;
  storedRoots(): readonly StoredRoot[];
  putRoot(root: Omit<StoredRoot, 'snapshot'>, snapshot: RootSnapshot): void;
  dropRoot(path: string): void;
  winner(name: string): IndexedPlace | null;
  putShadowed(skill: ShadowedSkill): void;
  shadowed(directory: string): IndexedPlace | null;
  dropShadowed(directory: string): void;
  putRejection(rejection: RejectedSkill): void;
  rejection(directory: string): string | null;
  dropRejection(directory: string): void;
  putAlias(alias: SkillAlias): void;
  dropAlias(directory: string): void;
  shadowedCount(): number;
  /** One immediate transaction: readers see all of it or nothing. */
  transaction<T>(work: () => T): T;
}

const GENERATION = 'registry.generation';

export function createScanRepository(db: Database.Database): ScanRepository {
  const generation = db.prepare('SELECT value FROM settings WHERE key = ?').pluck();
  const setGeneration = db.prepare(
    `INSERT INTO settings (key, value, updated_at) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))
     ON CONFLICT(key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
  );
  const roots = db.prepare('SELECT path, position, key, snapshot FROM skill_roots ORDER BY position');
  const putRoot = db.prepare(
    'INSERT OR REPLACE INTO skill_roots (path, position, key, snapshot) VALUES (?, ?, ?, ?)',
  );
  const dropRoot = db.prepare('DELETE FROM skill_roots WHERE path = ?');
  const winner = db.prepare('SELECT source_path AS path, source, digest FROM skills WHERE name = ?');
  const readGeneration = () => Number(generation.get(GENERATION) ?? 0);
  return {
    skills: skillRowWriter(db),
    generation: readGeneration,
    nextGeneration: () => {
      setGeneration.run(GENERATION, String(readGeneration() + 1));
    },
    storedRoots: () => (roots.all() as RootRow[]).map(storedRoot),
    putRoot: (root, snapshot) => {
      putRoot.run(root.path, root.position, root.key, encodeSnapshot(snapshot));
    },
    dropRoot: (path) => {
      dropRoot.run(path);
    },
    winner: (name) => (winner.get(name) as IndexedPlace | undefined) ?? null,
    transaction: (work) => db.transaction(work).immediate(),
    ...shadowedStatements(db),
    ...rejectionStatements(db),
  };
}

interface RootRow {
  readonly path: string;
  readonly position: number;
  readonly key: string;
  readonly snapshot: Uint8Array;
}

function storedRoot({ path, position, key, snapshot }: RootRow): StoredRoot {
  const decoded = decodeSnapshot(snapshot);
  return decoded === null
    ? { path, position, key: '', snapshot: EMPTY_SNAPSHOT }
    : { path, position, key, snapshot: decoded };
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
): Pick<ScanRepository, 'putRejection' | 'rejection' | 'dropRejection' | 'putAlias' | 'dropAlias'> {
  const put = db.prepare(
    `INSERT OR REPLACE INTO skill_rejections (directory, root, source, lenient_ok, diagnostics) VALUES (?, ?, ?, ?, ?)`,
  );
  const get = db.prepare('SELECT diagnostics FROM skill_rejections WHERE directory = ?').pluck();
  const drop = db.prepare('DELETE FROM skill_rejections WHERE directory = ?');
  const putAlias = db.prepare(
    'INSERT OR REPLACE INTO skill_aliases (directory, root, target) VALUES (:directory, :root, :target)',
  );
  const dropAlias = db.prepare('DELETE FROM skill_aliases WHERE directory = ?');
  return {
    putRejection: ({ directory, root, source, lenient_ok, diagnostics }) => {
      put.run(directory, root, source, lenient_ok ? 1 : 0, JSON.stringify(diagnostics));
    },
    rejection: (directory) => (get.get(directory) as string | undefined) ?? null,
    dropRejection: (directory) => {
      drop.run(directory);
    },
    putAlias: (alias) => {
      putAlias.run(alias);
    },
    dropAlias: (directory) => {
      dropAlias.run(directory);
    },
  };
}
