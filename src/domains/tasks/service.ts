/** Tasks (β): made, dispatched, worked off, cancelled, blocked and tried again. */
import path from 'node:path';

import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { ColibriError } from '../../lib/errors.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AgentsService } from '../agents/service.ts';
import type { Git } from '../agents/worktree/git.ts';
import type { EventsService } from '../events/service.ts';
import type { SkillsService } from '../skills/service.ts';
import type { PoolReport } from './dispatch.ts';
import type { Engine, GivenUp, Worker } from './engine.ts';
import { type Merged, mergeTask, worktreeOf } from './merge-service.ts';
import { createOrphans, type Orphans } from './orphan-service.ts';
import { isClosed } from './pipeline.ts';
import { type AskPool, createPool } from './pool-service.ts';
import { findPacks, findThoughts, findUpdates, insertThought } from './record-repository.ts';
import { createTaskLookup, createTaskRecords, type TaskRecords } from './record-service.ts';
import {
  changeTask,
  findAnswers,
  findCheckpoints,
  findTaskOfRun,
  findWritebacks,
  insertTask,
  listTasks,
  slugsLike,
  type TaskSchema,
} from './repository.ts';
import { type NewTask, type TaskRequest, taskRequestSchema } from './requests.ts';
import { createRunner, type OnProgress } from './runner-service.ts';
import type {
  Answer,
  Checkpoint,
  MemoryPack,
  Task,
  TaskFilter,
  TaskUpdate,
  Thought,
  Writeback,
} from './schema.ts';
import { freeSlug, slugOf } from './slug.ts';
import { createSteps, type TakeStep, taskEvent } from './steps-service.ts';
import { queuePriority } from './strategies.ts';

/** Everything that is known about one task. */
export interface TaskDetail extends Task {
  readonly checkpoints: readonly Checkpoint[];
  readonly answers: readonly Answer[];
  readonly updates: readonly TaskUpdate[];
  readonly thoughts: readonly Thought[];
  readonly packs: readonly MemoryPack[];
  readonly writebacks: readonly Writeback[];
}

