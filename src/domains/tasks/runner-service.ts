/** One run of a task: finds an agent for it, lets it work, and draws the conclusion. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { ColibriError } from '../../lib/errors.ts';
import type { Agent, RunFacts, RunProgress, RunSpec } from '../agents/schema.ts';
import type { AgentsService, RunHooks } from '../agents/service.ts';
import type { EventsService } from '../events/service.ts';
import { concludeRun, type RunEnd } from './conclude-service.ts';
import { briefFor, toolsFor } from './dispatch.ts';
import type { Claim, RunHandler, Verdict } from './engine.ts';
import { leaseLost } from './lease.ts';
import { contextFor } from './memory.ts';
import { drivePhases, type PhaseFailure, phaseError } from './phases-service.ts';
import { isClosed } from './pipeline.ts';
import type { AskPool, Pool } from './pool-service.ts';
import { findPacks, findThoughts, findUpdates } from './record-repository.ts';
import { changeTask, findCheckpoints, findTask, findTaskOfRun, type TaskSchema } from './repository.ts';
import type { Task } from './schema.ts';
import { type TakeStep, taskEvent } from './steps-service.ts';
import { checkWriteback, WRITEBACK_CONTRACT, type WritebackCheck } from './writeback.ts';

export interface RunnerParts {
  readonly db: ColibriDatabase;
  readonly events: EventsService;
  readonly clock: Clock;
  readonly agents: AgentsService;
  readonly askPool: AskPool;
  readonly take: TakeStep;
}

/** What happens in a run, for people. */
export type OnProgress = (taskId: string, progress: RunProgress) => void;

/** How long a task waits for an agent when all that could do it are busy. */
const BUSY_WAIT_MS = 1_000;
const RUNNER = 'dispatcher';

export function createRunner(parts: RunnerParts, onProgress?: OnProgress): RunHandler {
  return async (claim) => {
    const task = await findTaskOfRun(await parts.db.records<TaskSchema>(), claim.runId);
    if (task === null || isClosed(task.state) || task.state === 'BLOCKED') return { kind: 'done' };
    await endEarlierAgents(parts, task, claim);
    const pool = await parts.askPool(task);
    if (pool.profile === null) return refuse(parts, { task, claim, pool });
    const agent = await allocate(parts, { task, claim, pool });
    if (agent === null) return { kind: 'again', runAt: parts.clock.now() + BUSY_WAIT_MS };
    const end = await supervise(parts, { taskId: task.id, agent, claim, pool, onProgress });
    if (end.outcome.code === 'LEASE_LOST') throw leaseLost(claim.runId);
    return end.retryAt === null ? { kind: 'done' } : { kind: 'again', runAt: end.retryAt };
  };
}

interface Dispatch {
  readonly task: Task;
  readonly claim: Claim;
  readonly pool: Pool;
}

/** Whoever worked on the task before has lost it with the lease; nothing of it may go on beside the new agent. */
async function endEarlierAgents({ db, agents }: RunnerParts, task: Task, claim: Claim): Promise<void> {
  const earlier = await agents.list({ task_id: task.id });
  const alive = earlier.filter(({ state }) => state !== 'TERMINATED' && state !== 'FAILED');
  for (const { id } of alive) {
    await db.transact(async (transaction) => {
      await claim.guard(transaction);
      const reason = 'its supervisor lost the lease';
      await agents.transition(id, 'FAILED', { actor: RUNNER, reason, code: 'HOST_LOST', transaction });
    });
  }
  if (alive.length > 0) await agents.reconcile();
}

/** An empty pool: wait if somebody will be free, otherwise a person has to do something. */
async function refuse(
  { db, events, clock, take }: RunnerParts,
  { task, claim, pool }: Dispatch,
): Promise<Verdict> {
  const { code, reason } = pool.report.empty ?? { code: 'NO_PROFILE', reason: 'nobody was chosen' };
  if (code === 'ALL_BUSY') return { kind: 'again', runAt: clock.now() + BUSY_WAIT_MS };
  await db.transact(async (transaction) => {
    await claim.guard(transaction);
    const current = await findTask(transaction, task.id);
    if (current === null || isClosed(current.state) || current.state === 'BLOCKED') return;
    await take(transaction, current, 'BLOCKED', { actor: RUNNER, code, reason });
  });
  events.wake();
  return { kind: 'done' };
}

