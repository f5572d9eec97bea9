/**
 * Saves what is readable of a damaged database: a sound copy is built beside it, finished and synced, and only then
 * changes places with it. Whatever moment the process dies at, the old file, the new one, or both are there.
 */
import { constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';

import { syncPath } from '../lib/durable-file.ts';
import { ColibriError } from '../lib/errors.ts';
import { createIds } from '../lib/ids.ts';
import { inspectDatabase } from './damage.ts';
import { openDamaged } from './damaged-source.ts';
import { databaseFile, hasContent, recoveredPath } from './database-file.ts';
import { translateFileError } from './db-errors.ts';
import { listMigrations, MIGRATIONS_DIRECTORY, refuseFuture } from './migrate.ts';
import { initDb } from './open.ts';
import { copyTable, recordTables, type TableRecovery } from './salvage.ts';
import { findWalDamage } from './wal.ts';

export interface RecoveryReport {
  readonly path: string;
  /** Where the old file is now; its `-wal` and `-shm` lie beside it. */
  readonly movedTo: string;
  /** The record tables. The skill index is not among them: rebuild it from disk. */
  readonly tables: readonly TableRecovery[];
  /** True when nothing was wrong and the recovery was forced. */
  readonly healthy: boolean;
}

export interface RecoverOptions {
  /** Recover although no damage was found. */
  readonly force?: boolean;
  readonly migrationsDirectory?: string;
}

const TIMEOUT_MS = 5_000;
const ACTION = 'db.recover';
const SIDE_FILES = ['-wal', '-shm', '-journal', ''] as const;

/** No other process may have the database open meanwhile. */
export function recoverDatabase(path: string, now: Date, options: RecoverOptions = {}): RecoveryReport {
  try {
    // A link to the file stays a link.
    const file = databaseFile(path);
    if (!existsSync(recoveredPath(file))) build(file, now, options);
    return swap(file);
  } catch (error) {
    throw translateFileError(error, path);
  }
}

/** Leaves a finished, synced file at `recoveredPath`. */
function build(path: string, now: Date, options: RecoverOptions): void {
  const healthy = checkNeed(path, options);
  const work = `${path}.recovering`;
  // What a killed run left behind is unfinished by definition.
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  try {
    const source = join(work, 'source.db');
    const target = join(work, 'target.db');
    for (const side of ['', '-wal'] as const) {
      if (existsSync(path + side)) copyFileSync(path + side, source + side, constants.COPYFILE_FICLONE);
    }
    const movedTo = `${path}.corrupt-${now.toISOString().replaceAll(/[-:]/g, '')}`;
    salvage(source, target, { path, movedTo, healthy, now, options });
    syncPath(target);
    renameSync(target, recoveredPath(path));
    syncPath(dirname(path));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Whether the file is healthy, which only `force` lets pass. */
function checkNeed(path: string, options: RecoverOptions): boolean {
  if (!existsSync(path) && !hasContent(`${path}-wal`)) {
    throw new ColibriError('DB_UNWRITABLE', `there is no database at ${path}; check the path`, { path });
  }
  const { damage, version } = inspectDatabase(path, { check: 'quick', timeout: TIMEOUT_MS });
  const newest = listMigrations(options.migrationsDirectory ?? MIGRATIONS_DIRECTORY).length;
  // Tables that this Colibri does not know would be left behind.
  if (options.force !== true) refuseFuture(version ?? 0, newest, path);
  // An empty file is a fresh database to anyone who opens it, but whoever recovers it knows that it was not.
  const healthy = damage === undefined && hasContent(path);
  if (!healthy || options.force === true) return healthy;
  const message = `the database ${path} is not damaged; to rebuild it all the same, add --force`;
  throw new ColibriError('DB_HEALTHY', message, { path });
}

interface Salvage {
  readonly path: string;
  readonly movedTo: string;
  readonly healthy: boolean;
  readonly now: Date;
  readonly options: RecoverOptions;
}

function salvage(sourcePath: string, targetPath: string, job: Salvage): void {
  const { path, movedTo, healthy } = job;
  // Commits that fell out of the log leave no trace to count.
  const countable = hasContent(path) && !walIsDamaged(`${path}-wal`);
  const target = initDb(targetPath, job.options);
  const source = openDamaged(sourcePath, targetPath);
  try {
    const tables = withoutTriggers(target, () =>
      recordTables(target).map((table) => copyTable(source, target, { table, countable })),
    );
    record(target, { path, movedTo, tables, healthy }, job.now);
    // The file must stand alone when it is renamed, and be read without side files; the next open brings the log back.
    target.pragma('journal_mode = DELETE');
  } finally {
    source.close();
    target.close();
  }
}

function walIsDamaged(walPath: string): boolean {
  return hasContent(walPath) && findWalDamage(walPath, { frames: true }) !== undefined;
}

/** Triggers guard what the program does from now on; the rows copied back have passed them once. */
function withoutTriggers<T>(target: Database.Database, work: () => T): T {
  const triggers = target
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  target.pragma('foreign_keys = OFF');
  return target
    .transaction(() => {
      for (const { name } of triggers) target.exec(`DROP TRIGGER "${name.replaceAll('"', '""')}"`);
      const result = work();
      for (const { sql } of triggers) target.exec(sql);
      return result;
    })
    .immediate();
}

/** The report travels inside the new file, so that a later run can finish the swap and still tell it. */
function record(target: Database.Database, report: RecoveryReport, now: Date): void {
  const ids = createIds({ now: () => now.getTime(), monotonic: () => 0 });
  target
    .prepare(
      `INSERT INTO audit_log (id, at, actor, action, subject, outcome, detail) VALUES (?, ?, 'colibri', ?, ?, 'ok', ?)`,
    )
    .run(ids.ulid(), now.toISOString(), ACTION, report.path, JSON.stringify(report));
}

/** Old files aside, new file in. Can be entered again at any step. */
function swap(path: string): RecoveryReport {
  const report = readReport(recoveredPath(path));
  for (const side of SIDE_FILES) {
    if (existsSync(path + side)) renameSync(path + side, report.movedTo + side);
  }
  // A log left in place would be replayed into the new file, so the moves must be on disk first.
  syncPath(dirname(path));
  renameSync(recoveredPath(path), path);
  syncPath(dirname(path));
  return report;
}

function readReport(path: string): RecoveryReport {
  const handle = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const detail = handle
      .prepare('SELECT detail FROM audit_log WHERE action = ? ORDER BY _rowid_ DESC LIMIT 1')
      .pluck()
      .get(ACTION);
    // Written by `record` above, into a file that nobody else opens.
    return JSON.parse(String(detail)) as RecoveryReport;
  } finally {
    handle.close();
  }
}