export interface WorkHow {
  /** Only the run of this task, by id or slug. */
  readonly task?: string | undefined;
  /** Runs at the same time. */
  readonly lanes?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface TasksService extends TaskRecords {
  create(request: TaskRequest, actor: string): Promise<Task>;
  /** By id or slug. Throws TASK_NOT_FOUND. */
  get(idOrSlug: string): Promise<Task>;
  detail(idOrSlug: string): Promise<TaskDetail>;
  /** Newest first. */
  list(filter?: TaskFilter): Promise<readonly Task[]>;
  /** Who could do it, who not, and why. */
  pool(idOrSlug: string): Promise<PoolReport>;
  /** Puts it into the queue; some worker takes it from there. Doing it again changes nothing. */
  dispatch(idOrSlug: string, actor: string): Promise<Task>;
  cancel(idOrSlug: string, why: Why): Promise<Task>;
  block(idOrSlug: string, why: Why): Promise<Task>;
  /** A new attempt at a blocked task, from the start. */
  retry(idOrSlug: string, actor: string): Promise<Task>;
  /** Brings the branch of a finished task into what is checked out in its repository. */
  merge(idOrSlug: string, actor: string): Promise<Merged>;
  /** Where its work lies; null when nothing is left there. */
  worktree(idOrSlug: string): Promise<string | null>;
  /** Works the queue off in this process until it is stopped. */
  work(how?: WorkHow): Promise<Worker>;
  readonly orphans: Orphans;
  /** Stops the workers of this process; what they were at is free for others. */
  close(): Promise<void>;
}

export interface Why {
  readonly actor: string;
  readonly reason: string;
}

export interface TasksParts {
  readonly db: ColibriDatabase;
  readonly skills: SkillsService;
  readonly agents: AgentsService;
  readonly events: EventsService;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Absolute: what a task works on when it names no repository, and what relative ones start from. */
  readonly workspace: string;
  readonly isTrusted: (skill: string) => Promise<boolean>;
  readonly git: Git;
}

/** Agents at the same time in one process. */
const LANES = 4;

export function createTasksService(parts: TasksParts): TasksService {
  const { db, events } = parts;
  const take = createSteps(parts);
  const askPool = createPool(parts);
  const needTask = createTaskLookup(db);
  const change = async <T>(work: (transaction: RecordTransaction) => Promise<T>): Promise<T> => {
    const result = await db.transact(work);
    events.wake();
    return result;
  };
  const workers = new Set<Worker>();
  const tools: Tools = { ...parts, take, askPool, needTask, change };
  return {
    ...createTaskRecords({ ...parts, needTask }),
    create: (request, actor) => create(tools, parseRequest(request), actor),
    get: (idOrSlug) => needTask(idOrSlug),
    detail: async (idOrSlug) => detailOf(db, await needTask(idOrSlug)),
    list: async (filter) => listTasks(await db.records<TaskSchema>(), filter),
    pool: async (idOrSlug) => (await askPool(await needTask(idOrSlug))).report,
    dispatch: (idOrSlug, actor) =>
      change(async (transaction) =>
        enqueue(tools, transaction, await needTask(idOrSlug, transaction), actor),
      ),
    cancel: (idOrSlug, why) => stop(tools, idOrSlug, { ...why, to: 'CANCELLED' }),
    block: (idOrSlug, why) => stop(tools, idOrSlug, { ...why, to: 'BLOCKED' }),
    retry: (idOrSlug, actor) => change((transaction) => retry(tools, transaction, { idOrSlug, actor })),
    merge: async (idOrSlug, actor) => mergeTask(parts, await needTask(idOrSlug), actor),
    worktree: async (idOrSlug) => worktreeOf(parts.agents, await needTask(idOrSlug)),
    async work(how = {}) {
      const worker = await work(tools, how);
      workers.add(worker);
      return worker;
    },
    orphans: createOrphans(parts),
    async close() {
      await Promise.all([...workers].map((worker) => worker.stop({ drainMs: 0 })));
    },
  };
}

interface Tools extends TasksParts {
  readonly take: TakeStep;
  readonly askPool: AskPool;
  readonly needTask: (idOrSlug: string, transaction?: RecordTransaction) => Promise<Task>;
  readonly change: <T>(work: (transaction: RecordTransaction) => Promise<T>) => Promise<T>;
}

function parseRequest(request: TaskRequest): NewTask {
  const parsed = taskRequestSchema.safeParse(request);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = `a task cannot be made like this: ${issue?.path.join('.')}: ${issue?.message}`;
  throw new ColibriError('INVALID_PARAMS', message, { issues: parsed.error.issues });
}

function create(tools: Tools, request: NewTask, actor: string): Promise<Task> {
  const { ids, clock, events, workspace } = tools;
  return tools.change(async (transaction) => {
    const wanted = request.slug ?? slugOf(request.title);
    const slug = freeSlug(wanted, await slugsLike(transaction, wanted));
    const task = newTask(request, { id: ids.ulid(), slug, workspace, at: isoNow(clock) });
    await insertTask(transaction, task);
    const { id: task_id, title, agent_tier, pool, priority } = task;
    const payload = { task_id, slug, title, agent_tier, pool, priority };
    await events.append(transaction, [{ ...taskEvent(task_id, actor), type: 'task.created', payload }]);
    const detail = { slug, agent_tier, pool, priority };
    await events.audit(transaction, {
      actor,
      action: 'task.create',
      subject: task_id,
      outcome: 'ok',
      detail,
    });
    return task;
  });
}

function newTask(
  request: NewTask,
  facts: { readonly id: string; readonly slug: string; readonly workspace: string; readonly at: string },
): Task {
  const { id, slug, workspace, at } = facts;
  return {
    ...request,
    id,
    slug,
    state: 'INIT',
    attempt: 1,
    profile: request.profile ?? null,
    token_budget: request.token_budget ?? null,
    timeout_ms: request.timeout_ms ?? null,
    repo: path.resolve(workspace, request.repo ?? '.'),
    brief: { skills: [], plan: [], checks: [] },
    status: '',
    progress: 0,
    summary: '',
    run_id: null,
    agent_id: null,
    branch: null,
    head_sha: null,
    code: null,
    reason: null,
    created_at: at,
    updated_at: at,
    closed_at: null,
  };
}

async function detailOf(db: ColibriDatabase, task: Task): Promise<TaskDetail> {
  const records = await db.records<TaskSchema>();
  const written = await db.records<never>();
  return {
    ...task,
    checkpoints: await findCheckpoints(records, task.id),
    answers: await findAnswers(records, task.id, task.attempt),
    updates: await findUpdates(written, task.id),
    thoughts: await findThoughts(written, task.id),
    packs: await findPacks(written, task.id),
    writebacks: await findWritebacks(records, task.id),
  };
}

async function enqueue(
  { engine, events, ids, clock }: Tools,
  transaction: RecordTransaction,
  task: Task,
  actor: string,
): Promise<Task> {
  if (isClosed(task.state) || task.state === 'BLOCKED') throw notOpen(task);
  if (task.run_id !== null) return task;
  const run_id = ids.ulid();
  await engine.enqueue(
    { runId: run_id, queue: task.pool, partition: task.profile ?? '', priority: queuePriority(task) },
    transaction,
  );
  const changed = { run_id, updated_at: isoNow(clock) };
  await changeTask(transaction, task.id, changed);
  const detail = { run_id, attempt: task.attempt };
  await events.audit(transaction, {
    actor,
    action: 'task.dispatch',
    subject: task.id,
    outcome: 'ok',
    detail,
  });
  return { ...task, ...changed };
}

/** Ends what is under way, and says why on the record. */
function stop(
  tools: Tools,
  idOrSlug: string,
  { to, actor, reason }: Why & { readonly to: 'CANCELLED' | 'BLOCKED' },
): Promise<Task> {
  const { engine, ids, clock, take } = tools;
  return tools.change(async (transaction) => {
    const task = await tools.needTask(idOrSlug, transaction);
    const stopped = await take(transaction, task, to, { actor, reason, code: to });
    if (task.run_id !== null) await engine.cancel(task.run_id, transaction);
    await insertThought(transaction, {
      id: ids.ulid(),
      task_id: task.id,
      agent_id: null,
      session_id: null,
      type: 'decision',
      content: `${to.toLowerCase()} by ${actor}: ${reason}`,
      branch: task.branch,
      commit_sha: task.head_sha,
      tests_run: null,
      blockers: null,
      at: isoNow(clock),
    });
    return stopped;
  });
}

async function retry(
  tools: Tools,
  transaction: RecordTransaction,
  { idOrSlug, actor }: { readonly idOrSlug: string; readonly actor: string },
): Promise<Task> {
  const task = await tools.needTask(idOrSlug, transaction);
  if (task.state !== 'BLOCKED') throw notBlocked(task);
  // A person may go on where the pipeline has given up.
  const max_attempts = Math.max(task.max_attempts, task.attempt + 1);
  const change = { run_id: null, max_attempts };
  const begun = await tools.take(transaction, task, 'GATHER', { actor, retry: true, change });
  return enqueue(tools, transaction, begun, actor);
}

async function work(tools: Tools, { task, lanes = LANES, onProgress }: WorkHow): Promise<Worker> {
  const { engine, agents } = tools;
  const only = task === undefined ? undefined : ((await tools.needTask(task)).run_id ?? undefined);
  if (task !== undefined && only === undefined) throw notDispatched(task);
  // What a dead supervisor left must not go on beside what is begun here.
  await agents.reconcile();
  return engine.work({
    handler: createRunner(tools, onProgress),
    lanes,
    only,
    limitOf: async (profile) => {
      const known = (await agents.profiles()).find(({ agent_type }) => agent_type === profile);
      // A profile that is gone holds nothing back: the dispatch says so.
      return known?.limits.max_concurrent_tasks ?? Number.POSITIVE_INFINITY;
    },
    onGivenUp: (transaction, run) => giveUp(tools, transaction, run),
  });
}

/** Whoever worked on it is gone, perhaps before anybody could see it begin. */
async function giveUp({ agents, take }: Tools, transaction: RecordTransaction, run: GivenUp): Promise<void> {
  const task = await findTaskOfRun(transaction, run.runId);
  if (task === null) return;
  const { state, reason } = run;
  if (task.agent_id !== null) await failAgent(agents, transaction, { id: task.agent_id, reason });
  if (state === 'cancelled' || isClosed(task.state) || task.state === 'BLOCKED') return;
  const why = `${reason}; it was given up after several workers failed on it in a row`;
  await take(transaction, task, 'BLOCKED', { actor: 'queue', code: 'RUN_DEAD', reason: why });
}

/** Does nothing when it has ended. */
async function failAgent(
  agents: AgentsService,
  transaction: RecordTransaction,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<void> {
  try {
    await agents.transition(id, 'FAILED', { actor: 'queue', reason, code: 'HOST_LOST', transaction });
  } catch (error) {
    if (!(error instanceof ColibriError) || error.code !== 'AGENT_TRANSITION') throw error;
  }
}

function notOpen({ slug, state }: Task): ColibriError {
  const fix = state === 'BLOCKED' ? '`colibri task retry` tries again' : 'make a new one';
  return new ColibriError('TASK_CLOSED', `the task ${slug} is ${state}; ${fix}`, { state });
}

function notBlocked({ slug, state }: Task): ColibriError {
  const message = `the task ${slug} is ${state}; only a blocked task is tried again by hand`;
  return new ColibriError('TASK_TRANSITION', message, { state });
}

function notDispatched(task: string): ColibriError {
  const message = `the task ${task} is not in the queue; dispatch it first`;
  return new ColibriError('TASK_TRANSITION', message);
}
