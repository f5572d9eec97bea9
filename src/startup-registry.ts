/** The part of the composition root that opens the index of skills. */
import path from 'node:path';

import type { Config } from './config.ts';
import type { ColibriDatabase } from './db/database.ts';
import { createEventLog } from './domains/events/log-repository.ts';
import { createDisplay } from './domains/skills/display-path.ts';
import { loadSkillsFromDisk } from './domains/skills/repository.ts';
import type { SkillRoot } from './domains/skills/scan/roots.ts';
import { scanRoots } from './domains/skills/scan/scan.ts';
import { createScanRepository } from './domains/skills/scan/scan-repository.ts';
import type { ScanChanges } from './domains/skills/scan/scan-write.ts';
import { createSkillsService, type SkillsService } from './domains/skills/service.ts';
import type { Clock } from './lib/clock.ts';
import { ColibriError } from './lib/errors.ts';
import type { Ids } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';

interface RegistryParts {
  readonly config: Config;
  readonly skillsRoot: string | undefined;
  readonly progress: ((done: number, total: number) => void) | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
}

export function openRegistry(
  db: ColibriDatabase,
  { config, skillsRoot, progress, logger, clock, ids }: RegistryParts,
): SkillsService {
  const { workspace, home } = config;
  const display = createDisplay({ workspace, home });
  const [first] = config.roots;
  const single = skillsRoot ?? (config.surface === 'phase-0' ? first?.path : undefined);
  const roots: readonly SkillRoot[] =
    single === undefined
      ? config.roots.map((root) => ({ ...root, display: display(root.path) }))
      : [
          {
            path: path.resolve(workspace, single),
            display: display(path.resolve(workspace, single)),
            source: 'workspace',
            profile: 'strict',
            depth: 1,
          },
        ];
  const events = createEventLog(db.handle, { clock, ids });
  const repository = createScanRepository(db.handle);
  const rescan = (): ScanChanges | null => {
    const [root] = roots;
    if (single === undefined || root === undefined) {
      return scanRoots(roots, { repository, events, clock, logger, display, progress });
    }
    const { loaded, pruned } = loadSkillsFromDisk(db.handle, root.path, logger, { workspace, clock });
    return { added: 0, changed: loaded, removed: pruned, shadowed: 0 };
  };
  return createSkillsService({ db, roots, rescan, events, workspace, home, logger, clock });
}

/** A root that cannot be read must not take the server down while the last good index is there. */
export async function firstLoad(
  skills: SkillsService,
  { logger, keep }: { readonly logger: Logger; readonly keep: boolean },
): Promise<string | null> {
  try {
    await skills.reload();
    // Who serves others answers with the state it knows, also between an edit and the scan that notices it.
    if (keep) await skills.keep();
    return null;
  } catch (error) {
    if (!(error instanceof ColibriError) || error.code !== 'ROOT_UNREADABLE' || skills.count() === 0)
      throw error;
    logger('[colibri] serving the last good index:', error.message);
    return error.message;
  }
}
