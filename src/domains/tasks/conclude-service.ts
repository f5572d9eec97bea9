/** The end of a run, in the transaction that ends its agent: done, tried again, or blocked. */
import type { RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import type { RunFacts, RunOutcome } from '../agents/schema.ts';
import type { EventsService } from '../events/service.ts';
import type { PhaseFailure } from './phases-service.ts';
import { afterFailure, isClosed, isTransient } from './pipeline.ts';
import { changeTask, findCheckpoints, findTask, insertWriteback, putCheckpoint } from './repository.ts';
import type { Phase, Task } from './schema.ts';
import { type TakeStep, taskEvent } from './steps-service.ts';
import type { WritebackCheck } from './writeback.ts';

export interface RunEnd {
  readonly outcome: RunOutcome;
  /** When to try again, in milliseconds since 1970; null when there is nothing to try. */
  readonly retryAt: number | null;
}

interface Ended {
  readonly taskId: string;
  readonly outcome: RunOutcome;
  /** What the phases came to, if they came to a bad end. */
  readonly failure: PhaseFailure | null;
  readonly written: { readonly check: WritebackCheck; readonly facts: RunFacts } | null;
  readonly epoch: number;
}

interface Parts {
  readonly events: EventsService;
  readonly clock: Clock;
  readonly take: TakeStep;
}

const SUPERVISOR = 'supervisor';

/** Says when the run is to be tried again; null when never. */
export async function concludeRun(
  parts: Parts,
  transaction: RecordTransaction,
  ended: Ended,
): Promise<number | null> {
  const task = await findTask(transaction, ended.taskId);
  if (task === null) return null;
  const { branch, headAfter } = ended.outcome;
  const place = { branch: branch ?? task.branch, head_sha: headAfter ?? task.head_sha };
  // Cancelled or blocked by a person meanwhile: that stands, but where the work lies is worth knowing.
  if (isClosed(task.state) || task.state === 'BLOCKED') {
    await changeTask(transaction, task.id, place);
    return null;
  }
  if (ended.outcome.state === 'TERMINATED') {
    await finish(parts, transaction, { ...ended, task: { ...task, ...place } });
    return null;
  }
  return fail(parts, transaction, { ...ended, task: { ...task, ...place } });
}

async function finish(
  { events, clock, take }: Parts,
  transaction: RecordTransaction,
  { task, written, epoch, outcome }: Ended & { readonly task: Task },
): Promise<void> {
  if (written === null || !written.check.ok) throw new Error('a run cannot end well without its writeback');
  const { check, facts } = written;
  const { branch, headAfter: head_sha, dirty, commits } = facts;
  const { id: task_id, attempt } = task;
  const agent_id = outcome.agentId;
  await insertWriteback(transaction, {
    task_id,
    attempt,
    agent_id,
    epoch,
    task_update_id: check.update.id,
    thought_id: check.reflection.id,
    memory_pack_id: check.pack?.id ?? null,
    branch,
    head_sha,
    dirty,
    commits,
    at: isoNow(clock),
  });
  const payload = { task_id, agent_id, attempt, branch, head_sha, commits, dirty };
  await events.append(transaction, [{ ...taskEvent(task_id, SUPERVISOR), type: 'task.writeback', payload }]);
  const change = { branch, head_sha, progress: 100 };
  await take(transaction, task, 'DONE', { actor: SUPERVISOR, change });
}

async function fail(
  { clock, take }: Parts,
  transaction: RecordTransaction,
  { task, outcome, failure, epoch }: Ended & { readonly task: Task },
): Promise<number | null> {
  // What the agent said about its phase tells more than how its process was ended.
  const spoken = outcome.code === 'PHASE_FAILED' ? failure : null;
  const code = spoken?.code ?? outcome.code;
  const transient = spoken?.transient ?? isTransient(outcome.code);
  const next = afterFailure(task, { transient });
  const reason = spoken?.detail ?? outcome.detail;
  const { branch, head_sha } = task;
  const how = { actor: SUPERVISOR, code, change: { branch, head_sha } };
  if (next.kind === 'block') {
    await take(transaction, task, 'BLOCKED', { ...how, reason: `${reason}; ${next.why}` });
    return null;
  }
  const last =
    task.state === 'APPLY' ? await passVerify({ clock, take }, transaction, { task, reason, epoch }) : task;
  const begun = last.state === 'INIT' ? await take(transaction, last, 'GATHER', { actor: SUPERVISOR }) : last;
  await take(transaction, begun, 'GATHER', { ...how, reason, retry: true });
  return clock.now() + next.delayMs;
}

/** APPLY always goes to VERIFY; when nobody is left to verify, that is what VERIFY has to say. */
async function passVerify(
  { clock, take }: Pick<Parts, 'clock' | 'take'>,
  transaction: RecordTransaction,
  { task, reason, epoch }: { readonly task: Task; readonly reason: string; readonly epoch: number },
): Promise<Task> {
  const verifying = await take(transaction, task, 'VERIFY', { actor: SUPERVISOR, reason });
  const checkpoints = await findCheckpoints(transaction, task.id);
  const apply = checkpoints.find((each) => each.attempt === task.attempt && each.phase === 'APPLY');
  const now = isoNow(clock);
  const failed = (phase: Phase, detail: string) => ({
    task_id: task.id,
    attempt: task.attempt,
    phase,
    status: 'failed' as const,
    output: { detail, transient: true },
    head_sha: task.head_sha,
    agent_id: task.agent_id,
    epoch,
    started_at: phase === 'APPLY' ? (apply?.started_at ?? now) : now,
    ended_at: now,
  });
  await putCheckpoint(transaction, failed('APPLY', reason));
  await putCheckpoint(transaction, failed('VERIFY', 'its agent was gone, so nothing could be verified'));
  return verifying;
}
