/**
 * The part of the composition root for commands that only look at the index. When that is in line with the disk, nothing
 * but the database is opened; otherwise a full start has to bring it in line.
 */
import { existsSync } from 'node:fs';

import { type ColibriDatabase, openDatabase } from './db/database.ts';
import { createSwitchService, type SwitchService } from './domains/sessions/switch-service.ts';
import { createDisplay } from './domains/skills/display-path.ts';
import type { SkillRoot } from './domains/skills/scan/roots.ts';
import { readSeenRoots } from './domains/skills/scan/seen-repository.ts';
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
import { loadSettings } from './startup-settings.ts';

/** What a look at the index takes of the registry, without what searches, publishes and writes. */
interface IndexReads extends Pick<SkillsService, 'roots' | 'list' | 'names' | 'counts' | 'usedRoots'> {
  /** The list as lines of cells, for programs. */
  lines(filters: SkillFilters): readonly string[];
}

export interface IndexRuntime {
  readonly skills: IndexReads;
  readonly switches: SwitchService;
  close(): Promise<void>;
}

/** Null when only a full start can answer. */
export async function openIndex(options: StartupOptions): Promise<IndexRuntime | null> {
  if (options.skillsRoot !== undefined) return null;
  const config = await loadSettings(options);
  if (config.surface === 'phase-0' || !existsSync(config.database)) return null;
  const { workspace, home } = config;
  const display = createDisplay({ workspace, home });
  const roots = config.roots.map((root) => ({ ...root, display: display(root.path) }));
  const db = openDatabase(config.database, { check: 'none' });
  const { handle } = db;
  if (!looksUnchanged(readSeenRoots(handle), roots) && !(await isCalm(handle, roots))) {
    await db.close();
    return null;
  }
  const switches = createSwitchService({
    workspace,
    skills: { names: () => allNames(handle), require: (name) => findSummary(handle, name) ?? missing(name) },
  });
  return { skills: readsOf(handle, roots), switches, close: () => db.close() };
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

/** Whether a scan would find nothing to do. It takes more code to tell, and links ask for it. */
async function isCalm(handle: ColibriDatabase['handle'], roots: readonly SkillRoot[]): Promise<boolean> {
  const { isInLine } = await import('./domains/skills/scan/scan.ts');
  try {
    return isInLine(handle, roots, systemClock);
  } catch (error) {
    // A root that cannot be read: the full start says so, or serves the last good index.
    if (error instanceof ColibriError) return false;
    throw error;
  }
}
