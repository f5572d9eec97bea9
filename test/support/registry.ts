/** A registry over real folders and a real database, without a server around it. */
import path from 'node:path';

import type Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';

import { initDb } from '../../src/db/open.ts';
import { createEventLog } from '../../src/domains/events/log-repository.ts';
import { checkPayload } from '../../src/domains/events/schema.ts';
import { displayPath } from '../../src/domains/skills/display-path.ts';
import type { SkillRoot } from '../../src/domains/skills/scan/roots.ts';
import { scanRoots } from '../../src/domains/skills/scan/scan.ts';
import { createScanRepository } from '../../src/domains/skills/scan/scan-repository.ts';
import type { ScanChanges } from '../../src/domains/skills/scan/scan-write.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createIds } from '../../src/lib/ids.ts';
import { temporaryDirectory } from './temporary.ts';

/** Far enough from the last write that every fingerprint is trusted. */
const SETTLED_MS = 1000;

/** As if some time had passed since the files were written. */
export const LATER: Clock = {
  now: () => systemClock.now() + SETTLED_MS,
  monotonic: () => systemClock.monotonic(),
};

/** The clock of a file system may stand still for so long; what happens within is one moment to it. */
const FILE_CLOCK_MS = 5;

/** Keeps the promise of `LATER`: what is done next has other times than what was done before the scan. */
function afterFileClock<T>(scan: () => T): T {
  const began = performance.now();
  const result = scan();
  const rest = FILE_CLOCK_MS - (performance.now() - began);
  if (rest > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, rest);
  return result;
}

export interface TestRegistry {
  readonly db: Database.Database;
  readonly workspace: string;
  readonly home: string;
  /** The three default roots; none is made yet. */
  readonly roots: Readonly<Record<'workspace' | 'global' | 'mirror', SkillRoot>>;
  /** What was logged, one line per call. */
  readonly lines: string[];
  root(relative: string, settings?: Partial<SkillRoot>): SkillRoot;
  scan(roots?: readonly SkillRoot[], clock?: Clock): ScanChanges | null;
  /** Scans the same folders into a new database and gives its content. */
  fresh(roots?: readonly SkillRoot[]): IndexContent;
  content(): IndexContent;
  events(type?: string): readonly Record<string, unknown>[];
}

export interface IndexContent {
  readonly skills: readonly unknown[];
  readonly skill_shadowed: readonly unknown[];
  readonly skill_rejections: readonly unknown[];
  readonly skill_aliases: readonly unknown[];
  readonly skill_capabilities: readonly unknown[];
}

/** Every row of every table of the index, without the time of loading. */
export function indexContent(db: Database.Database): IndexContent {
  const rowsOf = (table: string) =>
    (db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[])
      .map(({ loaded_at: _, generation: __, ...row }) => row)
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return {
    skills: rowsOf('skills'),
    skill_shadowed: rowsOf('skill_shadowed'),
    skill_rejections: rowsOf('skill_rejections'),
    skill_aliases: rowsOf('skill_aliases'),
    skill_capabilities: rowsOf('skill_capabilities'),
  };
}

export interface TestRegistryOptions {
  /** Default: in memory. */
  readonly file?: string;
  /** Default: a new temporary directory. */
  readonly workspace?: string;
}

export function testRegistry(options: TestRegistryOptions = {}): TestRegistry {
  const workspace = options.workspace ?? path.join(temporaryDirectory(), 'work');
  const home = path.join(path.dirname(workspace), 'home');
  const open = (file: string) => {
    const db = initDb(file);
    onTestFinished(() => void db.close());
    return db;
  };
  const db = open(options.file ?? ':memory:');
  const lines: string[] = [];
  const display = (absolute: string) => displayPath(absolute, { workspace, home });
  const root = (relative: string, settings: Partial<SkillRoot> = {}): SkillRoot => {
    const absolute = relative.startsWith('~/')
      ? path.join(home, relative.slice(2))
      : path.join(workspace, relative);
    const rest = { source: 'repo', profile: 'strict', depth: 1 } as const;
    return { ...rest, path: absolute, display: display(absolute), ...settings };
  };
  const roots = {
    workspace: root('.agents/skills', { source: 'workspace' }),
    global: root('~/.agents/skills', { source: 'global' }),
    mirror: root('.claude/skills', { source: 'mirror' }),
  };
  const all = Object.values(roots);
  const scanInto = (target: Database.Database, log: string[], from: readonly SkillRoot[], clock: Clock) =>
    scanRoots(from, {
      repository: createScanRepository(target),
      events: createEventLog(target, { clock, ids: createIds(clock), check: checkPayload }),
      clock,
      logger: (...args) => log.push(args.map(String).join(' ')),
      display,
    });
  return {
    db,
    workspace,
    home,
    roots,
    lines,
    root,
    scan(from = all, clock = LATER) {
      const scan = () => scanInto(db, lines, from, clock);
      return clock === LATER ? afterFileClock(scan) : scan();
    },
    fresh(from = all) {
      const other = initDb(':memory:');
      try {
        scanInto(other, [], from, systemClock);
        return indexContent(other);
      } finally {
        other.close();
      }
    },
    content: () => indexContent(db),
    events(type) {
      const rows = db.prepare('SELECT type, payload FROM events ORDER BY seq').all() as {
        type: string;
        payload: string;
      }[];
      return rows
        .filter((row) => type === undefined || row.type === type)
        .map(({ payload }) => JSON.parse(payload));
    },
  };
}
