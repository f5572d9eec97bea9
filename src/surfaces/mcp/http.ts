/** MCP over Streamable HTTP, both protocol generations from one endpoint. */
import type { ServerResponse } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';

import type { CustomCommands } from '../../domains/sessions/custom-commands.ts';
import type { SkillsService } from '../../domains/skills/service.ts';
import { messageOf } from '../../lib/errors.ts';
import { type HttpEndpoint, refuse } from '../../lib/http-door.ts';
import type { ColibriServerContext } from '../../server.ts';
import { MCP_PATH, targetRefusal } from './http-guard.ts';
import { readingCallOf } from './http-reading.ts';
import { createMcpServer } from './mcp-server.ts';
import { createReadingCalls } from './reading-calls.ts';

export interface McpEndpointOptions {
  readonly version: string;
  readonly ready: Promise<SkillsService>;
  readonly offered: () => Promise<SkillsService>;
  readonly commands: CustomCommands;
  readonly surface: 'full' | 'phase-0';
}

export interface McpEndpoint extends HttpEndpoint {
  readonly path: string;
  /** Tells listening clients that skills and prompts have changed. */
  catalogChanged(): void;
}

const BODY_BYTES_MAX = 1024 * 1024;
/** A subscription holds its connection, so they must leave some for requests. */
const SUBSCRIPTIONS_MAX = 128;

export function createMcpEndpoint(ctx: ColibriServerContext, options: McpEndpointOptions): McpEndpoint {
  const handler = createMcpHandler(() => createMcpServer(ctx, { ...options, door: 'http' }), {
    maxRequestBodySize: BODY_BYTES_MAX,
    maxSubscriptions: SUBSCRIPTIONS_MAX,
    onerror: (error) => ctx.logger('[colibri] http:', messageOf(error)),
  });
  const reading = createReadingCalls(ctx, { ready: options.ready, door: 'http' });
  const serve = toNodeHandler(handler, { maxRequestBodySize: BODY_BYTES_MAX });
  const endpoint: McpEndpoint = {
    path: MCP_PATH,
    owns: (path) => path === MCP_PATH,
    // The header is sure: the handler refuses one that differs from the body.
    isEndless: (request) => request.headers['mcp-method'] === 'subscriptions/listen',
    async handle(request, response) {
      const refusal = targetRefusal(request);
      if (refusal !== null) return refuse(response, endpoint, refusal);
      const call = await readingCallOf(request, reading);
      if (call !== null) return sendJson(response, await reading.answer(call));
      // The adapter's parameter is Node's own request, declared without `undefined` for optional members.
      await serve(request as Parameters<typeof serve>[0], response);
    },
    refusalBody: ({ message }) => ({
      type: 'application/json',
      text: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }),
    }),
    catalogChanged() {
      handler.notify.resourcesChanged();
      handler.notify.promptsChanged();
    },
    close: () => handler.close(),
  };
  return endpoint;
}

function sendJson(response: ServerResponse, text: string): void {
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}
