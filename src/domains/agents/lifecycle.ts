/** The states of an agent and the eight ways between them; and what a run does to the history of its profile. Pure. */
import type { AgentState, FailCode, ProfileHistory } from './schema.ts';

const EDGES: Readonly<Record<AgentState, readonly AgentState[]>> = {
  PENDING: ['INITIALIZING', 'FAILED'],
  INITIALIZING: ['READY', 'FAILED'],
  READY: ['BUSY', 'FAILED'],
  BUSY: ['TERMINATED', 'FAILED'],
  TERMINATED: [],
  FAILED: [],
};

export function nextStates(from: AgentState): readonly AgentState[] {
  return EDGES[from];
}

export function hasEnded(state: AgentState): boolean {
  return EDGES[state].length === 0;
}

/** Ends that say nothing about how good the profile is. */
const NOBODYS_FAULT: ReadonlySet<FailCode | 'ok'> = new Set(['CANCELLED', 'HOST_LOST', 'LEASE_LOST']);

export function historyAfter(
  { success_rate, avg_duration_ms, total_runs }: ProfileHistory,
  run: { readonly code: FailCode | 'ok'; readonly durationMs: number },
): ProfileHistory {
  if (NOBODYS_FAULT.has(run.code)) return { success_rate, avg_duration_ms, total_runs };
  const runs = total_runs + 1;
  const success = run.code === 'ok' ? 1 : 0;
  return {
    success_rate: success_rate + (success - success_rate) / runs,
    avg_duration_ms: avg_duration_ms + (run.durationMs - avg_duration_ms) / runs,
    total_runs: runs,
  };
}
