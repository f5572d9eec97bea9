/** The part of the composition root that compares copies of skills, and the skills of today with those of a round. */
import type { Config } from './config.ts';
import type { ColibriDatabase } from './db/database.ts';
import type { EventsService } from './domains/events/service.ts';
import type { DriftService } from './domains/integrity/drift-service.ts';
import { type DriftWatch, watchDrift } from './domains/integrity/drift-watch.ts';
import type { HostService } from './domains/integrity/host-service.ts';
import type { RoundService } from './domains/integrity/round-service.ts';
import type { SyncService } from './domains/integrity/sync-service.ts';
import { registerIntegrityTools } from './domains/integrity/tools.ts';
import { displayPath } from './domains/skills/display-path.ts';
import type { RootRefusals } from './domains/skills/scan/roots.ts';
import type { SkillsService } from './domains/skills/service.ts';
import type { Clock } from './lib/clock.ts';
import type { Logger } from './lib/logger.ts';
import type { ColibriServerContext } from './server.ts';

export interface Integrity {
  readonly drift: DriftService;
  readonly sync: SyncService;
  readonly rounds: RoundService;
  readonly hosts: HostService;
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
  readonly refusals: RootRefusals;
}

export function openIntegrity(db: ColibriDatabase, parts: IntegrityParts): OpenedIntegrity {
  const { ctx, config, skills, logger } = parts;
  // Most commands compare nothing, so the code for it is loaded by the first that does.
  let opened: ReturnType<typeof createServices> | undefined;
  const open = () => (opened ??= createServices(db, parts));
  const services: Integrity = {
    drift: { check: async (options) => (await open()).drift.check(options) },
    sync: { sync: async (request) => (await open()).sync.sync(request) },
    rounds: {
      start: async (request) => (await open()).rounds.start(request),
      list: async () => (await open()).rounds.list(),
      get: async (which) => (await open()).rounds.get(which),
      compare: async (before, after) => (await open()).rounds.compare(before, after),
    },
    hosts: { view: async (host) => (await openHosts(config, logger)).view(host) },
  };
  if (config.surface === 'full') registerIntegrityTools(ctx, services);
  return { services, watch: () => watchDrift({ drift: services.drift, skills, logger }) };
}

async function openHosts({ workspace, home }: Config, logger: Logger): Promise<HostService> {
  const { createHostService } = await import('./domains/integrity/host-service.ts');
  const display = (absolute: string) => displayPath(absolute, { workspace, home });
  return createHostService({ workspace, home, display, logger });
}

async function createServices(
  db: ColibriDatabase,
  { ctx, config, skills, events, clock, refusals }: IntegrityParts,
): Promise<Omit<Integrity, 'hosts'>> {
  const [{ createTreeReader }, { createDriftService }, { createSyncService }, { createRoundService }] =
    await Promise.all([
      import('./domains/integrity/drift-reader.ts'),
      import('./domains/integrity/drift-service.ts'),
      import('./domains/integrity/sync-service.ts'),
      import('./domains/integrity/round-service.ts'),
    ]);
  const { workspace, home } = config;
  const display = (absolute: string) => displayPath(absolute, { workspace, home });
  const parts = { db, events, clock, roots: skills.roots, reader: createTreeReader(clock), display };
  return {
    drift: createDriftService(parts),
    sync: createSyncService({ ...parts, skills, refusals }),
    rounds: createRoundService({ ...parts, skills, ids: ctx.ids }),
  };
}