/** Null when somebody else has taken the last place meanwhile. */
async function allocate(
  { db, events, agents, clock }: RunnerParts,
  { task, claim, pool }: Dispatch,
): Promise<Agent | null> {
  const { profile, report } = pool;
  if (profile === null) return null;
  const brief = briefFor(profile, report.skills);
  const agent = await db.transact(async (transaction) => {
    await claim.guard(transaction);
    const active = (await agents.active(transaction)).get(profile.agent_type) ?? 0;
    if (active >= profile.limits.max_concurrent_tasks) return null;
    const { agent_type } = profile;
    const allocation = { taskId: task.id, profile: agent_type, pool: task.pool, epoch: claim.epoch };
    const allocated = await agents.allocate(allocation, transaction);
    await changeTask(transaction, task.id, { agent_id: allocated.id, brief, updated_at: isoNow(clock) });
    const payload = {
      task_id: task.id,
      run_id: claim.runId,
      agent_id: allocated.id,
      profile: agent_type,
      strategy: report.strategy,
      attempt: task.attempt,
      epoch: claim.epoch,
      skill_refs: brief.skills.map(({ name }) => name),
    };
    await events.append(transaction, [{ ...taskEvent(task.id, RUNNER), type: 'task.dispatched', payload }]);
    return allocated;
  });
  events.wake();
  return agent;
}

interface Supervised {
  readonly taskId: string;
  readonly agent: Agent;
  readonly claim: Claim;
  readonly pool: Pool;
  readonly onProgress: OnProgress | undefined;
}

async function supervise(parts: RunnerParts, run: Supervised): Promise<RunEnd> {
  const { taskId, claim, onProgress } = run;
  let failure: PhaseFailure | null = null;
  let written: { readonly check: WritebackCheck; readonly facts: RunFacts } | null = null;
  let retryAt: number | null = null;
  const hooks: RunHooks = {
    guard: claim.guard,
    async drive(live) {
      failure = await drivePhases(parts, taskId, { live, claim });
      if (failure !== null) throw phaseError(failure);
    },
    async checkWriteback(transaction, facts) {
      const check = await readWriteback(transaction, taskId, facts);
      written = { check, facts };
      return check.ok ? null : check.missing;
    },
    async onEnd(transaction, outcome) {
      const end = { taskId, outcome, failure, written, epoch: claim.epoch };
      retryAt = await concludeRun(parts, transaction, end);
    },
    onProgress: (progress) => onProgress?.(taskId, progress),
  };
  const outcome = await parts.agents.supervise(await specFor(parts, run), hooks, { signal: claim.signal });
  parts.events.wake();
  return { outcome, retryAt };
}

async function readWriteback(
  transaction: RecordTransaction,
  taskId: string,
  facts: RunFacts,
): Promise<WritebackCheck> {
  const own = ({ agent_id }: { readonly agent_id: string | null }) => agent_id === facts.agentId;
  const updates = (await findUpdates(transaction, taskId)).filter(own);
  const thoughts = (await findThoughts(transaction, taskId)).filter(own);
  const packs = (await findPacks(transaction, taskId)).filter(own);
  return checkWriteback({ updates, thoughts, packs }, facts);
}

async function specFor({ db }: RunnerParts, { taskId, agent, pool }: Supervised): Promise<RunSpec> {
  const records = await db.records<TaskSchema>();
  const task = await findTask(records, taskId);
  if (task === null || task.repo === null) throw withoutRepository(taskId);
  const thoughts = await findThoughts(await db.records(), taskId);
  const packs = await findPacks(await db.records(), taskId);
  const checkpoints = await findCheckpoints(records, taskId);
  return {
    agentId: agent.id,
    task: { id: task.id, slug: task.slug, title: task.title, description: task.description },
    repo: task.repo,
    baseRef: task.base_ref,
    skills: task.brief.skills,
    requiredTools: toolsFor(task, pool.report.skills),
    timeoutMs: task.timeout_ms ?? undefined,
    tokenBudget: task.token_budget ?? undefined,
    writebackContract: WRITEBACK_CONTRACT,
    contextSnapshot: contextFor(task, { thoughts, packs, checkpoints }),
  };
}

function withoutRepository(taskId: string): ColibriError {
  return new ColibriError('INVALID_PARAMS', `the task ${taskId} has no repository to work in`);
}
