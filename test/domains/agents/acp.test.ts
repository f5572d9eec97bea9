/** The ACP driver against a real agent of that protocol in a process of its own. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { answerOf, permissionOf } from '../../../src/domains/agents/drivers/acp-permission.ts';
import type { PhaseResult } from '../../../src/domains/agents/schema.ts';
import { type AgentWorld, agentWorld, type ProfileChange } from './agent-world.ts';

const ACP_AGENT = path.join(import.meta.dirname, 'acp-agent.mjs');

interface Asked {
  readonly tool: string;
  readonly argument: string | null;
}

function acpWorld(mode: string, { allow = true, ...change }: ProfileChange & { allow?: boolean } = {}) {
  const asked: Asked[] = [];
  const world = agentWorld({
    permits: async (request, { agent_tier }) => {
      asked.push({ ...request });
      expect(agent_tier).toBe('T3');
      return allow;
    },
  });
  const { runtime, ...rest } = change;
  world.profile({
    ...rest,
    command: [process.execPath, ACP_AGENT, mode],
    runtime: { driver: 'acp', ...runtime },
  });
  return { world, asked };
}

async function runOne(world: AgentWorld) {
  const results: PhaseResult[] = [];
  const outcome = await world.run({
    hooks: { drive: async (agent) => void results.push(await agent.runPhase('APPLY', { plan: ['one'] })) },
  });
  return { outcome, result: results[0] };
}

describe('an agent of the Agent Client Protocol', () => {
  it('works a phase off as a prompt, with Colibri’s MCP server and the leave of the policy', async () => {
    const { world, asked } = acpWorld('good');
    const { outcome, result } = await runOne(world);
    expect(outcome).toMatchObject({ state: 'TERMINATED', code: 'ok', tokensUsed: 1_234 });
    const answer = 'The permission was: {"outcome":"selected","optionId":"once"}';
    expect(result).toEqual({
      status: 'ok',
      output: { text: answer, stop_reason: 'end_turn' },
      detail: '',
      transient: false,
      head: outcome.headAfter,
    });
    const notes = path.join(outcome.worktree ?? '', 'notes.txt');
    expect(asked).toEqual([{ tool: 'Edit', argument: notes }]);
    const { servers, prompt } = JSON.parse(readFileSync(notes, 'utf8'));
    expect(servers).toEqual([
      {
        name: 'colibri',
        command: 'colibri',
        args: ['serve'],
        env: [{ name: 'COLIBRI_AGENT_ID', value: outcome.agentId }],
      },
    ]);
    for (const word of ['phase APPLY', 'Tidy the house', 'tidy-up', '{"plan":["one"]}', 'thought_record'])
      expect(prompt).toContain(word);
    expect(outcome.progress).toContainEqual({ kind: 'tool', name: 'Write notes', status: 'started' });
    expect(world.leftOf(outcome.agentId)).toEqual([]);
  });

  it('is refused once what the policy does not allow', async () => {
    const { world } = acpWorld('good', { allow: false });
    const { outcome, result } = await runOne(world);
    expect(result?.output).toMatchObject({
      text: 'The permission was: {"outcome":"selected","optionId":"no"}',
    });
    expect(outcome.worktree).toBeNull();
  });

  it('is not even asked about when it may not write, or wants to write elsewhere', async () => {
    const reader = acpWorld('good', { permissions: { write_access: false } });
    expect((await runOne(reader.world)).result?.output).toMatchObject({
      text: expect.stringContaining('"no"'),
    });
    const burglar = acpWorld('outside');
    expect((await runOne(burglar.world)).result?.output).toMatchObject({
      text: expect.stringContaining('"no"'),
    });
    expect([...reader.asked, ...burglar.asked]).toEqual([]);
  });

  it('that reports no usage is stopped, because its budget could not be held', async () => {
    const { world } = acpWorld('no-usage');
    expect((await runOne(world)).outcome).toMatchObject({ state: 'FAILED', code: 'NO_USAGE' });
  });

  it('that fills its context past its budget is stopped', async () => {
    const { world } = acpWorld('good', { limits: { token_budget: 1_000 } });
    expect((await runOne(world)).outcome).toMatchObject({ state: 'FAILED', code: 'BUDGET_EXCEEDED' });
  });

  it('that refuses its task has failed the phase, not crashed', async () => {
    const { world } = acpWorld('refuses', { runtime: { usage: 'none' } });
    const { outcome, result } = await runOne(world);
    expect(result).toMatchObject({ status: 'failed', detail: 'it stopped: refusal' });
    expect(outcome.state).toBe('TERMINATED');
  });

  it('that speaks another version is a PROTOCOL_ERROR', async () => {
    const { world } = acpWorld('newer');
    expect((await runOne(world)).outcome).toMatchObject({
      code: 'PROTOCOL_ERROR',
      detail: 'it speaks version 2 of the Agent Client Protocol, not 1',
    });
  });
});

describe('a request for permission', () => {
  it('is put into the words of the policy', () => {
    const call = { toolCallId: '1' };
    expect(
      permissionOf({ ...call, kind: 'execute', title: 'x', rawInput: { command: ['git', 'push'] } }),
    ).toEqual({
      tool: 'Bash',
      argument: 'git push',
      writes: true,
      paths: [],
    });
    expect(permissionOf({ ...call, kind: 'read', title: 'x', locations: [{ path: '/a' }] })).toEqual({
      tool: 'Read',
      argument: '/a',
      writes: false,
      paths: ['/a'],
    });
    expect(permissionOf({ ...call, title: 'mcp__thing__do' })).toMatchObject({
      tool: 'mcp__thing__do',
      writes: true,
    });
  });

  it('is never answered for more than this once', () => {
    const always = [{ optionId: 'a', name: 'Always', kind: 'allow_always' as const }];
    expect(answerOf(always, true)).toBeNull();
    expect(answerOf(always, false)).toBeNull();
  });
});
