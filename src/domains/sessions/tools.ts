/** The session tools. */
import { z } from 'zod';

import {
  type ColibriServerContext,
  registerColibriTool,
  type ToolCall,
  type ToolConfig,
  toolText,
} from '../../server.ts';
import type { AgentTier } from '../skills/schema.ts';
import type { SessionCall } from './calls.ts';
import { LIMIT_RANGES } from './run/limits.ts';
import { sessionRequestSchema, TASK_CHARS_MAX } from './schema.ts';
import { MATCH_LIMIT, SEARCH_LIMIT } from './search.ts';
import { DOOR_TIER, type SessionsService } from './service.ts';

const NAME_CHARS_MAX = 64;
const SEARCH_MAX = 50;

const sessionId = z.string().min(1).max(100).optional();
const name = z.string().min(1).max(NAME_CHARS_MAX);

/** `lock: session`: a long call of one session never holds up another's. */
const SHARED = { lock: 'session', annotations: { readOnlyHint: true, openWorldHint: false } } as const;

export function registerSessionTools(ctx: ColibriServerContext, sessions: SessionsService): void {
  const run = (call: SessionCall, { callId, caller, request }: ToolCall) =>
    sessions.call(call, {
      session: caller.sessionId,
      callId,
      actor: caller.id,
      toolUseId: request.toolUseId,
    });

  registerColibriTool(ctx, 'skill_search', SKILL_SEARCH, async ({ query, limit }, call) => {
    const step = await run({ tool: 'skill_search', input: { query, limit } }, call);
    return toolText(step.text, step.data);
  });
  registerColibriTool(ctx, 'skill_match', SKILL_MATCH, async ({ task, limit }, call) => {
    const step = await run({ tool: 'skill_match', input: { task, limit } }, call);
    return toolText(step.text, step.data);
  });
  registerColibriTool(ctx, 'skill_load', SKILL_LOAD, async (input, call) => {
    const step = await run({ tool: 'skill_load', input: { name: input.name } }, call);
    return toolText(step.text, step.data);
  });
  registerColibriTool(ctx, 'skill_read', SKILL_READ, async (input, call) => {
    const step = await run({ tool: 'skill_read', input: { name: input.name, path: input.path } }, call);
    return toolText(step.text, step.data);
  });
  registerColibriTool(ctx, 'skill_get', SKILL_GET, async (input, call) => {
    const step = await run({ tool: 'skill_get', input: { name: input.name } }, call);
    return step.data;
  });
  registerColibriTool(ctx, 'skill_invoke', SKILL_INVOKE, async (input, call) => {
    const { name: invoked, args, named } = input;
    const step = await run({ tool: 'skill_invoke', input: { name: invoked, args, named } }, call);
    return toolText(step.text, step.data);
  });
  registerColibriTool(ctx, 'skill_run', SKILL_RUN, async (input, { callId, caller, request }) => {
    const { session_id: _, ...run } = input;
    const answer = await sessions.run(run, {
      session: caller.sessionId,
      callId,
      actor: caller.id,
      signal: request.signal,
      canAsk: request.canAsk ?? false,
      answers: request.answers ?? new Map(),
    });
    return toolText(answer.text, answer.data);
  });
  registerColibriTool(ctx, 'session_open', SESSION_OPEN, async (request, { caller }) => {
    // The tier of a caller is that of a session, or none.
    const session = await sessions.open(request, (caller.agentTier ?? DOOR_TIER) as AgentTier);
    const catalog = await sessions.catalog(session.id);
    const { view: _, ...options } = session.options;
    return { session_id: session.id, options, catalog: catalog.text, ...countsOf(catalog) };
  });
  registerColibriTool(ctx, 'session_close', SESSION_CLOSE, async (_, { caller }) => {
    if (caller.sessionId !== null) await sessions.close(caller.sessionId);
    return { closed: caller.sessionId };
  });
}

