/** One process's share in working off the queue: takes runs, and takes over those of workers that died. */
import { messageOf } from '../../lib/errors.ts';
import { type Claimer, claimNext, giveBack, type QueueParts } from './claim-service.ts';
import type { Worker, WorkOptions } from './engine.ts';
import { createLanes } from './lanes-service.ts';
import { judgeLeases, type Suspects } from './lease.ts';
import { countOpen, expiredRuns, findRun, type QueueSchema } from './queue-repository.ts';

export interface LocalWorker extends Worker {
  /** Looks for runs now instead of at the next poll. */
  look(): void;
}

const DRAIN_MS = 10_000;
/** Leases are renewed this many times in their span. */
const BEATS = 3;

export function createWorker(options: WorkOptions, parts: QueueParts): LocalWorker {
  const { logger } = parts;
  const claimer: Claimer = { ...parts, options, owner: parts.ids.ulid() };
  const beatMs = parts.leaseMs / BEATS;
  const waiters = new Set<() => void>();
  let stopping = false;
  let busy: Promise<void> | null = null;
  let again = false;

  const look = (): void => {
    again = true;
    busy ??= tick();
  };
  const lanes = createLanes(claimer, { beatMs, onFree: look });
  const reap = createReaper(claimer, { graceMs: parts.leaseMs, isHere: lanes.has });
  const fill = async (): Promise<void> => {
    while (!stopping && lanes.size() < options.lanes) {
      const row = await claimNext(claimer);
      if (row === null) return;
      lanes.start(row);
    }
  };
  const tick = async (): Promise<void> => {
    do {
      again = false;
      try {
        await lanes.beat();
        if (!stopping) await reap();
        await fill();
        if (waiters.size > 0 && lanes.size() === 0 && (await isDrained(claimer)))
          for (const tell of waiters) tell();
      } catch (error) {
        // The store may be away for a moment; everything is looked at again at the next poll.
        logger('[colibri] the queue could not be read:', messageOf(error));
      }
    } while (again && !stopping);
    busy = null;
  };
  const timer = setInterval(look, parts.pollMs);
  look();

  return {
    look,
    drained: () =>
      new Promise((resolve) => {
        waiters.add(resolve);
        look();
      }),
    async stop({ drainMs = DRAIN_MS } = {}) {
      stopping = true;
      // Whoever is being waited for keeps its lease until then: the timer goes on.
      await busy;
      await lanes.end(drainMs);
      clearInterval(timer);
      await busy;
    },
  };
}

/**
 * Puts runs back into the queue whose workers have died. While nobody can write, no lease can be renewed either, so
 * only time in which the store was writable counts against a lease.
 */
function createReaper(
  claimer: Claimer,
  { graceMs, isHere }: { readonly graceMs: number; readonly isHere: (runId: string) => boolean },
): () => Promise<void> {
  const { db, clock, logger, options } = claimer;
  const readExpired = async () => expiredRuns(await db.records<QueueSchema>(), clock.now());
  let suspects: Suspects = new Map();
  return async () => {
    let expired = await readExpired();
    if (expired.some(({ run_id }) => !suspects.has(run_id))) {
      await db.transact(async () => undefined);
      expired = await readExpired();
    }
    const judgedAt = clock.monotonic();
    const judged = judgeLeases(expired, suspects, { now: judgedAt, graceMs });
    suspects = judged.suspects;
    for (const row of expired) {
      if (!judged.lost.includes(row.run_id) || isHere(row.run_id)) continue;
      await db.transact(async (transaction) => {
        if (clock.monotonic() - judgedAt > graceMs) return;
        logger(`[colibri] the worker of run ${row.run_id} is gone; the run goes back into the queue`);
        await giveBack(transaction, row, { options, runAt: clock.now(), reason: 'its worker died' });
      });
    }
  };
}

async function isDrained({ db, options }: Claimer): Promise<boolean> {
  const records = await db.records<QueueSchema>();
  if (options.only === undefined) return (await countOpen(records)) === 0;
  const run = await findRun(records, options.only);
  return run === null || (run.state !== 'queued' && run.state !== 'running');
}
