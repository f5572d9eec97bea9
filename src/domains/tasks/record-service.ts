/** What agents and people record about a task: updates, thoughts, packs of memory. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError } from '../../lib/errors.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Agent } from '../agents/schema.ts';
import type { AgentsService } from '../agents/service.ts';
import { canonicalJson, sessionStream } from '../events/chain.ts';
import type { EventsService } from '../events/service.ts';
import { packOf } from './memory.ts';
import { isClosed } from './pipeline.ts';
import { findRun } from './queue-repository.ts';
import { findThoughts, insertPack, insertThought, insertUpdate } from './record-repository.ts';
import { changeTask, findTask, putAnswers, type TaskSchema } from './repository.ts';
import type { MemoryPackRequest, TaskUpdateRequest, ThoughtRequest } from './requests.ts';
import type { MemoryPack, Task, TaskUpdate, Thought } from './schema.ts';
import { taskEvent } from './steps-service.ts';

export interface TaskRecords {
  /** `actor` is who calls; `agent_id` in whose name. */
  update(request: TaskUpdateRequest, actor: string): Promise<TaskUpdate>;
  think(request: ThoughtRequest, actor: string): Promise<Thought>;
  pack(request: MemoryPackRequest, actor: string): Promise<MemoryPack>;
}

export interface TaskRecordsParts {
  readonly db: ColibriDatabase;
  readonly events: EventsService;
  readonly agents: Pick<AgentsService, 'status'>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Throws TASK_NOT_FOUND. */
  readonly needTask: (idOrSlug: string, transaction?: RecordTransaction) => Promise<Task>;
}

export function createTaskRecords(parts: TaskRecordsParts): TaskRecords {
  const { db, events, clock, ids } = parts;
  /** One transaction with its events, in the name of an agent that still has the task. */
  const record = async <T>(
    about: { readonly taskId: string; readonly agentId: string | undefined },
    work: (transaction: RecordTransaction, task: Task) => Promise<T>,
  ): Promise<T> => {
    const agent = about.agentId === undefined ? null : await parts.agents.status(about.agentId);
    const result = await db.transact(async (transaction) => {
      const task = await parts.needTask(about.taskId, transaction);
      if (agent !== null) await guardAgent(transaction, task, agent);
      return work(transaction, task);
    });
    events.wake();
    return result;
  };

  return {
    update: (request, actor) =>
      record({ taskId: request.task_id, agentId: request.agent_id }, async (transaction, task) => {
        if (isClosed(task.state)) throw closed(task);
        const { status, progress, summary, verification = [], agent_id = null } = request;
        const at = isoNow(clock);
        const update = { id: ids.ulid(), task_id: task.id, agent_id, status, progress, summary, at };
        await insertUpdate(transaction, update);
        await changeTask(transaction, task.id, { status, progress, summary, updated_at: at });
        await putAnswers(transaction, verification, {
          task_id: task.id,
          attempt: task.attempt,
          agent_id,
          at,
        });
        const payload = { task_id: task.id, agent_id, status, progress, summary };
        await events.append(transaction, [{ ...taskEvent(task.id, actor), type: 'task.updated', payload }]);
        return update;
      }),
    think: (request, actor) =>
      record({ taskId: request.task_id, agentId: request.agent_id }, async (transaction, task) => {
        const thought = thoughtOf(request, { id: ids.ulid(), task_id: task.id, at: isoNow(clock) });
        await insertThought(transaction, thought);
        const { id: thought_id, agent_id, type: kind } = thought;
        const digest = sha256Hex(thought.content);
        const payload = { task_id: task.id, thought_id, agent_id, kind, digest };
        await events.append(transaction, [
          { ...taskEvent(task.id, actor), type: 'thought.recorded', payload },
        ]);
        return thought;
      }),
    async pack(request, actor) {
      const session = await events.ofSession(request.session_id);
      if (session.length === 0) throw unknownSession(request.session_id);
      const packed = (transaction: RecordTransaction, task: Task | null) =>
        storePack(parts, transaction, { request, task, actor, session });
      if (request.task_id !== undefined) {
        return record({ taskId: request.task_id, agentId: request.agent_id }, packed);
      }
      return db.transact((transaction) => packed(transaction, null));
    },
  };
}

async function storePack(
  { events, clock, ids }: TaskRecordsParts,
  transaction: RecordTransaction,
  from: {
    readonly request: MemoryPackRequest;
    readonly task: Task | null;
    readonly actor: string;
    readonly session: Awaited<ReturnType<EventsService['ofSession']>>;
  },
): Promise<MemoryPack> {
  const { request, task, actor } = from;
  const thoughts = task === null ? [] : await findThoughts(transaction, task.id);
  const content = packOf({ task, thoughts, session: from.session, notes: request.notes ?? [] });
  const pack: MemoryPack = {
    id: ids.ulid(),
    session_id: request.session_id,
    task_id: task?.id ?? null,
    agent_id: request.agent_id ?? null,
    content,
    digest: sha256Hex(canonicalJson(content)),
    at: isoNow(clock),
  };
  await insertPack(transaction, pack);
  const { id: pack_id, session_id: packed_session, task_id, agent_id, digest } = pack;
  const payload = { task_id, pack_id, agent_id, packed_session, digest };
  const stream = task === null ? sessionStream(packed_session) : `task:${task.id}`;
  const draft = { stream, actor, sensitivity: 'pseudonymous', type: 'memory.packed', payload } as const;
  await events.append(transaction, [draft]);
  return pack;
}

/** The fence: an agent whose task was given to another may record nothing more. */
async function guardAgent(transaction: RecordTransaction, task: Task, agent: Agent): Promise<void> {
  const run = task.run_id === null ? null : await findRun(transaction, task.run_id);
  const current = task.agent_id === agent.id && run?.state === 'running' && run.epoch === agent.epoch;
  if (current && agent.state !== 'TERMINATED' && agent.state !== 'FAILED') return;
  const message = `the agent ${agent.id} no longer works on ${task.slug}, so nothing is recorded in its name`;
  throw new ColibriError('AGENT_ENDED', message, { agent_id: agent.id, task_id: task.id });
}

function thoughtOf(request: ThoughtRequest, facts: Pick<Thought, 'id' | 'task_id' | 'at'>): Thought {
  return {
    ...facts,
    agent_id: request.agent_id ?? null,
    session_id: request.session_id ?? null,
    type: request.type,
    content: request.content,
    branch: request.branch ?? null,
    commit_sha: request.commit_sha ?? null,
    tests_run: request.tests_run ?? null,
    blockers: request.blockers ?? null,
  };
}

function closed({ slug, state }: Task): ColibriError {
  const message = `the task ${slug} is ${state}; make a new one, or record a thought about it`;
  return new ColibriError('TASK_CLOSED', message, { state });
}

function unknownSession(id: string): ColibriError {
  const message = `no session ${JSON.stringify(id)} is recorded; \`colibri session list\` shows them`;
  return new ColibriError('SESSION_NOT_FOUND', message, { id });
}

/** The task, or an error that says where to look. */
export function createTaskLookup(db: ColibriDatabase): TaskRecordsParts['needTask'] {
  return async (idOrSlug, transaction) => {
    const task = await findTask(transaction ?? (await db.records<TaskSchema>()), idOrSlug);
    if (task !== null) return task;
    const message = `no task ${JSON.stringify(idOrSlug)}; \`colibri task list\` shows them`;
    throw new ColibriError('TASK_NOT_FOUND', message, { id: idOrSlug });
  };
}
