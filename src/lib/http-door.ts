/** One listening server for several endpoints: limits, who may come in, and an end that lets running answers finish. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { ColibriError, messageOf, systemCodeOf } from './errors.ts';
import { accessRefusal, type HttpAccess, type Refusal, refuseOpenDoor } from './http-access.ts';
import type { Logger } from './logger.ts';

/** Something that answers requests under paths of its own. */
export interface HttpEndpoint {
  owns(path: string): boolean;
  /** Whether a path is open without the token: files of the program itself, never data. */
  isOpen?(path: string): boolean;
  /** Whether the answer has no end of its own, so that nobody waits for it when the server stops. */
  isEndless?(request: IncomingMessage): boolean;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The body of a refusal and its type, as this endpoint's clients understand it. */
  refusalBody(refusal: Refusal): { readonly type: string; readonly text: string };
  close(): Promise<void> | void;
}

export interface DoorOptions extends HttpAccess {
  /** 0 takes any free port. */
  readonly port: number;
  readonly logger: Logger;
}

export interface HttpDoor {
  /** Scheme, host and port, without a path. */
  readonly origin: string;
  /** Stops listening, lets running requests finish, then ends what is left. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Node looks for requests past their time only this often. */
const TIMEOUT_CHECK_MS = 2_000;
const CONNECTIONS_MAX = 256;
/** How long running requests may take after the server was told to stop. */
const DRAIN_MS = 5_000;
/** How long a client may take to read its last answer and hang up. */
const HANG_UP_MS = 1_000;

/** Of several endpoints the first that owns a path answers; the last one answers for paths that nobody owns. */
export async function openHttpDoor(
  endpoints: readonly [HttpEndpoint, ...HttpEndpoint[]],
  options: DoorOptions,
): Promise<HttpDoor> {
  refuseOpenDoor(options);
  const { logger } = options;
  const exchanges = createExchanges();
  const server = createServer({ connectionsCheckingInterval: TIMEOUT_CHECK_MS }, (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const endpoint = endpoints.find((each) => each.owns(path)) ?? endpoints.at(-1) ?? endpoints[0];
    const access = endpoint.isOpen?.(path) === true ? { ...options, token: null } : options;
    const refusal = exchanges.stopping ? STOPPING : accessRefusal(request, access);
    if (refusal !== null) return refuse(response, endpoint, refusal);
    exchanges.enter(request, response, { endless: endpoint.isEndless?.(request) === true });
    endpoint.handle(request, response).catch((error: unknown) => {
      logger('[colibri] http:', messageOf(error));
      if (response.headersSent) response.destroy();
      else refuse(response, endpoint, { status: 500, message: 'internal error' });
    });
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, options);
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  const closeEndpoints = async (): Promise<void> => {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  };
  return { origin: `http://${host}:${port}`, close: () => drain(server, exchanges, closeEndpoints) };
}

/** Answers a request whose body nobody has read, so that the connection cannot carry another one. */
export function refuse(
  response: ServerResponse,
  endpoint: Pick<HttpEndpoint, 'refusalBody'>,
  refusal: Refusal,
): void {
  const { type, text } = endpoint.refusalBody(refusal);
  response.writeHead(refusal.status, { 'Content-Type': type, Connection: 'close', ...refusal.headers });
  response.end(text);
}

const STOPPING: Refusal = { status: 503, message: 'the server is stopping', headers: { 'Retry-After': '1' } };

/** Requests that have been let in and are not fully answered. */
interface Exchanges {
  readonly stopping: boolean;
  enter(
    request: IncomingMessage,
    response: ServerResponse,
    how: {
      /** Not waited for. */
      readonly endless: boolean;
    },
  ): void;
  /** From now on a connection ends with its answer. Settles when all but the endless ones are answered. */
  stop(): Promise<void>;
}

function createExchanges(): Exchanges {
  const running = new Set<Promise<void>>();
  let stopping = false;
  return {
    get stopping() {
      return stopping;
    },
    enter(request, response, { endless }) {
      const ended = new Promise<void>((resolve) => {
        response.once('close', () => {
          if (stopping) request.socket.end();
          resolve();
        });
      });
      if (endless) return;
      running.add(ended);
      void ended.then(() => running.delete(ended));
    },
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
  };
}

function listen(server: Server, { host, port, logger }: DoorOptions): Promise<void> {
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
  closeEndpoints: () => Promise<void>,
): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  const giveUp = new AbortController();
  await Promise.race([exchanges.stop(), sleep(DRAIN_MS, undefined, { signal: giveUp.signal, ref: false })]);
  giveUp.abort();
  // Ends what has no end of its own, but also every call under way; hence only now.
  await closeEndpoints();
  const timer = setTimeout(() => server.closeAllConnections(), HANG_UP_MS);
  await ended;
  clearTimeout(timer);
}
