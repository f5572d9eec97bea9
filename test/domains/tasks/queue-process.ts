/** A worker in a process of its own: `queue-process.ts <settings as JSON>`. It notes in a log what it does, line by line. */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { openDatabase } from '../../../src/db/database.ts';
import type { Claim, RunHandler, Verdict } from '../../../src/domains/tasks/engine.ts';
import { createQueueEngine } from '../../../src/domains/tasks/queue-service.ts';
import { findCheckpoints, insertWriteback, putCheckpoint } from '../../../src/domains/tasks/repository.ts';
import { PHASES } from '../../../src/domains/tasks/schema.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { ColibriError } from '../../../src/lib/errors.ts';
import { createIds } from '../../../src/lib/ids.ts';

export interface QueueSettings {
  readonly database: string;
  readonly log: string;
  readonly lanes: number;
  readonly leaseMs: number;
  readonly workMs: number;
  readonly work: 'sleep' | 'throw' | 'phases' | 'stumble' | 'writeback';
  readonly limit?: number;
  readonly pollMs?: number;
}

const settings: QueueSettings = JSON.parse(process.argv[2] ?? '{}');
const db = openDatabase(settings.database, { check: 'none' });
const engine = createQueueEngine({
  db,
  clock: systemClock,
  ids: createIds(systemClock),
  logger: () => undefined,
  leaseMs: settings.leaseMs,
  pollMs: settings.pollMs ?? 20,
  retryMs: 20,
});

function note(what: string, run: string, more: object = {}): void {
  const line = { what, run, pid: process.pid, at: Date.now(), ...more };
  appendFileSync(settings.log, `${JSON.stringify(line)}\n`);
}

async function phases(claim: Claim): Promise<void> {
  const done = await findCheckpoints(await db.records(), claim.runId);
  for (const phase of PHASES.filter((each) => !done.some((checkpoint) => checkpoint.phase === each))) {
    note('phase', claim.runId, { phase });
    await sleep(settings.workMs);
    await db.transact(async (transaction) => {
      await claim.guard(transaction);
      await putCheckpoint(transaction, {
        task_id: claim.runId,
        attempt: 1,
        phase,
        status: 'ok',
        output: null,
        head_sha: null,
        agent_id: String(process.pid),
        epoch: claim.epoch,
        started_at: '',
        ended_at: '',
      });
      await claim.advance(transaction);
    });
    if (settings.work === 'stumble') throw new Error('stumbled');
  }
}

/** Deaf to the signal on purpose: only the fence can keep it from writing. */
async function writeback(claim: Claim): Promise<void> {
  await sleep(settings.workMs);
  await db.transact(async (transaction) => {
    await claim.guard(transaction);
    await insertWriteback(transaction, {
      task_id: claim.runId,
      attempt: 1,
      agent_id: String(process.pid),
      epoch: claim.epoch,
      task_update_id: 'update',
      thought_id: 'thought',
      memory_pack_id: null,
      branch: 'feature/one',
      head_sha: '0'.repeat(40),
      dirty: false,
      commits: 1,
      at: '',
    });
  });
}

const handler: RunHandler = async (claim): Promise<Verdict> => {
  note('start', claim.runId, { epoch: claim.epoch });
  try {
    if (settings.work === 'throw') throw new Error('poison');
    if (settings.work === 'phases' || settings.work === 'stumble') await phases(claim);
    else if (settings.work === 'writeback') await writeback(claim);
    else await sleep(settings.workMs, undefined, { signal: claim.signal });
    note('end', claim.runId);
    return { kind: 'done' };
  } catch (error) {
    const reason: unknown = claim.signal.aborted ? claim.signal.reason : error;
    note('refused', claim.runId, { code: reason instanceof ColibriError ? reason.code : String(reason) });
    if (reason instanceof ColibriError && reason.code === 'RUN_CANCELLED') return { kind: 'done' };
    throw error;
  }
};

const limit = settings.limit;
const worker = engine.work({
  handler,
  lanes: settings.lanes,
  ...(limit === undefined ? {} : { limitOf: async () => limit }),
});
note('ready', '');
process.on('SIGTERM', () => {
  void worker
    .stop({ drainMs: 10_000 })
    .then(() => db.close())
    .then(() => process.exit(0));
});
