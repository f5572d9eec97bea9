/** An MCP server over the kernel's tools and the registry. Every connection or request gets its own from the same definitions. */
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { z } from 'zod';

import type { CustomCommands } from '../../domains/sessions/custom-commands.ts';
import type { SkillsService } from '../../domains/skills/service.ts';
import { messageOf } from '../../lib/errors.ts';
import type { ColibriServerContext, ColibriTool, Envelope, ToolRequest } from '../../server.ts';
import { listedSchema } from './listed-schema.ts';
import { INSTRUCTIONS, type Introduction, ownCapabilities, ownIdentity } from './opening.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { createSkillSource, listSkillResources } from './skill-source.ts';
import { toolResult } from './tool-result.ts';

export interface McpServerOptions extends Introduction {
  /** Settles when the tools are registered; everything but the opening exchange waits for it. */
  readonly ready: Promise<SkillsService>;
  /** The skills that clients may see, as they are now. */
  readonly offered: () => Promise<SkillsService>;
  readonly door: ToolRequest['door'];
  /** Prompts beside those of the skills. */
  readonly commands: CustomCommands;
}

export function createMcpServer(ctx: ColibriServerContext, options: McpServerOptions): McpServer {
  const full = options.surface === 'full';
  const mcp = new McpServer(ownIdentity(options), {
    capabilities: ownCapabilities(options),
    instructions: INSTRUCTIONS,
  });
  serveTools(mcp, ctx, options);
  if (full) {
    servePrompts(mcp, ctx, options);
    serveSkills(mcp, ctx, options);
  }
  return mcp;
}

/** Listings change with the disk and may differ by user, so nobody else may keep them. */
const CACHE_HINT = { ttlMs: 0, cacheScope: 'private' } as const;

// The handlers are set below the SDK's own registries: validation, locks and audit are the kernel's, once.
function serveTools(mcp: McpServer, ctx: ColibriServerContext, options: McpServerOptions): void {
  const { ready, door, surface } = options;
  mcp.server.setRequestHandler('tools/list', async () => {
    await whenReady(ready);
    const tools = [...ctx.tools.values()].filter(isForAgents);
    return { tools: tools.map(surface === 'full' ? describeBriefly : describeTool) };
  });
  mcp.server.setRequestHandler('tools/call', async (request, extra) => {
    await whenReady(ready);
    const { name, arguments: input } = request.params;
    const tool = ctx.tools.get(name);
    if (tool === undefined || !isForAgents(tool)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no such tool: ${name}`);
    }
    const { signal, inputResponses, envelope: said } = extra.mcpReq;
    // The newer protocol says with each request what the client can do, the older one once.
    const canAsk = (capabilitiesIn(said) ?? mcp.server.getClientCapabilities())?.elicitation !== undefined;
    const envelope = await tool.call(input, { door, signal, canAsk, answers: answersOf(inputResponses) });
    return questionOf(envelope) ?? toolResult(envelope);
  });
}

function isForAgents({ audience }: ColibriTool): boolean {
  return audience === 'agents';
}

function servePrompts(
  mcp: McpServer,
  ctx: ColibriServerContext,
  { offered, commands, door }: McpServerOptions,
): void {
  mcp.server.setRequestHandler('prompts/list', async (request) =>
    listPrompts({ skills: await whenReady(offered()), commands }, request.params?.cursor),
  );
  mcp.server.setRequestHandler('prompts/get', async (request) => {
    const skills = await whenReady(offered());
    // Over HTTP there is no session that a prompt could belong to.
    const invoke = door === 'stdio' ? ctx.tools.get('skill_invoke') : undefined;
    const { name, arguments: given = {} } = request.params;
    return getPrompt({ skills, commands, invoke }, name, given);
  });
}

function serveSkills(mcp: McpServer, ctx: ColibriServerContext, { offered }: McpServerOptions): void {
  const source = createSkillSource(() => whenReady(offered()), ctx.logger);
  const onWarning = ({ path, message }: { path: string; message: string }) =>
    ctx.logger(`[colibri] skills over MCP: ${path}:`, message);
  new SkillsExtension({ source, cacheHint: CACHE_HINT, onWarning }).attach(mcp);
  mcp.server.setRequestHandler('resources/list', async (request) =>
    listSkillResources(await whenReady(offered()), request.params?.cursor, ctx.logger),
  );
}

/** What the protocol assumes of a tool that says nothing. */
const ASSUMED: Readonly<Record<string, boolean>> = { readOnlyHint: false, idempotentHint: false };

/** Only what is not assumed anyway. All tools work on this machine, so that they need not say it one by one. */
function listedHints(annotations: ToolAnnotations | undefined): { annotations?: ToolAnnotations } {
  const { openWorldHint: _, ...hints } = annotations ?? {};
  const told = Object.entries(hints).filter(([hint, value]) => ASSUMED[hint] !== value);
  return told.length === 0 ? {} : { annotations: Object.fromEntries(told) };
}

/** As it was registered. */
function describeTool(tool: ColibriTool): Tool {
  const { $schema: _, ...schema } = tool.inputJsonSchema();
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    // A tool's schema is always a Zod object, whose JSON Schema has type "object".
    inputSchema: schema as Tool['inputSchema'],
    ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
  };
}

/** Where there are many, every conversation pays for the list: only what a model needs for a call. */
function describeBriefly(tool: ColibriTool): Tool {
  const { title, annotations: _, inputSchema, ...said } = describeTool(tool);
  return {
    ...said,
    ...(title === tool.name ? {} : { title }),
    inputSchema: listedSchema(inputSchema) as Tool['inputSchema'],
    ...listedHints(tool.annotations),
  };
}

function capabilitiesIn(envelope: object | undefined): ClientCapabilities | undefined {
  // The SDK has checked the envelope, but gives it no type.
  return (envelope as Readonly<Record<string, ClientCapabilities>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ];
}

const ANSWER = z.object({ allow: z.boolean().describe('whether this one call may go on') });

/** A call that needs a yes becomes a question to the person; the client calls again with the answer. */
function questionOf(envelope: Envelope): InputRequiredResult | null {
  if (envelope.ok || envelope.error.code !== 'ASK_REQUIRED') return null;
  const { message, details } = envelope.error;
  const asked = inputRequired.elicit({ message, requestedSchema: ANSWER });
  return inputRequired({ inputRequests: { [String(details?.['key'])]: asked } });
}

/** Anything but an explicit yes is a no. */
function answersOf(responses: Readonly<Record<string, unknown>> | undefined): ReadonlyMap<string, boolean> {
  return new Map(
    Object.keys(responses ?? {}).map((key) => [key, acceptedContent(responses, key, ANSWER)?.allow === true]),
  );
}

async function whenReady<T>(ready: Promise<T>): Promise<T> {
  try {
    return await ready;
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InternalError, `colibri could not start: ${messageOf(error)}`);
  }
}
