/**
 * The part of the composition root for commands that only look at the index. When that is in line with the disk, nothing
 * but the database is opened; otherwise a full start has to bring it in line.
 */
import { existsSync } from 'node:fs';

import { loadConfig } from './config.ts';
import { openDatabase } from './db/database.ts';
import { createSwitchService, type SwitchService } from './domains/sessions/switch-service.ts';
import type { SkillRoot } from './domains/skills/scan/roots.ts';
import { isInLine } from './domains/skills/scan/scan.ts';
import { createSkillsService, type SkillsService } from './domains/skills/service.ts';
import { createDisplay } from './domains/skills/skill-row.ts';
import { systemClock } from './lib/clock.ts';
import { ColibriError } from './lib/errors.ts';
import type { StartupOptions } from './startup.ts';

export interface IndexRuntime {
  readonly skills: SkillsService;
  readonly switches: SwitchService;
  close(): Promise<void>;
}

/** Null when only a full start can answer. */
export async function openIndex(options: StartupOptions): Promise<IndexRuntime | null> {
  if (options.skillsRoot !== undefined) return null;
  const config = await loadConfig({
    cwd: options.cwd ?? process.cwd(),
    env: options.env,
    home: options.home,
    flags: { workspace: options.workspace, database: options.dbPath },
  });
  if (config.surface === 'phase-0' || !existsSync(config.database)) return null;
  const { workspace, home } = config;
  const display = createDisplay({ workspace, home });
  const roots = config.roots.map((root) => ({ ...root, display: display(root.path) }));
  const db = openDatabase(config.database, { check: 'none' });
  if (!isCalm(db.handle, roots)) {
    await db.close();
    return null;
  }
  const parts = {
    db,
    roots,
    workspace,
    home,
    rescan: () => null,
    events: NO_EVENTS,
    clock: systemClock,
    logger: () => undefined,
  };
  const skills = createSkillsService(parts);
  return { skills, switches: createSwitchService({ workspace, skills }), close: () => db.close() };
}

function isCalm(handle: Parameters<typeof isInLine>[0], roots: readonly SkillRoot[]): boolean {
  try {
    return isInLine(handle, roots, systemClock);
  } catch (error) {
    // A root that cannot be read: the full start says so, or serves the last good index.
    if (error instanceof ColibriError) return false;
    throw error;
  }
}

// Whoever only reads has nothing to tell.
const NO_EVENTS = { append: () => [], appendAlone: () => [] };
