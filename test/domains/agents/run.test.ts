import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { ColibriError } from '../../../src/lib/errors.ts';
import { req } from '../../requirements.ts';
import { agentWorld, HOOKS } from './agent-world.ts';

describe('a run', () => {
  it(
    req(
      ['C1-spawn-2', 'C1-profile-2'],
      'takes an agent from PENDING to TERMINATED, on a branch of its own, and leaves nothing running',
    ),
    async () => {
      const world = agentWorld();
      world.profile();
      const before = world.git('rev-parse', 'main');
      const { progress, ...outcome } = await world.run({ phases: ['GATHER'] });
      const head = world.git('rev-parse', 'feature/tidy-the-house');
      expect(outcome).toEqual({
        agentId: outcome.agentId,
        state: 'TERMINATED',
        code: 'ok',
        detail: '',
        worktree: path.join(world.workspace, '.colibri/worktrees/tidy-the-house'),
        branch: 'feature/tidy-the-house',
        headBefore: before,
        headAfter: head,
        tokensUsed: 100,
        durationMs: outcome.durationMs,
      });
      expect(head).not.toBe(before);
      expect(progress.flatMap((step) => (step.kind === 'state' ? [step.state] : []))).toEqual([
        'INITIALIZING',
        'READY',
        'BUSY',
        'TERMINATED',
      ]);
      expect(world.leftOf(outcome.agentId)).toEqual([]);
      expect(world.git('status', '--porcelain', '-uall')).toBe('?? .colibri/agents/worker.yaml');
      expect(await world.agents.status(outcome.agentId)).toMatchObject({
        state: 'TERMINATED',
        phase: 'GATHER',
        head_before: before,
        head_after: head,
        tokens_used: 100,
        fail_code: null,
      });
      expect((await world.agents.profile('worker')).history).toMatchObject({
        success_rate: 1,
        total_runs: 1,
      });
    },
  );

  it(
    req(
      'C1-spawn-1',
      'hands over the seven values in the environment and on stdin, and nothing else of ours',
    ),
    async () => {
      const world = agentWorld();
      world.profile({ mode: 'dirty --dump' });
      const { worktree, agentId } = await world.run({ phases: ['GATHER'] });
      const seen = JSON.parse(readFileSync(path.join(worktree ?? '', 'seen.json'), 'utf8'));
      expect(seen.envelope).toMatchObject({
        type: 'envelope',
        protocol: 1,
        agent_id: agentId,
        pool_assignment: 'implementation',
        worktree_path: worktree,
        branch_name: 'feature/tidy-the-house',
        writeback_contract: { task_update: true, thought_record: true },
        skill_refs: [{ name: 'tidy-up', version: '1.0.0', digest: 'a'.repeat(64) }],
        context_snapshot: { parent: null },
        task: { id: 'task-1', slug: 'tidy-the-house', title: 'Tidy the house', description: 'All of it.' },
        limits: { timeout_ms: 120_000, token_budget: 10_000 },
      });
      const { PATH: _, ...environment } = seen.environment;
      expect(environment).toEqual({
        HOME: world.home,
        TOKEN_FOR_AGENT: 'given',
        COLIBRI_AGENT_ID: agentId,
        COLIBRI_POOL_ASSIGNMENT: 'implementation',
        COLIBRI_WORKTREE_PATH: worktree,
        COLIBRI_BRANCH_NAME: 'feature/tidy-the-house',
        COLIBRI_WRITEBACK_CONTRACT: '{"task_update":true,"thought_record":true}',
        COLIBRI_SKILL_REFS: JSON.stringify(seen.envelope.skill_refs),
        COLIBRI_CONTEXT_SNAPSHOT: '{"parent":null}',
        COLIBRI_TASK_ID: 'task-1',
        COLIBRI_EPOCH: '1',
      });
      const { type: _type, ...envelope } = seen.envelope;
      expect(await world.agents.envelope(agentId)).toEqual(envelope);
    },
  );

  it('gives what a phase came to, with the HEAD that it left', async () => {
    const world = agentWorld();
    world.profile();
    const results: unknown[] = [];
    const outcome = await world.run({
      hooks: { drive: async (agent) => void results.push(await agent.runPhase('PLAN', { a: 1 })) },
    });
    expect(results).toEqual([
      {
        status: 'ok',
        output: { echo: { a: 1 } },
        detail: '',
        transient: false,
        head: outcome.headAfter,
      },
    ]);
  });

  it('removes a worktree in which nothing was done, and its branch', async () => {
    const world = agentWorld();
    world.profile({ mode: 'reads' });
    const outcome = await world.run({ phases: ['GATHER'] });
    expect(outcome).toMatchObject({ state: 'TERMINATED', worktree: null, branch: null });
    expect(world.git('branch', '--list', 'feature/*')).toBe('');
    expect(world.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('keeps a worktree with changes that are not committed', async () => {
    const world = agentWorld();
    world.profile({ mode: 'dirty' });
    const { worktree } = await world.run({ phases: ['GATHER'] });
    expect(readFileSync(path.join(worktree ?? '', 'half-done.txt'), 'utf8')).toBe('not committed\n');
    expect((await world.agents.reconcile()).kept).toEqual([
      { worktree, reason: 'it holds changes that are not committed' },
    ]);
  });

  it(req('C1-agent-4', 'is not TERMINATED without its writeback'), async () => {
    const world = agentWorld();
    world.profile();
    const outcome = await world.run({
      hooks: { checkWriteback: async (_, facts) => `no reflection was recorded for ${facts.taskId}` },
    });
    expect(outcome).toMatchObject({
      state: 'FAILED',
      code: 'WRITEBACK_REJECTED',
      detail: 'no reflection was recorded for task-1',
    });
  });

  it(
    req(
      'C1-profile-2',
      'tells the owner of the task of its end in the same transaction, or neither is there',
    ),
    async () => {
      const world = agentWorld();
      world.profile();
      const run = world.run({
        hooks: {
          onEnd: async () => {
            throw new Error('the owner cannot');
          },
        },
      });
      await expect(run).rejects.toThrow('the owner cannot');
      const [agent] = await world.agents.list();
      expect(agent).toMatchObject({ state: 'BUSY', ended_at: null });
      expect((await world.agents.profile('worker')).history.total_runs).toBe(0);
    },
  );

  it('writes nothing more once its task is somebody else’s', async () => {
    const world = agentWorld();
    world.profile();
    let owner = true;
    const outcome = await world.run({
      hooks: {
        guard: async () => {
          if (!owner) throw new ColibriError('LEASE_LOST', 'epoch 2 has the task');
        },
        drive: async (agent) => {
          await agent.runPhase('GATHER', null);
          owner = false;
        },
      },
    });
    expect(outcome).toMatchObject({ state: 'FAILED', code: 'LEASE_LOST', detail: 'epoch 2 has the task' });
    expect(await world.agents.status(outcome.agentId)).toMatchObject({ state: 'BUSY', fail_code: null });
    expect(world.leftOf(outcome.agentId)).toEqual([]);
  });

  it('kills everything and writes nothing when it is told that the lease is lost', async () => {
    const world = agentWorld();
    world.profile({ mode: 'hangs' });
    const stop = new AbortController();
    const outcome = await world.run({
      signal: stop.signal,
      hooks: {
        drive: async (agent) => {
          setTimeout(() => stop.abort(new ColibriError('LEASE_LOST', 'not renewed in time')), 50);
          await agent.runPhase('GATHER', null);
        },
      },
    });
    expect(outcome).toMatchObject({ code: 'LEASE_LOST' });
    expect(await world.agents.status(outcome.agentId)).toMatchObject({ state: 'BUSY' });
    expect(world.leftOf(outcome.agentId)).toEqual([]);
  });

  it('ends as CANCELLED when somebody stops it, which does not count against the profile', async () => {
    const world = agentWorld();
    world.profile({ mode: 'hangs' });
    const run = world.run({ phases: ['GATHER'] });
    await until(async () => (await world.agents.list({ state: 'BUSY' })).length === 1);
    await world.agents.close();
    expect(await run).toMatchObject({
      state: 'FAILED',
      code: 'CANCELLED',
      detail: 'colibri is shutting down',
    });
    expect((await world.agents.profile('worker')).history.total_runs).toBe(0);
  });

  it('goes on where an earlier agent of the same task left off', async () => {
    const world = agentWorld();
    world.profile();
    const first = await world.run({ phases: ['GATHER'] });
    world.profile({ mode: 'dirty' });
    const second = await world.run({ phases: ['APPLY'] });
    expect(second).toMatchObject({
      worktree: first.worktree,
      branch: first.branch,
      headBefore: first.headAfter,
    });
    expect(existsSync(path.join(second.worktree ?? '', 'made-by-agent.txt'))).toBe(true);
  });

  it('refuses a profile that nobody has vouched for, before anything is started', async () => {
    const world = agentWorld();
    world.profile();
    const { id } = await world.agents.allocate({ taskId: 'task-1', profile: 'worker', epoch: 1 });
    const careful = agentWorld({ db: world.db, events: world.events, isTrusted: async () => false });
    careful.profile();
    const outcome = await careful.agents.supervise(careful.spec(id), HOOKS);
    expect(outcome).toMatchObject({ state: 'FAILED', code: 'SPAWN_ERROR' });
    expect(outcome.detail).toContain('colibri trust worker.yaml');
    expect((await world.agents.status(id)).worktree).toBeNull();
  });
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}
