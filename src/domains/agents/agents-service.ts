/** Makes agents and moves them from state to state: each step one transaction with its audit row and its event. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { ColibriError } from '../../lib/errors.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { EventsService } from '../events/service.ts';
import { hasEnded, nextStates } from './lifecycle.ts';
import type { Profiles } from './profiles-service.ts';
import {
  type AgentChange,
  type AgentSchema,
  countActive,
  findAgent,
  insertAgent,
  listAgents,
  updateAgent,
} from './repository.ts';
import type { Agent, AgentFilter, AgentState, Allocation, FailCode } from './schema.ts';

export interface AgentsParts {
  readonly db: ColibriDatabase;
  readonly events: Pick<EventsService, 'append' | 'audit' | 'wake'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly profiles: Profiles;
  readonly logger: Logger;
}

export interface TransitionHow {
  readonly actor: string;
  readonly reason: string;
  /** Needed for FAILED, and only there. */
  readonly code?: FailCode | undefined;
  /** The caller's own transaction; otherwise one is made. */
  readonly transaction?: RecordTransaction | undefined;
}

export interface Agents {
  active(transaction?: RecordTransaction): Promise<ReadonlyMap<string, number>>;
  allocate(allocation: Allocation, transaction?: RecordTransaction): Promise<Agent>;
  status(id: string): Promise<Agent>;
  list(filter?: AgentFilter): Promise<readonly Agent[]>;
  transition(id: string, to: AgentState, how: TransitionHow): Promise<Agent>;
  /** Like `transition`, with facts that become known in the same moment. */
  move(transaction: RecordTransaction, id: string, step: Step): Promise<Agent>;
}

export interface Step extends Omit<TransitionHow, 'transaction'> {
  readonly to: AgentState;
  readonly change?: AgentChange | undefined;
}

export function createAgents(parts: AgentsParts): Agents {
  const { db, events, profiles } = parts;
  const inTransaction = async <T>(
    work: (transaction: RecordTransaction) => Promise<T>,
    transaction: RecordTransaction | undefined,
  ): Promise<T> => {
    if (transaction !== undefined) return work(transaction);
    const result = await db.transact(work);
    events.wake();
    return result;
  };
  const move: Agents['move'] = (transaction, id, step) => moveAgent(parts, transaction, { id, step });

  return {
    move,
    active: async (transaction) => countActive(transaction ?? (await db.records<AgentSchema>())),
    async allocate(allocation, transaction) {
      // Read before the transaction: whoever is asked about trust reads records of their own.
      const profile = transaction === undefined ? await profiles.profile(allocation.profile) : null;
      return inTransaction(
        (inside) => allocateAgent(parts, inside, { ...allocation, pool: allocation.pool ?? profile?.pool }),
        transaction,
      );
    },
    async status(id) {
      return requireAgent(await findAgent(await db.records<AgentSchema>(), id), id);
    },
    list: async (filter) => listAgents(await db.records<AgentSchema>(), filter),
    transition: (id, to, { transaction, ...how }) =>
      inTransaction((inside) => move(inside, id, { ...how, to }), transaction),
  };
}

async function allocateAgent(
  { events, clock, ids, profiles }: AgentsParts,
  transaction: RecordTransaction,
  { taskId, profile, pool = 'implementation', epoch }: Allocation,
): Promise<Agent> {
  const at = isoNow(clock);
  const agent = await insertAgent(transaction, {
    id: ids.ulid(),
    task_id: taskId,
    profile,
    pool,
    epoch,
    created_at: at,
  });
  await profiles.noteAssigned(transaction, profile, at);
  await events.audit(transaction, {
    actor: 'colibri',
    action: 'agent.allocate',
    subject: agent.id,
    outcome: 'ok',
    detail: { task_id: taskId, profile, pool, epoch, to: 'PENDING' },
  });
  await events.append(transaction, [
    {
      type: 'agent.allocated',
      stream: `agent:${agent.id}`,
      actor: 'colibri',
      sensitivity: 'pseudonymous',
      payload: { agent_id: agent.id, task_id: taskId, profile, pool, epoch },
    },
  ]);
  return agent;
}

async function moveAgent(
  { events, clock }: AgentsParts,
  transaction: RecordTransaction,
  { id, step }: { readonly id: string; readonly step: Step },
): Promise<Agent> {
  const { to, actor, reason, code, change = {} } = step;
  const before = requireAgent(await findAgent(transaction, id), id);
  refuseEdge(before, step);
  const ended = hasEnded(to) ? { ended_at: isoNow(clock) } : {};
  const failed = code === undefined ? {} : { fail_code: code, fail_detail: reason };
  await updateAgent(transaction, id, { ...change, ...ended, ...failed, state: to });
  await events.audit(transaction, {
    actor,
    action: 'agent.transition',
    subject: id,
    outcome: code ?? 'ok',
    detail: { from: before.state, to, reason, epoch: before.epoch },
  });
  await events.append(transaction, [
    {
      type: 'agent.transitioned',
      stream: `agent:${id}`,
      actor,
      sensitivity: 'pseudonymous',
      payload: {
        agent_id: id,
        task_id: before.task_id,
        from: before.state,
        to,
        epoch: before.epoch,
        reason,
        code: code ?? null,
      },
    },
  ]);
  return requireAgent(await findAgent(transaction, id), id);
}

function refuseEdge({ id, state }: Agent, { to, code }: Step): void {
  const details = { agent: id, from: state, to };
  if (!nextStates(state).includes(to)) {
    const may = nextStates(state);
    const hint = may.length === 0 ? 'it has ended; allocate a new one' : `it can become ${may.join(' or ')}`;
    throw new ColibriError(
      'AGENT_TRANSITION',
      `agent ${id} is ${state} and cannot become ${to}; ${hint}`,
      details,
    );
  }
  if ((to === 'FAILED') === (code !== undefined)) return;
  const message = to === 'FAILED' ? 'a failure needs its code' : `${to} is no failure and takes no code`;
  throw new ColibriError('AGENT_TRANSITION', `agent ${id}: ${message}`, details);
}

function requireAgent(agent: Agent | null, id: string): Agent {
  if (agent !== null) return agent;
  throw new ColibriError('AGENT_NOT_FOUND', `no agent has the id ${id}; \`colibri agent list\` shows them`, {
    agent: id,
  });
}
