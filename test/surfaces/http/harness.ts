/** The API over real services, asked without a socket or through one. All of it ends with the test. */
import path from 'node:path';

import { onTestFinished } from 'vitest';

import { systemClock } from '../../../src/lib/clock.ts';
import { type Runtime, type StartupOptions, startup } from '../../../src/startup.ts';
import { createApi } from '../../../src/surfaces/http/app.ts';

export function skillsRoot(workspace: string): string {
  return path.join(workspace, '.agents', 'skills');
}

export interface OpenApi {
  readonly runtime: Runtime;
  /** The JSON of a GET, with its status. */
  get(target: string): Promise<{ readonly status: number; readonly body: Json }>;
  post(
    target: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: Json }>;
  request(target: string, init?: RequestInit): Promise<Response>;
}

/** What a test looks into; the schemas have checked it before it was sent. */
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, each compared with what is expected of it
export type Json = any;

export async function openApi(workspace: string, more: StartupOptions = {}): Promise<OpenApi> {
  const lines: string[] = [];
  const runtime = await startup({
    workspace,
    home: workspace,
    env: {},
    dbPath: ':memory:',
    logger: (...args) => lines.push(args.map(String).join(' ')),
    exit: () => undefined,
    trace: true,
    ...more,
  });
  onTestFinished(() => runtime.close());
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const api = createApi({
    version: '1.2.3',
    ready: Promise.resolve(runtime),
    config: runtime.config,
    logger: () => undefined,
    clock: systemClock,
    signal: stopping.signal,
  });
  const request = async (target: string, init?: RequestInit) =>
    api.request(`http://localhost${target}`, init);
  const read = async (response: Response) => ({ status: response.status, body: await response.json() });
  return {
    runtime,
    request,
    get: async (target) => read(await request(target)),
    post: async (target, body, headers = {}) =>
      read(
        await request(target, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        }),
      ),
  };
}

export interface Served {
  readonly runtime: Runtime;
  readonly origin: string;
}

/** A whole server with page and API on a free port, for this test. */
export async function startUp(workspace: string, more: StartupOptions = {}): Promise<Served> {
  const served = await serve(workspace, more);
  onTestFinished(() => served.runtime.close());
  return served;
}

/** Ends when its owner says so, because several tests share it. */
export async function serve(workspace: string, more: StartupOptions = {}): Promise<Served> {
  const runtime = await startup({
    workspace,
    home: workspace,
    env: {},
    logger: () => undefined,
    exit: () => undefined,
    transport: 'up',
    ...more,
    http: { port: '0', ...more.http },
  });
  return { runtime, origin: new URL(runtime.url ?? '').origin };
}
