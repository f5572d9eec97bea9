/** The part of the composition root that opens the index of skills. */
import path from 'node:path';

import type { Config } from './config.ts';
import type { ColibriDatabase } from './db/database.ts';
import { checkPayload } from './domains/events/schema.ts';
import { createDisplay } from './domains/skills/display-path.ts';
import { loadSkillsFromDisk } from './domains/skills/repository.ts';
import type { SkillRoot } from './domains/skills/scan/roots.ts';
import type { ScanChanges } from './domains/skills/scan/scan-write.ts';
import { createSkillsService, type SkillsService } from './domains/skills/service.ts';
import { ColibriError } from './lib/errors.ts';
import type { Ids } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import { openScanner, type ScanParts } from './startup-scan.ts';

interface RegistryParts extends Omit<ScanParts, 'check'> {
  readonly config: Config;
  readonly ids: Ids;
  readonly skillsRoot: string | undefined;
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
  const { events, scan } = openScanner(db, { config, progress, logger, clock, ids, check: checkPayload });
  const rescan = (): ScanChanges | null => {
    const [root] = roots;
    if (single === undefined || root === undefined) return scan(roots);
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
