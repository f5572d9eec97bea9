/** Drives one agent through the phases that are left of an attempt, with a checkpoint at both ends of each. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import type { Json } from '../../lib/json.ts';
import type { PhaseResult } from '../agents/schema.ts';
import type { LiveAgent } from '../agents/service.ts';
import type { EventsService } from '../events/service.ts';
import type { Claim } from './engine.ts';
import { runCancelled } from './lease.ts';
import { isClosed, remainingPhases } from './pipeline.ts';
import {
  findAnswers,
  findCheckpoints,
  findTask,
  putAnswers,
  putCheckpoint,
  type TaskSchema,
} from './repository.ts';
import { verifyOutputSchema } from './requests.ts';
import type { Checkpoint, Phase, Task } from './schema.ts';
import type { TakeStep } from './steps-service.ts';
import { openChecks } from './writeback.ts';

export interface PhasesParts {
  readonly db: ColibriDatabase;
  readonly events: EventsService;
  readonly clock: Clock;
  readonly take: TakeStep;
}

/** Why an attempt ends although its agent is alive. */
export interface PhaseFailure {
  readonly code: 'PHASE_FAILED' | 'VERIFICATION_OPEN';
  readonly phase: Phase;
  readonly detail: string;
  readonly transient: boolean;
}

/** Larger outputs are cut off: the next phase is told where it stands, not everything that was said. */
const OUTPUT_CHARS_MAX = 64 * 1024;

/** Some agents have no other way of giving structured answers than a tool, and know only what they are told. */
const HOW_TO_ANSWER =
  'answer each check in the field `verification` of task_update, as { line, verdict: pass or fail, evidence }';

/** Null when all phases have ended well. */
export async function drivePhases(
  parts: PhasesParts,
  taskId: string,
  { live, claim }: { readonly live: LiveAgent; readonly claim: Claim },
): Promise<PhaseFailure | null> {
  const records = await parts.db.records<TaskSchema>();
  const task = await findTask(records, taskId);
  if (task === null) throw new Error(`the task ${taskId} is gone`);
  let applied: PhaseFailure | null = failedApply(await findCheckpoints(records, taskId), task.attempt);
  for (const phase of remainingPhases(await findCheckpoints(records, taskId), task.attempt)) {
    const run: PhaseRun = { taskId, phase, live, claim };
    const input = await beginPhase(parts, run);
    const result = bounded(await live.runPhase(phase, input));
    const failure = await endPhase(parts, run, result);
    if (failure === null) continue;
    if (phase !== 'APPLY') return applied ?? failure;
    // Whatever it left behind is verified all the same.
    applied = failure;
  }
  return applied;
}

interface PhaseRun {
  readonly taskId: string;
  readonly phase: Phase;
  readonly live: LiveAgent;
  readonly claim: Claim;
}

/** In a transaction that only the owner of the lease gets through, with the task as it is now. */
async function fenced<T>(
  { db, events }: PhasesParts,
  { taskId, claim }: Pick<PhaseRun, 'taskId' | 'claim'>,
  work: (transaction: RecordTransaction, task: Task) => Promise<T>,
): Promise<T> {
  const result = await db.transact(async (transaction) => {
    await claim.guard(transaction);
    const task = await findTask(transaction, taskId);
    if (task === null || isClosed(task.state) || task.state === 'BLOCKED') throw runCancelled(claim.runId);
    return work(transaction, task);
  });
  events.wake();
  return result;
}

async function beginPhase(parts: PhasesParts, run: PhaseRun): Promise<Json> {
  const { phase, live, claim } = run;
  return fenced(parts, run, async (transaction, task) => {
    if (task.state !== phase) await parts.take(transaction, task, phase, { actor: live.agent.id });
    await putCheckpoint(transaction, {
      task_id: task.id,
      attempt: task.attempt,
      phase,
      status: 'started',
      output: null,
      head_sha: null,
      agent_id: live.agent.id,
      epoch: claim.epoch,
      started_at: isoNow(parts.clock),
      ended_at: null,
    });
    return phaseInput(phase, task, await findCheckpoints(transaction, task.id));
  });
}

