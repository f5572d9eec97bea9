/** The task tools. */
import { z } from 'zod';

import {
  type ColibriServerContext,
  registerColibriTool,
  type ToolCall,
  type ToolConfig,
} from '../../server.ts';
import {
  type MemoryPackRequest,
  memoryPackSchema,
  type TaskUpdateRequest,
  type ThoughtRequest,
  taskCreateSchema,
  taskUpdateSchema,
  thoughtSchema,
} from './requests.ts';
import { TASK_STATES } from './schema.ts';
import type { TasksService } from './service.ts';
import { summaryOf } from './task-summary.ts';

export interface TaskToolParts {
  readonly tasks: () => Promise<TasksService>;
  /** The agent that makes a call, if it is one of ours. */
  readonly agentOf: (caller: ToolCall['caller']) => Promise<string | null>;
}

const LIST_MAX = 200;

export function registerTaskTools(ctx: ColibriServerContext, { tasks, agentOf }: TaskToolParts): void {
  /** An agent speaks for itself: what it says about who it is does not count. */
  const inOwnName = async <T extends { readonly agent_id?: string | undefined }>(
    request: T,
    { caller }: ToolCall,
  ): Promise<T> => {
    const own = await agentOf(caller);
    return own === null ? request : { ...request, agent_id: own };
  };

  registerColibriTool(ctx, 'task_create', TASK_CREATE, async ({ dispatch, ...request }, { caller }) => {
    const service = await tasks();
    const task = await service.create(request, caller.id);
    return summaryOf(dispatch === true ? await service.dispatch(task.id, caller.id) : task);
  });
  registerColibriTool(ctx, 'task_update', TASK_UPDATE, async (input: TaskUpdateRequest, call) => {
    const service = await tasks();
    const update = await service.update(await inOwnName(input, call), call.caller.id);
    return { ...update, state: (await service.get(update.task_id)).state };
  });
  registerColibriTool(ctx, 'task_list', TASK_LIST, async ({ state, open, limit }) => {
    const found = await (await tasks()).list({ state, open, limit: limit + 1 });
    return { tasks: found.slice(0, limit).map(summaryOf), more: found.length > limit };
  });
  registerColibriTool(ctx, 'thought_record', THOUGHT_RECORD, async (input: ThoughtRequest, call) => {
    const { id, task_id, agent_id, type, at } = await (await tasks()).think(
      await inOwnName(input, call),
      call.caller.id,
    );
    return { id, task_id, agent_id, type, at };
  });
  registerColibriTool(ctx, 'memory_pack', MEMORY_PACK, async (input: MemoryPackRequest, call) => {
    const pack = await (await tasks()).pack(await inOwnName(input, call), call.caller.id);
    const { id, session_id, task_id, digest, content } = pack;
    return { id, session_id, task_id, digest, content };
  });
}

const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

const TASK_CREATE = {
  lock: 'session',
  annotations: WRITES,
  title: 'task_create',
  description: 'Make a task for an agent.',
  inputSchema: taskCreateSchema,
} satisfies ToolConfig<z.ZodType>;

const TASK_UPDATE = {
  lock: 'session',
  annotations: WRITES,
  title: 'task_update',
  description: 'Say how far a task is, and answer the checks of its skills.',
  inputSchema: taskUpdateSchema,
} satisfies ToolConfig<z.ZodType>;

const TASK_LIST = {
  lock: 'session',
  annotations: { readOnlyHint: true, openWorldHint: false },
  title: 'task_list',
  description: 'Tasks with their state, newest first.',
  inputSchema: z.strictObject({
    state: z.enum(TASK_STATES).optional(),
    open: z.boolean().optional(),
    limit: z.int().min(1).max(LIST_MAX).default(50),
  }),
} satisfies ToolConfig<z.ZodType>;

const THOUGHT_RECORD = {
  lock: 'session',
  annotations: WRITES,
  title: 'thought_record',
  description:
    'Record a thought about a task. An agent ends with a reflection: branch, commit_sha, tests_run, blockers.',
  inputSchema: thoughtSchema,
} satisfies ToolConfig<z.ZodType>;

const MEMORY_PACK = {
  lock: 'session',
  annotations: WRITES,
  title: 'memory_pack',
  description: 'Pack what a session has learnt, for the next agent.',
  inputSchema: memoryPackSchema,
} satisfies ToolConfig<z.ZodType>;
