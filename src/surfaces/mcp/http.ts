/** MCP over Streamable HTTP, both protocol generations from one endpoint. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';

import type { CustomCommands } from '../../domains/sessions/custom-commands.ts';
import type { SkillsService } from '../../domains/skills/service.ts';
import { ColibriError, messageOf, systemCodeOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ColibriServerContext } from '../../server.ts';
import { type HttpAccess, MCP_PATH, type Refusal, refusalOf, refuseOpenDoor } from './http-guard.ts';
import { createMcpServer } from './mcp-server.ts';

export interface HttpOptions extends HttpAccess {
  readonly version: string;
  readonly ready: Promise<SkillsService>;
  readonly commands: CustomCommands;
  readonly surface: 'full' | 'phase-0';
  /** 0 takes any free port. */
  readonly port: number;
}

export interface HttpDoor {
  readonly url: string;
  /** Tells listening clients that skills and prompts have changed. */
  catalogChanged(): void;
  /** Stops listening, lets running requests finish, then ends what is left. */
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 1024 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Node looks for requests past their time only this often. */
const TIMEOUT_CHECK_MS = 2_000;
const CONNECTIONS_MAX = 256;
/** A subscription holds its connection, so they must leave some for requests. */
const SUBSCRIPTIONS_MAX = 128;
/** How long running requests may take after the server was told to stop. */
const DRAIN_MS = 5_000;
/** How long a client may take to read its last answer and hang up. */
const HANG_UP_MS = 1_000;

export async function openHttp(ctx: ColibriServerContext, options: HttpOptions): Promise<HttpDoor> {
  refuseOpenDoor(options);
  const handler = createMcpHandler(() => createMcpServer(ctx, { ...options, door: 'http' }), {
    maxRequestBodySize: BODY_BYTES_MAX,
    maxSubscriptions: SUBSCRIPTIONS_MAX,
    onerror: (error) => ctx.logger('[colibri] http:', messageOf(error)),
  });
  const serve = toNodeHandler(handler, { maxRequestBodySize: BODY_BYTES_MAX });
  const exchanges = createExchanges();
  const server = createServer({ connectionsCheckingInterval: TIMEOUT_CHECK_MS }, (request, response) => {
    const refusal = exchanges.stopping ? STOPPING : refusalOf(request, options);
    if (refusal !== null) return refuse(response, refusal);
    exchanges.enter(request, response);
    // The adapter's parameter is Node's own request, declared without `undefined` for optional members.
    serve(request as Parameters<typeof serve>[0], response).catch((error: unknown) => {
      ctx.logger('[colibri] http:', messageOf(error));
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, message: 'internal error' });
    });
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, options, ctx.logger);
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}${MCP_PATH}`,
    catalogChanged() {
      handler.notify.resourcesChanged();
      handler.notify.promptsChanged();
    },
    close: () => drain(server, exchanges, handler.close),
  };
}

const STOPPING: Refusal = { status: 503, message: 'the server is stopping', headers: { 'Retry-After': '1' } };

/** Requests that have been let in and are not fully answered. */
interface Exchanges {
  readonly stopping: boolean;
  enter(request: IncomingMessage, response: ServerResponse): void;
  /** From now on a connection ends with its answer. Settles when all but the subscriptions are answered. */
  stop(): Promise<void>;
}

function createExchanges(): Exchanges {
  const running = new Set<Promise<void>>();
  let stopping = false;
  return {
    get stopping() {
      return stopping;
    },
    enter(request, response) {
      const ended = new Promise<void>((resolve) => {
        response.once('close', () => {
          if (stopping) request.socket.end();
          resolve();
        });
      });
      // A subscription has no end of its own. The header is sure: the handler refuses one that differs from the body.
      if (request.headers['mcp-method'] === 'subscriptions/listen') return;
      running.add(ended);
      void ended.then(() => running.delete(ended));
    },
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
  };
}

// Without the rest of its body being read, the connection cannot carry another request.
function refuse(response: ServerResponse, { status, message, headers }: Refusal): void {
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }));
}

function listen(server: Server, { host, port }: HttpOptions, logger: Logger): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      const inUse = systemCodeOf(error) === 'EADDRINUSE';
      const why = inUse ? 'the port is taken; choose another with --port' : messageOf(error);
      reject(new ColibriError('CONFIG_INVALID', `cannot listen on ${host}:${port}: ${why}`, { host, port }));
    };
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      server.on('error', (error) => logger('[colibri] http:', messageOf(error)));
      resolve();
    });
  });
}

async function drain(
  server: Server,
  exchanges: Exchanges,
  closeHandler: () => Promise<void> | void,
): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  const giveUp = new AbortController();
  await Promise.race([exchanges.stop(), sleep(DRAIN_MS, undefined, { signal: giveUp.signal, ref: false })]);
  giveUp.abort();
  // Ends the subscriptions, but also every call under way; hence only now.
  await closeHandler();
  const timer = setTimeout(() => server.closeAllConnections(), HANG_UP_MS);
  await ended;
  clearTimeout(timer);
}
