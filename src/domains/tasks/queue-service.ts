/** The embedded engine: a queue in the database, worked off by any number of processes. */
import type { RecordTransaction } from '../../db/database.ts';
import type { QueueParts } from './claim-service.ts';
import type { Engine, RunRequest } from './engine.ts';
import { CLAIMS_MAX } from './lease.ts';
import { changeRun, findRun, insertRun, type QueueSchema, type RunRow } from './queue-repository.ts';
import { createWorker, type LocalWorker } from './worker-service.ts';

const LEASE_MS = 15_000;
const POLL_MS = 100;
const RETRY_MS = 1_000;

type Timing = Pick<QueueParts, 'leaseMs' | 'pollMs' | 'retryMs'>;

export function createQueueEngine(given: Omit<QueueParts, keyof Timing> & Partial<Timing>): Engine {
  const parts: QueueParts = { leaseMs: LEASE_MS, pollMs: POLL_MS, retryMs: RETRY_MS, ...given };
  const { db, clock } = parts;
  const workers = new Set<LocalWorker>();
  const within = <T>(
    transaction: RecordTransaction | undefined,
    work: (transaction: RecordTransaction) => Promise<T>,
  ): Promise<T> => (transaction === undefined ? db.transact(work) : work(transaction));

  return {
    async enqueue(run, transaction) {
      const isNew = await within(transaction, (inside) => insertRun(inside, newRow(run, clock.now())));
      for (const worker of workers) worker.look();
      return isNew ? 'new' : 'exists';
    },
    cancel: (runId, transaction) =>
      within(transaction, async (inside) => {
        const run = await findRun(inside, runId);
        if (run?.state === 'queued') {
          await changeRun(inside, run, { state: 'cancelled', reason: 'cancelled before its turn' });
          return 'cancelled';
        }
        if (run?.state !== 'running') return 'settled';
        await changeRun(inside, run, { cancel: 1 });
        return 'asked';
      }),
    status: async (runId) => findRun(await db.records<QueueSchema>(), runId),
    work(options) {
      const worker = createWorker(options, parts);
      workers.add(worker);
      return {
        drained: worker.drained,
        async stop(how) {
          workers.delete(worker);
          await worker.stop(how);
        },
      };
    },
  };
}

function newRow(run: RunRequest, now: number): RunRow {
  return {
    run_id: run.runId,
    queue: run.queue,
    partition: run.partition,
    priority: run.priority,
    run_at: run.runAt ?? now,
    state: 'queued',
    owner: null,
    lease_until: null,
    epoch: 0,
    claims: 0,
    max_claims: CLAIMS_MAX,
    cancel: 0,
    reason: null,
  };
}
