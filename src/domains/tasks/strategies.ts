/** Ways to choose one of several fitting profiles, and the order of waiting tasks. Pure, and blind to the order of input. */
import type { AgentProfile } from '../agents/schema.ts';
import type { Strategy, Task } from './schema.ts';

/** What a strategy looks at. */
export interface Candidate {
  readonly profile: Pick<AgentProfile, 'agent_type' | 'skills' | 'limits' | 'history' | 'last_assigned_at'>;
  /** Agents of the profile that have not ended. */
  readonly active: number;
  /** Skills that the task requires. */
  readonly required: number;
}

/** Parts of a score, each from 0 to 1. */
export interface Score {
  readonly headroom: number;
  readonly success: number;
  readonly speed: number;
  readonly fit: number;
  readonly total: number;
}

const WEIGHTS = { headroom: 0.4, success: 0.35, speed: 0.15, fit: 0.1 } as const;
/** A new profile counts as one with so many runs of middling success, so that it is neither barred nor the best. */
const PRIOR_RUNS = 5;
const PRIOR_SUCCESS = 0.7;
const UNKNOWN_SPEED = 0.5;

export function isFull({ profile, active }: Candidate): boolean {
  return active >= profile.limits.max_concurrent_tasks;
}

/** The profile that gets the task; null when all are full. */
export function choose(strategy: Strategy, candidates: readonly Candidate[]): Candidate | null {
  return rank(strategy, candidates)[0] ?? null;
}

/** Those that have room, best first. */
export function rank(strategy: Strategy, candidates: readonly Candidate[]): readonly Candidate[] {
  const free = candidates.filter((candidate) => !isFull(candidate));
  return free.sort(comparison(strategy, free));
}

type Compare = (a: Candidate, b: Candidate) => number;

function comparison(strategy: Strategy, free: readonly Candidate[]): Compare {
  switch (strategy) {
    case 'FIFO':
    case 'PRIORITY_QUEUE':
      // These put tasks in order; any profile will do.
      return byName;
    case 'ROUND_ROBIN':
      return inTurn(byAssignment, byName);
    case 'LEAST_LOADED':
      return inTurn((a, b) => a.active - b.active, byAssignment, byName);
    case 'CAPACITY_AWARE': {
      const middle = medianDuration(free);
      const total = (candidate: Candidate) => score(candidate, middle).total;
      return inTurn(
        (a, b) => total(b) - total(a),
        (a, b) => a.active - b.active,
        byAssignment,
        byName,
      );
    }
  }
}

function inTurn(...orders: readonly Compare[]): Compare {
  return (a, b) => {
    for (const order of orders) {
      const result = order(a, b);
      if (result !== 0) return result;
    }
    return 0;
  };
}

function byName(a: Candidate, b: Candidate): number {
  return compareText(a.profile.agent_type, b.profile.agent_type);
}

/** Whoever waited longest; a profile that never had a turn first. */
function byAssignment(a: Candidate, b: Candidate): number {
  return compareText(a.profile.last_assigned_at ?? '', b.profile.last_assigned_at ?? '');
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function score({ profile, active, required }: Candidate, middleMs: number | null): Score {
  const { limits, history, skills } = profile;
  const headroom = Math.max(0, 1 - active / limits.max_concurrent_tasks);
  const runs = history.total_runs;
  const success = (history.success_rate * runs + PRIOR_SUCCESS * PRIOR_RUNS) / (runs + PRIOR_RUNS);
  const known = runs > 0 && middleMs !== null && history.avg_duration_ms > 0;
  const speed = known ? Math.min(1, middleMs / history.avg_duration_ms) : UNKNOWN_SPEED;
  // A specialist, whose few skills are those that are needed, comes before a jack of all trades.
  const fit = skills.length === 0 ? 0 : Math.min(1, required / skills.length);
  const parts = { headroom, success, speed, fit };
  const total =
    WEIGHTS.headroom * headroom + WEIGHTS.success * success + WEIGHTS.speed * speed + WEIGHTS.fit * fit;
  return { ...parts, total };
}

/** Of the profiles that have run; null when none has. */
export function medianDuration(candidates: readonly Candidate[]): number | null {
  const durations = candidates
    .filter(({ profile }) => profile.history.total_runs > 0)
    .map(({ profile }) => profile.history.avg_duration_ms)
    .sort((a, b) => a - b);
  const middle = Math.floor(durations.length / 2);
  const upper = durations[middle];
  if (upper === undefined) return null;
  return durations.length % 2 === 1 ? upper : ((durations[middle - 1] ?? upper) + upper) / 2;
}

/** How the queue sees a task: under FIFO only its age counts. */
export function queuePriority({ strategy, priority }: Pick<Task, 'strategy' | 'priority'>): number {
  return strategy === 'FIFO' ? 0 : priority;
}
