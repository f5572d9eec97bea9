/** MCP over Streamable HTTP, both protocol generations from one endpoint. */
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';

import type { SkillsService } from '../../domains/skills/service.ts';
import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError, messageOf, systemCodeOf } from '../../lib/errors.ts';
import type { ColibriServerContext } from '../../server.ts';
import { createMcpServer } from './mcp-server.ts';

export interface HttpOptions {
  readonly version: string;
  readonly ready: Promise<SkillsService>;
  readonly surface: 'full' | 'phase-0';
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly token: string | null;
}

export interface HttpDoor {
  readonly url: string;
  /** Tells listening clients that skills and prompts have changed. */
  catalogChanged(): void;
  /** Stops listening, lets running requests finish, then ends what is left. */
  close(): Promise<void>;
}

const PATH = '/mcp';
const BODY_BYTES_MAX = 1024 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const CONNECTIONS_MAX = 256;
/** How long running requests may take after the server was told to stop. */
const DRAIN_MS = 5_000;

export async function openHttp(ctx: ColibriServerContext, options: HttpOptions): Promise<HttpDoor> {
  refuseOpenDoor(options);
  const handler = createMcpHandler(() => createMcpServer(ctx, { ...options, door: 'http' }), {
    maxRequestBodySize: BODY_BYTES_MAX,
    onerror: (error) => ctx.logger('[colibri] http:', messageOf(error)),
  });
  const serve = toNodeHandler(handler);
  const server = createServer((request, response) => {
    if (refuse(request, response, options)) return;
    // The adapter's parameter is Node's own request, declared without `undefined` for optional members.
    serve(request as Parameters<typeof serve>[0], response).catch((error: unknown) => {
      ctx.logger('[colibri] http:', messageOf(error));
      if (!response.headersSent) answer(response, 500, 'internal error');
      else response.destroy();
    });
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}${PATH}`,
    catalogChanged() {
      handler.notify.resourcesChanged();
      handler.notify.promptsChanged();
    },
    close: () => drain(server, handler.close),
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function refuseOpenDoor({ host, token }: HttpOptions): void {
  if (isLoopback(host) || token !== null) return;
  const message = `listening on ${host} needs a bearer token; set COLIBRI_HTTP_TOKEN or listen on 127.0.0.1`;
  throw new ColibriError('CONFIG_INVALID', message, { host });
}

/** True when the request was answered with a refusal. */
function refuse(request: IncomingMessage, response: ServerResponse, options: HttpOptions): boolean {
  const { host, origin, authorization } = request.headers;
  const path = request.url?.split('?')[0];
  // A page that was resolved to this machine by a foreign name must get nothing, not even an error it can tell apart.
  if (isLoopback(options.host) && !isLocalName(host)) return answer(response, 403, 'host not allowed');
  if (origin !== undefined && !isAllowedOrigin(origin, host))
    return answer(response, 403, 'origin not allowed');
  if (request.headers['sec-fetch-site'] === 'cross-site') return answer(response, 403, 'origin not allowed');
  if (options.token !== null && !sameToken(authorization, options.token)) {
    response.setHeader('WWW-Authenticate', 'Bearer');
    return answer(response, 401, 'bearer token missing or wrong');
  }
  if (path !== PATH) return answer(response, 404, `nothing here; MCP is at ${PATH}`);
  return false;
}

function isLocalName(host: string | undefined): boolean {
  if (host === undefined) return false;
  return isLoopback(host.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''));
}

function isAllowedOrigin(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const { hostname, host: originHost } = new URL(origin);
  return isLoopback(hostname.replace(/^\[|\]$/g, '')) ? isLocalName(host) : originHost === host;
}

/** Compares digests, so that neither the length nor the first wrong character shows in the time it takes. */
function sameToken(authorization: string | undefined, token: string): boolean {
  const given = authorization?.match(/^Bearer (.+)$/i)?.[1] ?? '';
  return timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(token)));
}

function answer(response: ServerResponse, status: number, message: string): true {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }));
  return true;
}

function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const inUse = systemCodeOf(error) === 'EADDRINUSE';
      const why = inUse ? 'the port is taken; choose another with --port' : messageOf(error);
      reject(new ColibriError('CONFIG_INVALID', `cannot listen on ${host}:${port}: ${why}`, { host, port }));
    });
    server.listen(port, host, resolve);
  });
}

async function drain(server: Server, closeHandler: () => Promise<void> | void): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // Listening clients hold their stream open for ever; ending the handler ends those, and only those.
  await closeHandler();
  server.closeIdleConnections();
  await ended;
  clearTimeout(timer);
}
