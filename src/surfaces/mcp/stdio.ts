/** MCP on standard input and output: one connection, until the client closes its end. */
import { PassThrough } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';

import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

import type { CustomCommands } from '../../domains/sessions/custom-commands.ts';
import type { SkillsService } from '../../domains/skills/service.ts';
import { messageOf } from '../../lib/errors.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import type { ColibriServerContext } from '../../server.ts';
import { createMcpServer } from './mcp-server.ts';
import type { RequestId } from './raw-request.ts';
import { createReadingCalls } from './reading-calls.ts';
import { createReadingDoor } from './stdio-reading.ts';

export interface StdioDoor {
  /** Settles when the client has gone. */
  readonly closed: Promise<void>;
  /** Tells the client that skills and prompts have changed. */
  catalogChanged(): void;
  /** Answers what was asked, then ends. */
  close(): Promise<void>;
}

export interface StdioOptions {
  readonly version: string;
  readonly ready: Promise<SkillsService>;
  readonly offered: () => Promise<SkillsService>;
  readonly commands: CustomCommands;
  readonly surface: 'full' | 'phase-0';
  /** The opening request that was answered before the SDK was there; null: none. */
  readonly greeted: RequestId | null;
}

/** How long calls under way may take after the end of input. */
const DRAIN_MS = 10_000;
/** A turn reads the last line, the next hands it over, the others are to spare. */
const READ_TURNS = 4;
/** A name and some arguments. Whoever sends more waits for it to be parsed anyway. */
const READING_CALL_BYTES_MAX = 64 * 1024;

export function openStdio(ctx: ColibriServerContext, options: StdioOptions): StdioDoor {
  // The transport drops open calls when its input ends, so it gets the end only after they were answered.
  const input = new PassThrough();
  const transport = new StdioServerTransport(input, process.stdout);
  if (options.greeted !== null) answerElsewhere(transport, options.greeted);
  const servers = new Set<McpServer>();
  const handle = serveStdio(
    () => {
      const mcp = createMcpServer(ctx, { ...options, door: 'stdio' });
      servers.add(mcp);
      return mcp;
    },
    { transport, onerror: (error) => ctx.logger('[colibri] mcp:', messageOf(error)) },
  );
  const open = trackCalls(transport);
  const reading = createReadingCalls(ctx, { ready: options.ready, door: 'stdio' });
  const door = createReadingDoor({ reading, transport, open });
  const lines = createLineSplitter({
    line: (bytes) => door.take(bytes) || input.write(bytes),
    piece: (bytes) => input.write(bytes),
    lineBytesMax: READING_CALL_BYTES_MAX,
  });
  const closed = new Promise<void>((resolve) => {
    // The transport ends with its input, but also by itself, for example after a message beyond its limit.
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      // Nobody is left to wait for an answer.
      open.clear();
      resolve();
    };
  });
  process.stdin.on('data', lines.add);
  const finish = (): void => {
    lines.end();
    drain(open).then(
      () => input.end(),
      (error: unknown) => ctx.logger('[colibri] mcp:', messageOf(error)),
    );
  };
  // A file as input ends without ever closing; a broken pipe closes without having ended.
  process.stdin.once('end', finish).once('close', finish);
  // Who greeted the client may have seen the end of the input already.
  if (process.stdin.readableEnded) finish();
  return {
    closed,
    catalogChanged: () => {
      // The tool of the first phase has nobody to tell: neither prompts nor resources are offered beside it.
      if (options.surface === 'phase-0') return;
      for (const mcp of servers) void announce(mcp, ctx);
    },
    async close() {
      await drain(open);
      process.stdin.off('data', lines.add).pause();
      await handle.close();
    },
  };
}

/** The SDK hears the opening request, too, to know its client; a second answer to it would be one too many. */
function answerElsewhere(transport: StdioServerTransport, request: RequestId): void {
  const send = transport.send.bind(transport);
  let answered = false;
  transport.send = async (message) => {
    if (answered || 'method' in message || message.id !== request) return send(message);
    answered = true;
  };
}

/** Ids of requests without an answer yet. */
function trackCalls(transport: StdioServerTransport): Set<string | number> {
  const open = new Set<string | number>();
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    if (isCall(message)) open.add(message.id);
    const cancelled = cancelledCall(message);
    if (cancelled !== null) open.delete(cancelled);
    onmessage?.(message);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    await send(message);
    if ('id' in message && !('method' in message) && message.id !== undefined) open.delete(message.id);
  };
  return open;
}

/** A subscription is a request that is answered only at its end; waiting for it would be waiting for ever. */
function isCall(message: JSONRPCMessage): message is JSONRPCMessage & { id: string | number } {
  return 'method' in message && 'id' in message && message.method !== 'subscriptions/listen';
}

function cancelledCall(message: JSONRPCMessage): string | number | null {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return null;
  const id = message.params?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

async function drain(open: ReadonlySet<string | number>): Promise<void> {
  for (let turn = 0; turn < READ_TURNS; turn++) await setImmediate();
  for (let waited = 0; open.size > 0 && waited < DRAIN_MS; waited += DRAIN_STEP_MS)
    await setTimeout(DRAIN_STEP_MS);
}

const DRAIN_STEP_MS = 5;

async function announce(mcp: McpServer, ctx: ColibriServerContext): Promise<void> {
  if (!mcp.isConnected()) return;
  try {
    await mcp.server.sendResourceListChanged();
    await mcp.server.sendPromptListChanged();
  } catch (error) {
    ctx.logger('[colibri] mcp:', messageOf(error));
  }
}
