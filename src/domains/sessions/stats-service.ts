import type { Clock } from '../../lib/clock.ts';
import type { EventsService } from '../events/service.ts';
import { USES } from '../skills/search/usage-service.ts';
import type { SkillsService } from '../skills/service.ts';
import { createUsageTally, type UsageStats } from './stats.ts';

export interface StatsParts {
  readonly events: Pick<EventsService, 'read'>;
  readonly skills: Pick<SkillsService, 'names'>;
  readonly clock: Clock;
}

export interface StatsRequest {
  /** Only the last so many days. */
  readonly days?: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Reads the log page by page. Nothing of it leaves this machine. */
export async function usageStats(
  { events, skills, clock }: StatsParts,
  { days }: StatsRequest = {},
): Promise<UsageStats> {
  const since = days === undefined ? '' : new Date(clock.now() - days * DAY_MS).toISOString();
  const tally = createUsageTally();
  let after = 0;
  for (;;) {
    const rows = await events.read({ types: USES, after });
    for (const row of rows) if (row.at >= since) tally.add(row);
    const last = rows.at(-1);
    if (last === undefined) return tally.stats(skills.names());
    after = last.seq;
  }
}
