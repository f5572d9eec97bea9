/** Servers and clients for the tests of the MCP doors. All of it ends with the test that asked for it. */
import http from 'node:http';
import path from 'node:path';

import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';

import { type Runtime, type StartupOptions, startup } from '../../../src/startup.ts';
import { CLI } from '../../support/rpc-process.ts';

/** `legacy` is the protocol of 2025-11-25, `auto` agrees on 2026-07-28. */
export type Mode = 'auto' | 'legacy';

export const GENERATIONS = [
  ['2026-07-28', 'auto'],
  ['2025-11-25', 'legacy'],
] as const;

export interface HttpServer {
  readonly runtime: Runtime;
  readonly url: string;
  /** Every line of the log so far. */
  readonly lines: readonly string[];
}

export function skillsRoot(workspace: string): string {
  return path.join(workspace, '.agents', 'skills');
}

/** A server of this process on a free port of 127.0.0.1, over a workspace that is also the home directory. */
export async function startHttp(workspace: string, more: StartupOptions = {}): Promise<HttpServer> {
  const lines: string[] = [];
  const runtime = await startup({
    workspace,
    home: workspace,
    env: {},
    logger: (...args) => lines.push(args.map(String).join(' ')),
    exit: () => undefined,
    transport: 'http',
    ...more,
    http: { port: '0', ...more.http },
  });
  onTestFinished(() => runtime.close());
  if (runtime.url === null) throw new Error('the server has no address');
  return { runtime, url: runtime.url, lines };
}

export interface ConnectOptions extends ClientOptions {
  readonly mode?: Mode;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function connectHttp(url: string, options: ConnectOptions = {}): Promise<Client> {
  const { headers = {}, ...rest } = options;
  return connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), rest);
}

/** The built command line in a process of its own. */
export async function connectStdio(
  workspace: string,
  options: ConnectOptions & {
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Client> {
  const { args = [], env = {}, ...rest } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'serve', ...args],
    cwd: workspace,
    env: { HOME: workspace, ...env },
    stderr: 'ignore',
  });
  return connect(transport, rest);
}

async function connect(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  { mode = 'auto', ...options }: ConnectOptions,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { ...options, versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

export interface RawRequest {
  readonly method?: string;
  /** The request target, as it goes over the wire. */
  readonly target?: string;
  /** A list sends a header that many times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const;

/** One request with exactly these headers, which no client library would send. */
export function sendRaw(url: string, request: RawRequest = {}): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(url);
  const { method = 'POST', target = '/mcp', body = '' } = request;
  const sent = http.request({ hostname, port, method, path: target, agent: false, setHost: false });
  for (const [name, value] of Object.entries({ host, ...JSON_HEADERS, ...request.headers })) {
    sent.setHeader(name, value);
  }
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.end(body);
  });
}

/** A request of the 2026-07-28 protocol: its head and its body. */
export function modernCall(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const named = params['name'] ?? params['uri'];
  return {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof named === 'string' ? { 'mcp-name': named } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...modernRequest(1, method, params) }),
  };
}

export function modernRequest(
  id: number,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { id, method, params: { ...params, _meta: meta } };
}
