/** The tools of agents. Starting one is the business of whoever dispatches tasks, so that is handed in. */
import { z } from 'zod';

import { type ColibriServerContext, registerColibriTool, type ToolConfig } from '../../server.ts';
import { POOLS } from './pools.ts';
import { AGENT_STATES, type Pool } from './schema.ts';
import type { AgentsService } from './service.ts';

const ID_CHARS_MAX = 100;
const LIST_MAX = 200;

const READ_ONLY = { annotations: { readOnlyHint: true, openWorldHint: false } } as const;
const id = z.string().min(1).max(ID_CHARS_MAX);

export function registerAgentTools(ctx: ColibriServerContext, agents: () => Promise<AgentsService>): void {
  registerColibriTool(ctx, 'agent_status', AGENT_STATUS, async (input) =>
    (await agents()).status(input.agent_id),
  );
  registerColibriTool(ctx, 'agent_list', AGENT_LIST, async ({ limit, ...filter }) => {
    // One more than shown tells whether there are more.
    const found = await (await agents()).list({ ...filter, limit: limit + 1 });
    return { agents: found.slice(0, limit), more: found.length > limit };
  });
}

export interface SpawnRequest {
  readonly task_id: string;
  readonly agent_type?: string | undefined;
  readonly pool?: Pool | undefined;
}

export type Spawn = (request: SpawnRequest, actor: string) => Promise<unknown>;

/** `spawn` allocates an agent for the task and sees to it that somebody runs it. */
export function registerSpawnTool(ctx: ColibriServerContext, spawn: Spawn): void {
  registerColibriTool(ctx, 'agent_spawn', AGENT_SPAWN, (request, { caller }) => spawn(request, caller.id));
}

const AGENT_STATUS = {
  ...READ_ONLY,
  title: 'agent_status',
  description: 'One agent: its state, task, branch, and why it failed.',
  inputSchema: z.strictObject({ agent_id: id }),
} satisfies ToolConfig<z.ZodType>;

const AGENT_LIST = {
  ...READ_ONLY,
  title: 'agent_list',
  description: 'Agents, newest first.',
  inputSchema: z.strictObject({
    state: z.enum(AGENT_STATES).optional(),
    profile: z.string().min(1).max(ID_CHARS_MAX).optional(),
    task_id: z.string().min(1).max(ID_CHARS_MAX).optional(),
    limit: z.int().min(1).max(LIST_MAX).default(50),
  }),
} satisfies ToolConfig<z.ZodType>;

const AGENT_SPAWN = {
  title: 'agent_spawn',
  description: 'Start an agent for a task; agent_status tells how it goes.',
  lock: 'session',
  inputSchema: z.strictObject({
    task_id: z.string().min(1).max(ID_CHARS_MAX),
    agent_type: z.string().min(1).max(ID_CHARS_MAX).optional().describe('a profile'),
    pool: z.enum(POOLS).optional(),
  }),
} satisfies ToolConfig<z.ZodType>;
