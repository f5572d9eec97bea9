/**
 * The part of the composition root for commands that only look at the index. When that is in line with the disk, nothing
 * but the database is opened; otherwise it is brought in line first.
 */
import type { Config } from './config.ts';
import { type ColibriDatabase, openDatabase } from './db/database.ts';
import { createSwitchService, type SwitchService } from './domains/sessions/switch-service.ts';
import type { PrintedList } from './domains/skills/kept-list.ts';
import type { SkillRoot } from './domains/skills/scan/roots.ts';
import { readRootBytes, readSeenRoots } from './domains/skills/scan/seen-repository.ts';
import { looksUnchanged } from './domains/skills/scan/unchanged.ts';
import type { SkillsService } from './domains/skills/service.ts';
import {
  allNames,
  findLines,
  findSummaries,
  findSummary,
  registryCounts,
  rootsWithSkills,
  type SkillFilters,
} from './domains/skills/summary-repository.ts';
import { systemClock } from './lib/clock.ts';
import { ColibriError } from './lib/errors.ts';
import type { StartupOptions } from './startup.ts';
import { createListKeeper, rootsOf } from './startup-kept.ts';
import { databaseOf, loadSettings } from './startup-settings.ts';

/** What a look at the index takes of the registry, without what searches, publishes and writes. */
interface IndexReads extends Pick<SkillsService, 'roots' | 'list' | 'names' | 'counts' | 'usedRoots'> {
  /** The list as lines of cells, for programs. */
  lines(filters: SkillFilters): readonly string[];
}

export interface IndexRuntime {
  /** Whether something on the disk was new to it. */
  readonly changed: boolean;
  readonly skills: IndexReads;
  readonly switches: SwitchService;
  /** Keeps the list that was printed for the next one. */
  readonly keep: (list: PrintedList) => void;
  close(): Promise<void>;
}

export interface IndexOptions extends StartupOptions {
  /** Names the program, where lists are kept; absent: they are not. */
  readonly build?: string;
}

/** Null when only a full start can answer. */
export async function openIndex(options: IndexOptions): Promise<IndexRuntime | null> {
  if (options.skillsRoot !== undefined) return null;
  const config = await loadSettings(options);
  if (config.surface === 'phase-0') return null;
  const { workspace } = config;
  const roots = rootsOf(config);
  const keeper = options.build === undefined ? null : createListKeeper(config, options.build);
  const db = openDatabase(databaseOf(config), { check: 'none' });
  const { handle } = db;
  const unchanged = looksUnchanged(readSeenRoots(handle), roots);
  const found = unchanged ? 'nothing' : await scan(db, { config, roots, options });
  if (found === 'closed') {
    await db.close();
    return null;
  }
  const switches = createSwitchService({
    workspace,
    skills: { names: () => allNames(handle), require: (name) => findSummary(handle, name) ?? missing(name) },
  });
  return {
    changed: found === 'changes',
    skills: readsOf(handle, roots),
    switches,
    keep: (list) => {
      if (unchanged) keeper?.take(list, readRootBytes(handle));
    },
    async close() {
      await db.close();
      keeper?.settle();
    },
  };
}

function readsOf(handle: ColibriDatabase['handle'], roots: readonly SkillRoot[]): IndexReads {
  return {
    roots,
    list: (filters) => findSummaries(handle, filters),
    lines: (filters) => findLines(handle, filters),
    names: () => allNames(handle),
    counts: () => registryCounts(handle),
    usedRoots() {
      const used = rootsWithSkills(handle);
      return roots.flatMap(({ display }) => (used.includes(display) ? [display] : []));
    },
  };
}

function missing(name: string): never {
  throw new ColibriError(
    'SKILL_NOT_FOUND',
    `no skill named ${JSON.stringify(name)}; colibri list shows all`,
    { name },
  );
}

interface ScanNeeds {
  readonly config: Config;
  readonly roots: readonly SkillRoot[];
  readonly options: Pick<StartupOptions, 'logger' | 'progress'>;
}

/** `closed`: a root cannot be read. The full start says so, or serves the last good index. */
async function scan(
  db: ColibriDatabase,
  { config, roots, options }: ScanNeeds,
): Promise<'changes' | 'nothing' | 'closed'> {
  const { openScanner } = await import('./startup-scan.ts');
  const { logger = () => undefined, progress } = options;
  // The schemas of all events would be most of what is loaded here; the compiler has checked those of a scan.
  const check = () => undefined;
  const scanner = openScanner(db, { config, progress, logger, clock: systemClock, check });
  try {
    return (await db.write(() => scanner.scan(roots))) === null ? 'nothing' : 'changes';
  } catch (error) {
    if (error instanceof ColibriError && error.code === 'ROOT_UNREADABLE') return 'closed';
    await db.close();
    throw error;
  }
}
