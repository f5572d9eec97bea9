/** How often each skill was loaded or invoked, counted from the log. Only the names are looked at. */
import type { EventRow } from '../../events/schema.ts';

export interface UsageCounter {
  /** Counts what was recorded since the last time. */
  refresh(): Promise<void>;
  of(name: string): number;
}

export interface UsageEvents {
  read(filter: { readonly after: number; readonly types: readonly string[] }): Promise<readonly EventRow[]>;
}

/** Types of events that say that a skill was used. Each carries its name. */
export const USES: readonly string[] = ['skill.loaded', 'skill.invoked'];

export function createUsageCounter(events: UsageEvents): UsageCounter {
  const uses = new Map<string, number>();
  let last = 0;
  return {
    async refresh() {
      for (let rows = await events.read({ after: last, types: USES }); rows.length > 0; ) {
        for (const { seq, payload } of rows) {
          // Both types carry the name.
          const { name } = JSON.parse(payload) as { readonly name: string };
          uses.set(name, (uses.get(name) ?? 0) + 1);
          last = Math.max(last, seq);
        }
        rows = await events.read({ after: last, types: USES });
      }
    },
    of: (name) => uses.get(name) ?? 0,
  };
}
