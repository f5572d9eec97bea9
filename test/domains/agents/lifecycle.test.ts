import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';

import { historyAfter, nextStates } from '../../../src/domains/agents/lifecycle.ts';
import { AGENT_STATES, type AgentState } from '../../../src/domains/agents/schema.ts';
import { req } from '../../requirements.ts';
import { agentWorld } from './agent-world.ts';

const PAIRS = AGENT_STATES.flatMap((from) => AGENT_STATES.map((to) => [from, to] as const));
const WAY: readonly AgentState[] = ['PENDING', 'INITIALIZING', 'READY', 'BUSY', 'TERMINATED'];

describe('the lifecycle of an agent', () => {
  it(
    req('C1-agent-1', 'has eight edges of thirty-six pairs; code and database refuse the same others'),
    async () => {
      const { agents, db } = agentWorld();
      const refused: Record<'code' | 'database', string[]> = { code: [], database: [] };
      for (const [from, to] of PAIRS) {
        const pair = `${from} → ${to}`;
        const code = to === 'FAILED' ? ({ code: 'CRASH' } as const) : {};
        const how = { actor: 'test', reason: 'because', ...code };
        const a = await inState(agents, from);
        await agents.transition(a, to, how).catch((error: { code: string }) => {
          expect(error.code).toBe('AGENT_TRANSITION');
          refused.code.push(pair);
        });
        const b = await inState(agents, from);
        const ended = to === 'TERMINATED' || to === 'FAILED' ? 'now' : null;
        try {
          db.handle
            .prepare('UPDATE agents SET state = ?, fail_code = ?, ended_at = ? WHERE id = ?')
            .run(to, to === 'FAILED' ? 'CRASH' : null, ended, b);
        } catch (error) {
          expect(error).toBeInstanceOf(Database.SqliteError);
          refused.database.push(pair);
        }
      }
      const allowed = PAIRS.filter(([from, to]) => nextStates(from).includes(to)).map(
        ([a, b]) => `${a} → ${b}`,
      );
      expect(allowed).toHaveLength(8);
      const others = PAIRS.map(([from, to]) => `${from} → ${to}`).filter((pair) => !allowed.includes(pair));
      expect(refused).toEqual({ code: others, database: others });
    },
  );

  it(
    req('C1-agent-2', 'leaves one audit row and one event for each step, with the step or not at all'),
    async () => {
      const { agents, db, events } = agentWorld();
      await agents.saveProfile(PROFILE);
      const { id } = await agents.allocate({ taskId: 'task-1', profile: 'worker', epoch: 3 });
      await agents.transition(id, 'INITIALIZING', { actor: 'test', reason: 'one' });
      await agents.transition(id, 'FAILED', { actor: 'test', reason: 'two', code: 'CRASH' });
      await expect(agents.transition(id, 'READY', { actor: 'test', reason: 'three' })).rejects.toThrow(
        'has ended',
      );
      const audit = db.handle
        .prepare('SELECT actor, action, subject, outcome, detail FROM audit_log ORDER BY id')
        .all() as { detail: string }[];
      expect(audit.map(({ detail, ...row }) => ({ ...row, detail: JSON.parse(detail) }))).toEqual([
        {
          actor: 'colibri',
          action: 'agent.allocate',
          subject: id,
          outcome: 'ok',
          detail: { task_id: 'task-1', profile: 'worker', pool: 'implementation', epoch: 3, to: 'PENDING' },
        },
        {
          actor: 'test',
          action: 'agent.transition',
          subject: id,
          outcome: 'ok',
          detail: { from: 'PENDING', to: 'INITIALIZING', reason: 'one', epoch: 3 },
        },
        {
          actor: 'test',
          action: 'agent.transition',
          subject: id,
          outcome: 'CRASH',
          detail: { from: 'INITIALIZING', to: 'FAILED', reason: 'two', epoch: 3 },
        },
      ]);
      const rows = await events.read({ stream: `agent:${id}` });
      expect(rows.map(({ type }) => type)).toEqual([
        'agent.allocated',
        'agent.transitioned',
        'agent.transitioned',
      ]);
      expect((await events.verify()).broken).toBeNull();
    },
  );

  it('takes a failure only with its code, and any other state only without', async () => {
    const { agents } = agentWorld();
    const id = await inState(agents, 'BUSY');
    await expect(agents.transition(id, 'FAILED', { actor: 'test', reason: '' })).rejects.toThrow(
      'needs its code',
    );
    await expect(
      agents.transition(id, 'TERMINATED', { actor: 'test', reason: '', code: 'CRASH' }),
    ).rejects.toThrow('takes no code');
  });

  it('keeps an agent that has ended from any change, and its row for good', async () => {
    const { agents, db } = agentWorld();
    const id = await inState(agents, 'TERMINATED');
    const change = () => db.handle.prepare('UPDATE agents SET tokens_used = 5 WHERE id = ?').run(id);
    expect(change).toThrow('an agent that has ended cannot be changed');
    expect(() => db.handle.prepare('DELETE FROM agents').run()).toThrow('cannot be deleted');
  });

  it('begins as PENDING, whoever writes the row', () => {
    const { db } = agentWorld();
    const insert = () =>
      db.handle
        .prepare(
          "INSERT INTO agents (id, task_id, profile, pool, state, epoch, created_at) VALUES ('a', 't', 'p', 'review', 'BUSY', 1, 'now')",
        )
        .run();
    expect(insert).toThrow('an agent begins as PENDING');
  });

  it('counts those that have not ended, by profile', async () => {
    const { agents } = agentWorld();
    for (const state of AGENT_STATES) await inState(agents, state);
    expect(await agents.active()).toEqual(new Map([['worker', 4]]));
  });
});

