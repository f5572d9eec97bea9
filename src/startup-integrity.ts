/** The part of the composition root that compares copies of skills. */
import type { Config } from './config.ts';
import type { ColibriDatabase } from './db/database.ts';
import type { EventsService } from './domains/events/service.ts';
import { createTreeReader } from './domains/integrity/drift-reader.ts';
import { createDriftService, type DriftService } from './domains/integrity/drift-service.ts';
import { type DriftWatch, watchDrift } from './domains/integrity/drift-watch.ts';
import { createSyncService, type SyncService } from './domains/integrity/sync-service.ts';
import { registerIntegrityTools } from './domains/integrity/tools.ts';
import type { SkillsService } from './domains/skills/service.ts';
import { displayPath } from './domains/skills/skill-row.ts';
import type { Clock } from './lib/clock.ts';
import type { Logger } from './lib/logger.ts';
import type { ColibriServerContext } from './server.ts';

export interface Integrity {
  readonly drift: DriftService;
  readonly sync: SyncService;
}

interface OpenedIntegrity {
  readonly services: Integrity;
  /** Looks for drift while a server runs. */
  watch(): DriftWatch;
}

interface IntegrityParts {
  readonly ctx: ColibriServerContext;
  readonly config: Config;
  readonly skills: SkillsService;
  readonly events: EventsService;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function openIntegrity(
  db: ColibriDatabase,
  { ctx, config, skills, events, clock, logger }: IntegrityParts,
): OpenedIntegrity {
  const { workspace, home } = config;
  const parts = {
    db,
    events,
    clock,
    roots: skills.roots,
    reader: createTreeReader(clock),
    display: (absolute: string) => displayPath(absolute, { workspace, home }),
  };
  const services: Integrity = {
    drift: createDriftService(parts),
    sync: createSyncService({ ...parts, skills, workspace }),
  };
  if (config.surface === 'full') registerIntegrityTools(ctx, services);
  return { services, watch: () => watchDrift({ drift: services.drift, skills, logger }) };
}
