/** MCP on standard input and output: one connection, until the client closes its end. */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

import { messageOf } from '../../lib/errors.ts';
import type { ColibriServerContext } from '../../server.ts';
import { createMcpServer } from './mcp-server.ts';

export interface StdioDoor {
  close(): Promise<void>;
  /** Settles when the client has gone. */
  readonly closed: Promise<void>;
}

export interface StdioOptions {
  readonly version: string;
  readonly ready: Promise<void>;
}

export function openStdio(ctx: ColibriServerContext, options: StdioOptions): StdioDoor {
  const transport = new StdioServerTransport();
  let gone: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const handle = serveStdio(() => createMcpServer(ctx, { ...options, door: 'stdio' }), {
    transport,
    onerror: (error) => ctx.logger('[colibri] mcp:', messageOf(error)),
  });
  // The transport ends with stdin, but also by itself, for example after a message beyond its limit. Both mean the same.
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    gone();
  };
  return {
    closed,
    async close() {
      await handle.close();
      gone();
    },
  };
}
