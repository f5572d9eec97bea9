/** Every way in which a run can fail, each with a real process that does it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { FAIL_CODES } from '../../../src/domains/agents/schema.ts';
import { req } from '../../requirements.ts';
import {
  type AgentWorld,
  agentWorld,
  type ProfileChange,
  processesNamed,
  type RunChange,
} from './agent-world.ts';

async function fail(
  profile: ProfileChange,
  run: RunChange = {},
): Promise<{ readonly code: string; readonly detail: string; readonly world: AgentWorld }> {
  const world = agentWorld();
  world.profile(profile);
  const outcome = await world.run({ phases: ['GATHER'], ...run });
  expect(outcome.state).toBe('FAILED');
  expect(world.leftOf(outcome.agentId)).toEqual([]);
  const { fail_code, fail_detail, ended_at } = await world.agents.status(outcome.agentId);
  expect({ fail_code, fail_detail }).toEqual({ fail_code: outcome.code, fail_detail: outcome.detail });
  expect(ended_at).not.toBeNull();
  return { code: outcome.code, detail: outcome.detail, world };
}

describe('an agent', () => {
  it('that is no program is a SPAWN_ERROR', async () => {
    const { code, detail } = await fail({ command: ['no-such-program-at-all'] });
    expect({ code, detail }).toEqual({
      code: 'SPAWN_ERROR',
      detail: '"no-such-program-at-all" cannot be started: there is no such program',
    });
  });

  it('that never says hello is an INIT_TIMEOUT', async () => {
    const { code, detail } = await fail({ mode: 'silent', runtime: { init_timeout_ms: 300 } });
    expect({ code, detail }).toEqual({
      code: 'INIT_TIMEOUT',
      detail: 'it did not say hello within 300 ms',
    });
  });

  it(req('C1-agent-3', 'that has other tools than its skills need is MISSING_TOOLS'), async () => {
    const { code, detail } = await fail({ mode: 'poor' }, { requiredTools: ['Read', 'Edit', 'Bash'] });
    expect({ code, detail }).toEqual({
      code: 'MISSING_TOOLS',
      detail: 'it lacks Edit, Bash, which its skills need',
    });
  });

  it('that cannot report its usage is NO_USAGE, unless its profile says so', async () => {
    expect(await fail({ mode: 'no-usage' })).toMatchObject({ code: 'NO_USAGE' });
    const world = agentWorld();
    world.profile({ mode: 'no-usage', runtime: { usage: 'none' } });
    expect(await world.run({ phases: ['GATHER'] })).toMatchObject({ state: 'TERMINATED', tokensUsed: 0 });
  });

  it('that uses more than its budget is BUDGET_EXCEEDED, at once', async () => {
    const { code, detail } = await fail({ mode: 'greedy', limits: { token_budget: 500 } });
    expect({ code, detail }).toEqual({
      code: 'BUDGET_EXCEEDED',
      detail: 'it used 1000000 tokens, and 500 were its budget',
    });
  });

  it('that crashes is a CRASH with the end of its log, made harmless for a terminal', async () => {
    expect(await fail({ mode: 'crash' })).toMatchObject({
      code: 'CRASH',
      detail: 'its process ended with exit code 7; it had written: something \\u{1b}[31mbroke',
    });
    expect(await fail({ mode: 'kill-self' })).toMatchObject({
      code: 'CRASH',
      detail: 'its process ended by SIGKILL',
    });
  });

  it('that floods its output is stopped', async () => {
    expect(await fail({ mode: 'flood' })).toMatchObject({
      code: 'OUTPUT_FLOOD',
      detail: 'a line has more than 1048576 bytes',
    });
  });

  it('that writes its log to stdout, answers another phase or is somebody else is a PROTOCOL_ERROR', async () => {
    const chatter = await fail({ mode: 'chatter' });
    expect(chatter.code).toBe('PROTOCOL_ERROR');
    expect(chatter.detail).toContain('"Loading model..." was not understood: it is not JSON; stdout belongs');
    expect(await fail({ mode: 'wrong-phase' })).toMatchObject({
      code: 'PROTOCOL_ERROR',
      detail: 'it answered the phase NONSENSE, but GATHER is running',
    });
    expect((await fail({ mode: 'impostor' })).detail).toContain('says that it is agent somebody-else');
  });

  it('that goes silent is STALLED', async () => {
    const { code, detail } = await fail({ mode: 'hangs', runtime: { stall_timeout_ms: 1_500 } });
    expect({ code, detail }).toEqual({ code: 'STALLED', detail: 'nothing was heard of it for 1500 ms' });
  });

  it('that takes too long is past its DEADLINE, and is killed although it ignores SIGTERM', async () => {
    const { code, detail } = await fail({ mode: 'ignores-sigterm', limits: { timeout_ms: 2_500 } });
    expect({ code, detail }).toEqual({ code: 'DEADLINE', detail: 'it ran longer than 2500 ms' });
  });

  it('that gives up is PHASE_FAILED', async () => {
    expect(await fail({ mode: 'error' })).toMatchObject({ code: 'PHASE_FAILED', detail: 'I give up' });
    const world = agentWorld();
    world.profile({ mode: 'fails' });
    expect(await world.run()).toMatchObject({ code: 'PHASE_FAILED', detail: 'no idea' });
  });

  it('without write access that writes is WRITE_FORBIDDEN, and its work is kept', async () => {
    const { code, world } = await fail({ mode: 'good', permissions: { write_access: false } });
    expect(code).toBe('WRITE_FORBIDDEN');
    expect(world.git('log', '--format=%s', 'feature/tidy-the-house')).toContain('Add a file');
  });

  it('in a folder that is no repository is a WORKTREE_ERROR', async () => {
    const { code, detail } = await fail({}, { repo: '/' });
    expect(code).toBe('WORKTREE_ERROR');
    expect(detail).toContain('not a git repository');
  });

  it(
    req('C1-spawn-3', 'that leaves daemons behind, in groups and sessions of their own, leaves none of them'),
    async () => {
      const world = agentWorld();
      world.profile({ mode: 'forks' });
      let seen = 0;
      const outcome = await world.run({
        hooks: {
          drive: async (agent) => {
            await agent.runPhase('GATHER', null);
            while (world.leftOf(agent.agent.id).length < 4) await new Promise((next) => setTimeout(next, 20));
            seen = world.leftOf(agent.agent.id).length;
          },
        },
      });
      expect(outcome.state).toBe('TERMINATED');
      expect(seen).toBeGreaterThanOrEqual(4);
      expect(world.leftOf(outcome.agentId)).toEqual([]);
    },
  );
});

describe('a daemon', () => {
  it('that dropped its environment and its group is found by what was seen of it before', async () => {
    const world = agentWorld();
    world.profile({ mode: 'hides', runtime: { stall_timeout_ms: 60_000 } });
    let hidden: readonly number[] = [];
    const outcome = await world.run({
      hooks: {
        drive: async ({ agent, runPhase }) => {
          await runPhase('GATHER', null);
          // A look is taken every second.
          await new Promise((next) => setTimeout(next, 1_500));
          hidden = processesNamed(`${agent.id} hidden`);
        },
      },
    });
    expect(hidden).toHaveLength(1);
    expect(processesNamed(`${outcome.agentId} hidden`)).toEqual([]);
  });
});

describe('docs/agents.md', () => {
  it('lists every code of failure and no other', () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/agents.md'), 'utf8');
    const table = /\| `fail_code` \|[\s\S]*?\n\n/.exec(page)?.[0] ?? '';
    const told = Array.from(table.matchAll(/^\| ([A-Z_]+) \|/gm), ([, code]) => code);
    expect(told.toSorted()).toEqual(Object.keys(FAIL_CODES).toSorted());
  });
});
