/** An MCP server over the kernel's tools. Every connection or request gets its own from the same definitions. */

import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

import { messageOf } from '../../lib/errors.ts';
import type { ColibriServerContext, Envelope, ToolRequest } from '../../server.ts';

export interface McpServerOptions {
  readonly version: string;
  /** Settles when the tools are registered; everything but the opening exchange waits for it. */
  readonly ready: Promise<void>;
  readonly door: ToolRequest['door'];
}

export function createMcpServer(ctx: ColibriServerContext, options: McpServerOptions): McpServer {
  const mcp = new McpServer(
    { name: 'colibri', title: 'Colibri', version: options.version },
    { capabilities: { tools: { listChanged: true } }, instructions: INSTRUCTIONS },
  );
  // The handlers are set below the SDK's own tool registry: validation, locks and audit are the kernel's, once.
  mcp.server.setRequestHandler('tools/list', async () => {
    await whenReady(options.ready);
    return { tools: [...ctx.tools.values()].map(describeTool) };
  });
  mcp.server.setRequestHandler('tools/call', async (request, extra) => {
    await whenReady(options.ready);
    const { name, arguments: input } = request.params;
    const tool = ctx.tools.get(name);
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no such tool: ${name}`);
    }
    const envelope = await tool.call(input, { door: options.door, signal: extra.mcpReq.signal });
    return toolResult(envelope);
  });
  return mcp;
}

const INSTRUCTIONS =
  'Colibri indexes the skills (SKILL.md folders) of this workspace. Call skill_list to see them; each entry names its folder.';

function describeTool(tool: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: Tool['annotations'];
  readonly inputJsonSchema: () => Readonly<Record<string, unknown>>;
}): Tool {
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

/** The envelope twice: for programs as structured content, for models as JSON text. */
function toolResult(envelope: Envelope): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(envelope) }],
    structuredContent: envelope,
    ...(envelope.ok ? {} : { isError: true }),
  };
}

async function whenReady(ready: Promise<void>): Promise<void> {
  try {
    await ready;
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InternalError, `colibri could not start: ${messageOf(error)}`);
  }
}
