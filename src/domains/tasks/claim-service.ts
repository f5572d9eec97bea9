/** Taking runs from the queue and putting them back, each in one transaction that a lost lease cannot pass. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Claim, Verdict, WorkOptions } from './engine.ts';
import { isLeaseLost, leaseLost, mayClaimAgain } from './lease.ts';
import {
  changeRun,
  findRun,
  nextRun,
  type QueueSchema,
  type RunRow,
  waitingPartitions,
} from './queue-repository.ts';

export interface QueueParts {
  readonly db: ColibriDatabase;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** How long a claim counts without being renewed. */
  readonly leaseMs: number;
  /** How often a worker looks for runs. */
  readonly pollMs: number;
  /** How long a run waits after its handler threw. */
  readonly retryMs: number;
}

/** A worker, as far as rows know it. */
export interface Claimer extends QueueParts {
  readonly owner: string;
  readonly options: WorkOptions;
}

export async function claimNext(claimer: Claimer): Promise<RunRow | null> {
  const { db, clock, leaseMs, owner } = claimer;
  const { only, limitOf } = claimer.options;
  const records = await db.records<QueueSchema>();
  // A look without a transaction is free, and most looks find nothing.
  if ((await nextRun(records, { now: clock.now(), only })) === null) return null;
  const limits = new Map<string, number>();
  for (const partition of (await waitingPartitions(records)).keys())
    if (limitOf !== undefined) limits.set(partition, await limitOf(partition));
  return db.transact(async (transaction) => {
    const full = [...(await waitingPartitions(transaction))]
      .filter(([partition, running]) => running >= (limits.get(partition) ?? Number.POSITIVE_INFINITY))
      .map(([partition]) => partition);
    const row = await nextRun(transaction, { now: clock.now(), only, without: full });
    if (row === null) return null;
    const claimed = {
      state: 'running',
      owner,
      epoch: row.epoch + 1,
      claims: row.claims + 1,
      lease_until: clock.now() + leaseMs,
      reason: null,
    } as const;
    return (await changeRun(transaction, row, claimed)) ? { ...row, ...claimed } : null;
  });
}

export function claimOf(row: RunRow, owner: string, signal: AbortSignal): Claim {
  const claim = { runId: row.run_id, epoch: row.epoch, claims: row.claims, signal };
  return {
    ...claim,
    async guard(transaction) {
      // A lease that a stopping worker gives away is lost before the row says so.
      if (signal.aborted && isLeaseLost(signal.reason)) throw signal.reason;
      const current = await findRun(transaction, claim.runId);
      if (current === null || !isOurs(current, claim, owner)) throw leaseLost(claim.runId);
    },
    async advance(transaction) {
      await changeRun(transaction, { ...row, state: 'running' }, { claims: 0 });
    },
  };
}

export function isOurs(row: RunRow, claim: Pick<Claim, 'epoch'>, owner: string): boolean {
  return row.state === 'running' && row.epoch === claim.epoch && row.owner === owner;
}

const SETTLE_TRIES = 3;

/** Never throws: whatever the handler did, the row says what comes next, or belongs to somebody else. */
export async function workOff(claim: Claim, claimer: Claimer): Promise<void> {
  const { db, logger, owner } = claimer;
  const ending = await runHandler(claim, claimer);
  if (ending === null) return;
  for (let tries = 1; tries <= SETTLE_TRIES; tries++) {
    try {
      await db.transact(async (transaction) => {
        const row = await findRun(transaction, claim.runId);
        if (row !== null && isOurs(row, claim, owner)) await ending(transaction, row);
      });
      return;
    } catch (error) {
      // After the last try the lease runs out, and whoever takes the run over finds its work done.
      logger(`[colibri] the end of run ${claim.runId} could not be recorded:`, messageOf(error));
    }
  }
}

type Ending = (transaction: RecordTransaction, row: RunRow) => Promise<unknown>;

/** How the row is to be changed; null when it is not ours to change any more. */
async function runHandler(claim: Claim, claimer: Claimer): Promise<Ending | null> {
  const { clock, logger, retryMs, options } = claimer;
  try {
    const verdict = await options.handler(claim);
    return (transaction, row) => settle(transaction, row, verdict);
  } catch (error) {
    if (isLeaseLost(claim.signal.reason) || isLeaseLost(error)) return null;
    const reason = messageOf(error);
    logger(`[colibri] the run ${claim.runId} failed:`, reason);
    const runAt = clock.now() + retryMs;
    return (transaction, row) => giveBack(transaction, row, { options, runAt, reason });
  }
}

function settle(transaction: RecordTransaction, row: RunRow, verdict: Verdict): Promise<boolean> {
  const free = { owner: null, lease_until: null } as const;
  if (row.cancel === 1) return changeRun(transaction, row, { ...free, state: 'cancelled' });
  if (verdict.kind === 'done') return changeRun(transaction, row, { ...free, state: 'done' });
  return changeRun(transaction, row, { ...free, state: 'queued', run_at: verdict.runAt, claims: 0 });
}

/** Back into the queue, or given up when it has used up its claims. */
export async function giveBack(
  transaction: RecordTransaction,
  row: RunRow,
  how: { readonly options: WorkOptions; readonly runAt: number; readonly reason: string },
): Promise<void> {
  const { options, runAt, reason } = how;
  const free = { owner: null, lease_until: null, reason } as const;
  if (row.cancel === 0 && mayClaimAgain(row)) {
    await changeRun(transaction, row, { ...free, state: 'queued', run_at: runAt });
    return;
  }
  const state = row.cancel === 1 ? 'cancelled' : 'dead';
  const given = await changeRun(transaction, row, { ...free, state });
  if (given) await options.onGivenUp?.(transaction, { runId: row.run_id, state, reason });
}

/** What a stopping worker could not finish is free for the next one at once, and costs the run nothing. */
export async function release(claim: Claim, { db, clock }: QueueParts): Promise<void> {
  await db.transact((transaction) =>
    changeRun(
      transaction,
      { run_id: claim.runId, state: 'running', epoch: claim.epoch },
      { state: 'queued', owner: null, lease_until: null, run_at: clock.now(), claims: 0 },
    ),
  );
}