describe('the history of a profile', () => {
  const none = { success_rate: 0, avg_duration_ms: 0, total_runs: 0 };

  it('is the mean of the runs so far', () => {
    const runs = [
      { code: 'ok', durationMs: 100 },
      { code: 'CRASH', durationMs: 300 },
      { code: 'ok', durationMs: 200 },
      { code: 'ok', durationMs: 0 },
    ] as const;
    const history = runs.reduce(historyAfter, none);
    expect(history.success_rate).toBeCloseTo(0.75);
    expect(history.avg_duration_ms).toBeCloseTo(150);
    expect(history.total_runs).toBe(4);
  });

  it('is not touched by what was nobody’s fault', () => {
    const before = { success_rate: 0.5, avg_duration_ms: 10, total_runs: 2 };
    for (const code of ['CANCELLED', 'HOST_LOST', 'LEASE_LOST'] as const)
      expect(historyAfter(before, { code, durationMs: 99 })).toEqual(before);
  });
});

type Agents = ReturnType<typeof agentWorld>['agents'];

/** A new agent, brought there along the edges. */
async function inState(agents: Agents, state: AgentState): Promise<string> {
  await agents.saveProfile(PROFILE);
  const { id } = await agents.allocate({ taskId: 'task', profile: 'worker', epoch: 1 });
  const how = { actor: 'test', reason: 'on the way' };
  if (state === 'FAILED') {
    await agents.transition(id, 'FAILED', { ...how, code: 'CRASH' });
    return id;
  }
  for (const step of WAY.slice(1, WAY.indexOf(state) + 1)) await agents.transition(id, step, how);
  return id;
}

const PROFILE = {
  agent_type: 'worker',
  description: '',
  agent_tier: 'T3',
  pool: 'implementation',
  skills: [],
  permissions: { tools: [], write_access: true, admin_access: false },
  limits: { max_concurrent_tasks: 1, token_budget: 1, timeout_ms: 1 },
  runtime: {
    driver: 'stdio',
    command: ['true'],
    env: [],
    init_timeout_ms: 1,
    stall_timeout_ms: 1,
    usage: 'required',
  },
} as const;
