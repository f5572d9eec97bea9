/** The runs that are under way in this process: keeps their leases, and tells them when they have lost one. */
import { type Claimer, claimOf, isOurs, release, workOff } from './claim-service.ts';
import type { Claim } from './engine.ts';
import { isLeaseLost, leaseLost, runCancelled } from './lease.ts';
import { changeRun, findRuns, type QueueSchema, type RunRow } from './queue-repository.ts';

export interface Lanes {
  readonly size: () => number;
  readonly has: (runId: string) => boolean;
  start(row: RunRow): void;
  /** Renews the leases that are due and hears what the rows say. */
  beat(): Promise<void>;
  /** Waits so long for the runs under way, then lets go of them. */
  end(drainMs: number): Promise<void>;
}

interface Lane {
  readonly claim: Claim;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  /** By the clock that never runs backwards. */
  renewedAt: number;
}

/** How long handlers may take to let go after their runs were taken from them. */
const RELEASE_MS = 30_000;

export function createLanes(
  claimer: Claimer,
  { beatMs, onFree }: { readonly beatMs: number; readonly onFree: () => void },
): Lanes {
  const { db, clock, owner, leaseMs } = claimer;
  const lanes = new Map<string, Lane>();

  const renew = async (row: RunRow, lane: Lane): Promise<void> => {
    const change = { lease_until: clock.now() + leaseMs };
    const renewed = await db.transact((transaction) => changeRun(transaction, row, change));
    if (renewed) lane.renewedAt = clock.monotonic();
    else lane.abort.abort(leaseLost(row.run_id));
  };

  return {
    size: () => lanes.size,
    has: (runId) => lanes.has(runId),
    start(row) {
      const abort = new AbortController();
      const claim = claimOf(row, owner, abort.signal);
      const ended = workOff(claim, claimer).finally(() => {
        lanes.delete(row.run_id);
        onFree();
      });
      lanes.set(row.run_id, { claim, abort, ended, renewedAt: clock.monotonic() });
    },
    async beat() {
      if (lanes.size === 0) return;
      for (const row of await findRuns(await db.records<QueueSchema>(), [...lanes.keys()])) {
        const lane = lanes.get(row.run_id);
        if (lane === undefined) continue;
        if (!isOurs(row, lane.claim, owner)) lane.abort.abort(leaseLost(row.run_id));
        else if (row.cancel === 1) lane.abort.abort(runCancelled(row.run_id));
        const mine = !isLeaseLost(lane.abort.signal.reason);
        if (mine && clock.monotonic() - lane.renewedAt >= beatMs) await renew(row, lane);
      }
    },
    async end(drainMs) {
      await within(drainMs, allEnded(lanes));
      const left = [...lanes.values()];
      for (const { claim, abort } of left) abort.abort(leaseLost(claim.runId));
      await within(RELEASE_MS, allEnded(lanes));
      for (const { claim } of left) await release(claim, claimer);
    },
  };
}

function allEnded(lanes: ReadonlyMap<string, Lane>): Promise<unknown> {
  return Promise.all([...lanes.values()].map(({ ended }) => ended));
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
