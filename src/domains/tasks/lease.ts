/** Decisions about leases: when one counts as lost, and what becomes of the run. Pure. */
import { ColibriError } from '../../lib/errors.ts';

/** Claims that a run may use up without coming to an end: each is a worker that died, or a handler that threw. */
export const CLAIMS_MAX = 5;

/** What decides about a run that is claimed. */
export interface Leased {
  readonly run_id: string;
  readonly lease_until: number | null;
  readonly claims: number;
  readonly max_claims: number;
}

/** When each expired lease was first seen, by the watcher's own clock. */
export type Suspects = ReadonlyMap<string, { readonly leaseUntil: number; readonly since: number }>;

/**
 * Expired is not dead: after a suspended laptop or a locked database every lease is old, and its owner only needs a
 * moment to renew it. So a lease is taken away when it was seen expired, unchanged, for `graceMs`.
 */
export function judgeLeases(
  expired: readonly Pick<Leased, 'run_id' | 'lease_until'>[],
  suspects: Suspects,
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): { readonly suspects: Suspects; readonly lost: readonly string[] } {
  const next = new Map<string, { leaseUntil: number; since: number }>();
  const lost: string[] = [];
  for (const { run_id, lease_until } of expired) {
    const leaseUntil = lease_until ?? 0;
    const known = suspects.get(run_id);
    const since = known?.leaseUntil === leaseUntil ? known.since : now;
    if (now - since >= graceMs) lost.push(run_id);
    else next.set(run_id, { leaseUntil, since });
  }
  return { suspects: next, lost };
}

/** Whether a run that did not come to an end may be tried once more. */
export function mayClaimAgain({ claims, max_claims }: Pick<Leased, 'claims' | 'max_claims'>): boolean {
  return claims < max_claims;
}

export function isLeaseLost(reason: unknown): boolean {
  return reason instanceof ColibriError && reason.code === 'LEASE_LOST';
}

export function leaseLost(runId: string): ColibriError {
  const message = `the run ${runId} was taken over by another worker; nothing more is written for it`;
  return new ColibriError('LEASE_LOST', message, { run_id: runId });
}

export function runCancelled(runId: string): ColibriError {
  return new ColibriError('RUN_CANCELLED', `the run ${runId} was cancelled`, { run_id: runId });
}
