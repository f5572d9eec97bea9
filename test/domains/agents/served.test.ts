/** What an agent gets from `colibri serve`, started as its supervisor says, in a process of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';

import { startup } from '../../../src/startup.ts';
import { CLI } from '../../support/rpc-process.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { profileText } from './agent-world.ts';

async function world() {
  const workspace = temporaryDirectory();
  writeSkill(path.join(workspace, '.agents/skills'), 'tidy-up');
  const folder = path.join(workspace, '.colibri/agents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'worker.yaml'), profileText({ permissions: { tools: ['skill_load'] } }));
  const env = { PATH: process.env['PATH'] ?? '', HOME: workspace, COLIBRI_TRUST_WORKSPACE: '1' };
  const runtime = await startup({ workspace, home: workspace, env, logger: () => undefined });
  onTestFinished(() => runtime.close());
  const agents = await runtime.agents();
  const { id } = await agents.allocate({ taskId: 'task-1', profile: 'worker', epoch: 1 });
  const connect = async (agentId: string) => {
    const client = new Client({ name: 'agent', version: '1.0.0' });
    const args = [CLI, 'serve', '--workspace', workspace];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env: { ...env, COLIBRI_AGENT_ID: agentId },
      stderr: 'ignore',
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    return client;
  };
  return { runtime, id, connect };
}

const codeOf = (answer: { readonly structuredContent?: unknown }): string | undefined =>
  (answer.structuredContent as { error?: { code: string } }).error?.code;

describe('a server with the identity of an agent', () => {
  it('opens the tools of its profile and no others, and records who called', async () => {
    const { runtime, id, connect } = await world();
    const client = await connect(id);
    const load = await client.callTool({ name: 'skill_load', arguments: { name: 'tidy-up' } });
    expect(load.isError).not.toBe(true);
    const search = await client.callTool({ name: 'skill_search', arguments: { query: 'tidy' } });
    expect(codeOf(search)).toBe('TOOL_LOCKED');
    const spawn = { name: 'agent_spawn', arguments: { task_id: 'task-1' } };
    expect(codeOf(await client.callTool(spawn))).toBe('TOOL_LOCKED');
    const loads = await runtime.events.read({ types: ['tool.started'] });
    expect(loads.map(({ actor }) => actor)).toContain(id);
    const [session] = await runtime.sessions.list(1);
    expect(session).toMatchObject({ agent_id: id, agent_tier: 'T3' });
  });

  it('does not start for an agent that nobody knows', async () => {
    const { connect } = await world();
    const client = connect('01NOBODY').then((connected) => connected.listTools());
    await expect(client).rejects.toThrow();
  });
});
