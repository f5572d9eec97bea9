/** How skills were used, counted from the event log. Pure. */
import type { EventRow } from '../events/schema.ts';

/** What was done with one skill. */
export interface SkillUse {
  readonly name: string;
  /** How often its text was given out. */
  readonly loads: number;
  /** How often a person asked for that with a command. */
  readonly invocations: number;
  /** In how many sessions either happened. */
  readonly sessions: number;
  /** What its text has cost in context, all loads together. */
  readonly tokens: number;
  /** ISO-8601 UTC. */
  readonly last_used: string;
  /** Whether the skill is still in the index. */
  readonly indexed: boolean;
}

export interface UsageStats {
  /** The most used first. */
  readonly used: readonly SkillUse[];
  /** Indexed skills that were not used at all, by name. */
  readonly unused: readonly string[];
}

interface Tally {
  loads: number;
  invocations: number;
  tokens: number;
  last: string;
  readonly sessions: Set<string>;
}

export interface UsageTally {
  add(row: Pick<EventRow, 'type' | 'at' | 'session_id' | 'payload'>): void;
  /** Beside the names of the skills that are there now. */
  stats(names: readonly string[]): UsageStats;
}

/** One `add` per event that says that a skill was used. */
export function createUsageTally(): UsageTally {
  const tallies = new Map<string, Tally>();
  return {
    add({ type, at, session_id, payload }) {
      // Both types carry the name; only a load has a size.
      const { name, load_size_tokens = 0 } = JSON.parse(payload) as UsePayload;
      const tally = tallies.get(name) ?? {
        loads: 0,
        invocations: 0,
        tokens: 0,
        last: '',
        sessions: new Set<string>(),
      };
      tallies.set(name, tally);
      if (type === 'skill.loaded') tally.loads++;
      else tally.invocations++;
      tally.tokens += load_size_tokens;
      if (at > tally.last) tally.last = at;
      if (session_id !== null) tally.sessions.add(session_id);
    },
    stats(names) {
      const indexed = new Set(names);
      const used = [...tallies].map(([name, { last, sessions, ...counts }]) => ({
        ...{ name, ...counts, sessions: sessions.size },
        last_used: last,
        indexed: indexed.has(name),
      }));
      return {
        used: used.sort(byUse),
        unused: names.filter((name) => !tallies.has(name)),
      };
    },
  };
}

interface UsePayload {
  readonly name: string;
  readonly load_size_tokens?: number;
}

function byUse(a: SkillUse, b: SkillUse): number {
  return b.loads - a.loads || b.invocations - a.invocations || (a.name < b.name ? -1 : 1);
}