function countsOf({
  shown,
  dropped,
  cutTo,
}: {
  shown: number;
  dropped: number;
  cutTo: number | null;
}): object {
  return { shown, dropped, descriptions_cut_to: cutTo };
}

const SKILL_SEARCH = {
  ...SHARED,
  start: 'with-end',
  title: 'skill_search',
  description: 'Find skills by words, a sentence or a whole task text. An empty query lists them by name.',
  inputSchema: z.strictObject({
    query: z.string(),
    limit: z.int().min(1).max(SEARCH_MAX).default(SEARCH_LIMIT),
    session_id: sessionId,
  }),
} satisfies ToolConfig<z.ZodType>;

const MATCH_MAX = 20;

const SKILL_MATCH = {
  // Not read-only: a session that was opened with auto_load loads the winner.
  lock: 'session',
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  title: 'skill_match',
  description:
    'Which skills a task calls for, best first with score and reason; none when nothing clearly fits.',
  inputSchema: z.strictObject({
    task: z.string().min(1).max(TASK_CHARS_MAX),
    limit: z.int().min(1).max(MATCH_MAX).default(MATCH_LIMIT),
    session_id: sessionId,
  }),
} satisfies ToolConfig<z.ZodType>;

const SKILL_LOAD = {
  ...SHARED,
  title: 'skill_load',
  description: "Read one skill's full instructions. Again costs nothing and gives a pointer.",
  inputSchema: z.strictObject({ name, session_id: sessionId }),
} satisfies ToolConfig<z.ZodType>;

const SKILL_READ = {
  ...SHARED,
  title: 'skill_read',
  description: 'Read one file of a loaded skill, by its path inside the skill.',
  inputSchema: z.strictObject({
    name,
    path: z.string().min(1).describe('for example references/guide.md'),
    session_id: sessionId,
  }),
} satisfies ToolConfig<z.ZodType>;

const SKILL_GET = {
  ...SHARED,
  start: 'with-end',
  title: 'skill_get',
  description: 'All that is known of one skill without its text: fields, tools, digest, cost.',
  inputSchema: z.strictObject({ name, session_id: sessionId }),
} satisfies ToolConfig<z.ZodType>;

const ARGUMENT_CHARS_MAX = 60_000;

const SKILL_INVOKE = {
  lock: 'session',
  audience: 'people',
  title: 'skill_invoke',
  description: "Give a command: a skill's text with the arguments put in. For people; it uses no budget.",
  inputSchema: z.strictObject({
    name,
    args: z.string().max(ARGUMENT_CHARS_MAX).optional().describe('the text after the name'),
    named: z.record(z.string(), z.string()).optional().describe('values of declared arguments'),
    session_id: sessionId,
  }),
} satisfies ToolConfig<z.ZodType>;

const RUN_ARGUMENTS_MAX = 256;

const SKILL_RUN = {
  lock: 'session',
  start: 'durable',
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  title: 'skill_run',
  description: 'Run a script of a loaded skill in a sandbox, if the policy or the user allows it.',
  inputSchema: z.strictObject({
    name,
    script: z.string().min(1).describe('for example scripts/extract.py'),
    args: z.array(z.string()).max(RUN_ARGUMENTS_MAX).default([]),
    stdin: z.string().optional(),
    timeout_ms: z.int().min(1).max(LIMIT_RANGES.timeMs.fallback).optional(),
    session_id: sessionId,
  }),
} satisfies ToolConfig<z.ZodType>;

const SESSION_OPEN = {
  lock: 'session',
  title: 'session_open',
  description:
    'Open a session: a fixed view of the skills, a budget and a trace. Gives its session_id and the catalog.',
  inputSchema: sessionRequestSchema,
} satisfies ToolConfig<z.ZodType>;

const SESSION_CLOSE = {
  lock: 'session',
  title: 'session_close',
  description: 'End a session. Its records stay and can be replayed.',
  inputSchema: z.strictObject({ session_id: sessionId }),
} satisfies ToolConfig<z.ZodType>;