async function endPhase(
  parts: PhasesParts,
  run: PhaseRun,
  result: PhaseResult,
): Promise<PhaseFailure | null> {
  const { phase, live, claim } = run;
  return fenced(parts, run, async (transaction, task) => {
    const failure = await judge(parts, transaction, { task, phase, live, result });
    if (failure === null) await claim.advance(transaction);
    const checkpoints = await findCheckpoints(transaction, task.id);
    const begun = checkpoints.find((each) => each.attempt === task.attempt && each.phase === phase);
    const now = isoNow(parts.clock);
    await putCheckpoint(transaction, {
      task_id: task.id,
      attempt: task.attempt,
      phase,
      status: failure === null ? 'ok' : 'failed',
      output: failure === null ? result.output : { detail: failure.detail, transient: failure.transient },
      head_sha: result.head,
      agent_id: live.agent.id,
      epoch: claim.epoch,
      started_at: begun?.started_at ?? now,
      ended_at: now,
    });
    return failure;
  });
}

async function judge(
  { clock }: PhasesParts,
  transaction: RecordTransaction,
  about: {
    readonly task: Task;
    readonly phase: Phase;
    readonly live: LiveAgent;
    readonly result: PhaseResult;
  },
): Promise<PhaseFailure | null> {
  const { task, phase, result } = about;
  if (result.status === 'failed') {
    return { code: 'PHASE_FAILED', phase, detail: `${phase}: ${result.detail}`, transient: result.transient };
  }
  if (phase !== 'VERIFY') return null;
  const told = verifyOutputSchema.safeParse(result.output);
  const given = (told.success ? told.data.verification : undefined) ?? [];
  const facts = { task_id: task.id, attempt: task.attempt, agent_id: about.live.agent.id, at: isoNow(clock) };
  await putAnswers(transaction, given, facts);
  const open = openChecks(task.brief.checks, await findAnswers(transaction, task.id, task.attempt));
  return open === null
    ? null
    : { code: 'VERIFICATION_OPEN', phase, detail: `checks of the skills are ${open}`, transient: false };
}

/** What an agent is told when a phase begins. */
function phaseInput(phase: Phase, task: Task, checkpoints: readonly Checkpoint[]): Json {
  const earlier = checkpoints
    .filter(({ attempt, status }) => attempt === task.attempt && status !== 'started')
    .map(({ phase: name, status, output }) => ({ phase: name, status, output }));
  const { brief } = task;
  return {
    task: { id: task.id, slug: task.slug, title: task.title, description: task.description },
    attempt: task.attempt,
    skills: brief.skills.map(({ name, version, digest }) => ({ name, version, digest })),
    earlier,
    ...(phase === 'APPLY'
      ? { plan: brief.plan.map(({ skill, step, tool, params }) => ({ skill, step, tool, params })) }
      : {}),
    ...(phase === 'VERIFY' ? { checks: brief.checks } : {}),
    ...(phase === 'VERIFY' && brief.checks.length > 0 ? { how_to_answer: HOW_TO_ANSWER } : {}),
  };
}

function failedApply(checkpoints: readonly Checkpoint[], attempt: number): PhaseFailure | null {
  const apply = checkpoints.find((each) => each.attempt === attempt && each.phase === 'APPLY');
  if (apply?.status !== 'failed') return null;
  // Written by `endPhase`.
  const { detail, transient } = apply.output as { readonly detail: string; readonly transient: boolean };
  return { code: 'PHASE_FAILED', phase: 'APPLY', detail, transient };
}

function bounded(result: PhaseResult): PhaseResult {
  const size = JSON.stringify(result.output)?.length ?? 0;
  if (size <= OUTPUT_CHARS_MAX) return result;
  return { ...result, output: { cut_off: true, chars: size } };
}

/** Thrown so that the supervisor ends the agent; the runner knows the rest. */
export function phaseError({ detail }: PhaseFailure): Error {
  return new Error(detail);
}
