/** The part of the composition root that brings the index in line with the disk, and loads nothing else. */
import type { Config } from './config.ts';
import type { ColibriDatabase } from './db/database.ts';
import { createEventLog, type EventLogParts } from './domains/events/log-repository.ts';
import type { EventLog } from './domains/events/schema.ts';
import { createDisplay } from './domains/skills/display-path.ts';
import type { SkillRoot } from './domains/skills/scan/roots.ts';
import { scanRoots } from './domains/skills/scan/scan.ts';
import { createScanRepository } from './domains/skills/scan/scan-repository.ts';
import type { ScanChanges } from './domains/skills/scan/scan-write.ts';
import type { Clock } from './lib/clock.ts';
import { createIds, type Ids } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';

export interface ScanParts {
  readonly config: Pick<Config, 'workspace' | 'home'>;
  readonly progress: ((done: number, total: number) => void) | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Default: its own. */
  readonly ids?: Ids;
  /** What events have to pass. */
  readonly check: EventLogParts['check'];
}

export interface Scanner {
  readonly events: EventLog;
  /** Null when nothing had changed. To be called inside `db.write`. */
  scan(roots: readonly SkillRoot[]): ScanChanges | null;
}

export function openScanner(
  db: ColibriDatabase,
  { config, progress, logger, clock, ids = createIds(clock), check }: ScanParts,
): Scanner {
  const display = createDisplay(config);
  const events = createEventLog(db.handle, { clock, ids, check });
  const repository = createScanRepository(db.handle);
  return {
    events,
    scan: (roots) => scanRoots(roots, { repository, events, clock, logger, display, progress }),
  };
}
