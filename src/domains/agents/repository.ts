/** Agents and the history of their profiles. */
import type { Kysely } from 'kysely';

import type { RecordTransaction } from '../../db/database.ts';
import type { Agent, AgentFilter, ProfileHistory } from './schema.ts';

/** A row as it is stored: what everybody may see, and what only supervision needs. */
interface AgentRow extends Agent {
  readonly base_ref: string | null;
  readonly supervisor_pid: number | null;
  readonly supervisor_start: string | null;
  readonly boot_id: string | null;
  /** JSON. */
  readonly envelope: string | null;
  readonly envelope_sha256: string | null;
}

interface HistoryRow extends ProfileHistory {
  readonly agent_type: string;
  readonly last_assigned_at: string | null;
}

export interface AgentSchema {
  readonly agents: AgentRow;
  readonly agent_history: HistoryRow;
}

/** The process that watches over an agent. */
export interface SupervisorMark {
  readonly supervisor_pid: number;
  readonly supervisor_start: string;
  readonly boot_id: string;
}

export type AgentChange = Partial<Omit<AgentRow, 'id' | 'task_id' | 'profile' | 'created_at'>>;

type Db = Kysely<AgentSchema> | RecordTransaction;

export const AGENTS_PAGE = 50;

const PUBLIC = [
  'id',
  'task_id',
  'profile',
  'pool',
  'state',
  'epoch',
  'phase',
  'repo',
  'worktree',
  'branch',
  'head_before',
  'head_after',
  'pid',
  'tokens_used',
  'fail_code',
  'fail_detail',
  'created_at',
  'started_at',
  'last_progress_at',
  'ended_at',
] as const;

const LIVE = ['PENDING', 'INITIALIZING', 'READY', 'BUSY'] as const;

export async function insertAgent(
  db: RecordTransaction,
  agent: Pick<Agent, 'id' | 'task_id' | 'profile' | 'pool' | 'epoch' | 'created_at'>,
): Promise<Agent> {
  const nothing = {
    phase: null,
    repo: null,
    base_ref: null,
    worktree: null,
    branch: null,
    head_before: null,
    head_after: null,
    pid: null,
    supervisor_pid: null,
    supervisor_start: null,
    boot_id: null,
    envelope: null,
    envelope_sha256: null,
    fail_code: null,
    fail_detail: null,
    started_at: null,
    last_progress_at: null,
    ended_at: null,
  };
  const row = { ...agent, ...nothing, state: 'PENDING', tokens_used: 0 } as const;
  await records(db).insertInto('agents').values(row).execute();
  return publicPart(row);
}

export async function updateAgent(db: RecordTransaction, id: string, change: AgentChange): Promise<void> {
  await records(db).updateTable('agents').set(change).where('id', '=', id).execute();
}

export async function findAgent(db: Db, id: string): Promise<Agent | null> {
  const row = await records(db).selectFrom('agents').select(PUBLIC).where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Newest first. */
export function listAgents(db: Db, filter: AgentFilter = {}): Promise<Agent[]> {
  let query = records(db)
    .selectFrom('agents')
    .select(PUBLIC)
    .orderBy('id', 'desc')
    .limit(filter.limit ?? AGENTS_PAGE);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.profile !== undefined) query = query.where('profile', '=', filter.profile);
  if (filter.task_id !== undefined) query = query.where('task_id', '=', filter.task_id);
  return query.execute();
}

export async function countActive(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await records(db)
    .selectFrom('agents')
    .select((select) => ['profile', select.fn.countAll<number>().as('count')])
    .where('state', 'in', LIVE)
    .groupBy('profile')
    .execute();
  return new Map(rows.map(({ profile, count }) => [profile, Number(count)]));
}

/** Agents that a supervisor had taken on and that have not ended. */
export function listSupervised(db: Db): Promise<(Agent & SupervisorMark)[]> {
  return records(db)
    .selectFrom('agents')
    .select([...PUBLIC, 'supervisor_pid', 'supervisor_start', 'boot_id'])
    .where('state', 'in', LIVE)
    .where('supervisor_pid', 'is not', null)
    .orderBy('id')
    .$narrowType<SupervisorMark>()
    .execute();
}

/** Repositories in which agents have worked. */
export async function listRepos(db: Db): Promise<string[]> {
  const rows = await records(db)
    .selectFrom('agents')
    .select('repo')
    .distinct()
    .where('repo', 'is not', null)
    .$narrowType<{ repo: string }>()
    .execute();
  return rows.map(({ repo }) => repo);
}

/** Who has used a worktree, newest first. */
export function listUsers(
  db: Db,
  worktree: string,
): Promise<(Agent & { readonly base_ref: string | null })[]> {
  return records(db)
    .selectFrom('agents')
    .select([...PUBLIC, 'base_ref'])
    .where('worktree', '=', worktree)
    .orderBy('id', 'desc')
    .execute();
}

export async function findEnvelope(db: Db, id: string): Promise<string | null> {
  const row = await records(db)
    .selectFrom('agents')
    .select('envelope')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.envelope ?? null;
}

export async function readHistories(db: Db): Promise<ReadonlyMap<string, HistoryRow>> {
  const rows = await records(db).selectFrom('agent_history').selectAll().execute();
  return new Map(rows.map((row) => [row.agent_type, row]));
}

export async function putHistory(db: RecordTransaction, row: HistoryRow): Promise<void> {
  const { agent_type: _, ...rest } = row;
  await records(db)
    .insertInto('agent_history')
    .values(row)
    .onConflict((conflict) => conflict.column('agent_type').doUpdateSet(rest))
    .execute();
}

function publicPart(row: AgentRow): Agent {
  // `PUBLIC` holds every member of Agent, which the type of the select above proves.
  return Object.fromEntries(PUBLIC.map((member) => [member, row[member]])) as unknown as Agent;
}

function records(db: Db): Kysely<AgentSchema> {
  return db as unknown as Kysely<AgentSchema>;
}
