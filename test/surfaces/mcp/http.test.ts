/** The HTTP door over real sockets: what it refuses, what it answers, and how it ends. */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { type ColibriServerContext, registerColibriTool } from '../../../src/server.ts';
import { startup } from '../../../src/startup.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { connectHttp, GENERATIONS, modernCall, sendRaw, skillsRoot, startHttp } from './harness.ts';

const TOKEN = 'correct-horse-battery-staple-0123456789';
const BODY_BYTES_MAX = 1024 * 1024;

function workspaceWithSkill(): string {
  const workspace = temporaryDirectory();
  writeSkill(skillsRoot(workspace), 'one');
  return workspace;
}

/** A tool that runs until it is told to end, or its caller gives up. */
function registerHeldTool(ctx: ColibriServerContext): {
  readonly entered: Promise<void>;
  readonly gaveUp: Promise<void>;
  release(): void;
} {
  const entered = resolvers();
  const gaveUp = resolvers();
  const released = resolvers();
  registerColibriTool(
    ctx,
    'held',
    { title: 'held', description: 'Waits.', inputSchema: z.strictObject({}) },
    async (_input, { request }) => {
      request.signal?.addEventListener('abort', gaveUp.resolve, { once: true });
      entered.resolve();
      await Promise.race([released.promise, gaveUp.promise]);
      return 'done';
    },
  );
  return { entered: entered.promise, gaveUp: gaveUp.promise, release: released.resolve };
}

function resolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('listening', () => {
  test('is on 127.0.0.1 unless told otherwise', async () => {
    const { url } = await startHttp(workspaceWithSkill());
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  });

  test('on every address without a token does not start', async () => {
    const started = startHttp(workspaceWithSkill(), { http: { host: '0.0.0.0' } });
    await expect(started).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('listening on 0.0.0.0 needs a bearer token'),
    });
  });

  test('on a port that is taken says so, and what to do', async () => {
    const { url } = await startHttp(workspaceWithSkill());
    const { port } = new URL(url);
    const second = startup({ workspace: temporaryDirectory(), env: {}, transport: 'http', http: { port } });
    await expect(second).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `cannot listen on 127.0.0.1:${port}: the port is taken; choose another with --port`,
    });
  });
});

describe('a request', () => {
  test.each([
    ['a rebound host', { headers: { host: 'evil.example' } }, 403],
    ['a foreign origin', { headers: { origin: 'http://evil.example' } }, 403],
    ['an opaque origin', { headers: { origin: 'null' } }, 403],
    ['a page of another site without an origin', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['two hosts', { headers: { host: ['127.0.0.1', 'evil.example'] } }, 400],
    ['two origins', { headers: { origin: ['http://localhost', 'http://evil.example'] } }, 400],
    ['another path', { target: '/' }, 404],
    ['an absolute target', { target: 'http://evil.example/mcp' }, 404],
    ['a plain text body, which needs no preflight', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    ['no JSON', { body: '{"half":' }, 400],
    ['no JSON-RPC', { body: '{"a":1}' }, 400],
    ['JSON that is too deep', { body: '['.repeat(100_000) }, 400],
    [
      'a batch of thousands',
      { body: `[${Array(5_000).fill('{"jsonrpc":"2.0","id":1,"method":"ping"}')}]` },
      400,
    ],
    ['GET', { method: 'GET', body: '' }, 405],
    ['DELETE', { method: 'DELETE', body: '' }, 405],
    [
      'OPTIONS, as a preflight',
      { method: 'OPTIONS', body: '', headers: { origin: 'http://localhost:3000' } },
      405,
    ],
  ])('with %s → refused', async (_what, request, status) => {
    const { url } = await startHttp(workspaceWithSkill());
    const call = modernCall('tools/list');
    const headers = { ...call.headers, ...('headers' in request ? request.headers : {}) };
    const answer = await sendRaw(url, { body: call.body, ...request, headers });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    // No page of another origin may read anything, not even a refusal.
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await sendRaw(url, modernCall('tools/list'))).status).toBe(200);
  });

  test.each([
    ['announced', (bytes: number) => ({ 'content-length': String(bytes) })],
    ['in chunks', () => ({ 'transfer-encoding': 'chunked' })],
  ])('with a body beyond the limit, %s → 413', async (_how, headersFor) => {
    const { url } = await startHttp(workspaceWithSkill());
    const body = Buffer.alloc(BODY_BYTES_MAX + 1, ' ');
    const answer = await sendRaw(url, { headers: headersFor(body.length), body });
    expect(answer.status).toBe(413);
  });

  test('with a body up to the limit is read', async () => {
    const { url } = await startHttp(workspaceWithSkill());
    const { headers, body } = modernCall('tools/list');
    expect((await sendRaw(url, { headers, body: body.padEnd(BODY_BYTES_MAX, ' ') })).status).toBe(200);
  });

  test('that never ends its head is hung up on, and so are others', async () => {
    const { url } = await startHttp(workspaceWithSkill());
    const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    const [hadError] = await once(socket.resume(), 'close');
    expect(hadError).toBe(false);
  }, 20_000);

  test('whose client hangs up in mid-call is cancelled', async () => {
    const { runtime, url } = await startHttp(workspaceWithSkill());
    const held = registerHeldTool(runtime.ctx);
    const client = await connectHttp(url);
    const giveUp = new AbortController();
    const call = client.callTool({ name: 'held', arguments: {} }, { signal: giveUp.signal });
    await held.entered;
    giveUp.abort();
    await expect(call).rejects.toThrow();
    await held.gaveUp;
  });
});

describe('with a token', () => {
  const secured = () => startHttp(workspaceWithSkill(), { env: { COLIBRI_HTTP_TOKEN: TOKEN } });

  test.each([
    ['no token', {}, '/mcp'],
    ['a wrong token', { authorization: `Bearer ${TOKEN.toUpperCase()}` }, '/mcp'],
    ['the token in the address', {}, `/mcp?token=${TOKEN}`],
    ['the token as a password', { authorization: `Basic ${TOKEN}` }, '/mcp'],
  ])('%s → 401', async (_what, headers, target) => {
    const { url, lines } = await secured();
    const call = modernCall('tools/list');
    const answer = await sendRaw(url, { ...call, headers: { ...call.headers, ...headers }, target });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(`${answer.body}${lines.join()}`).not.toContain(TOKEN);
  });

  test.each(GENERATIONS)('a client of %s that has it is served', async (version, mode) => {
    const { url } = await secured();
    const client = await connectHttp(url, { mode, headers: { authorization: `Bearer ${TOKEN}` } });
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('skill_list');
  });

  test('the official client without it learns why', async () => {
    const { url } = await secured();
    await expect(connectHttp(url)).rejects.toThrow(/401|unauthorized/i);
  });
});

describe('closing', () => {
  test.each(GENERATIONS)(
    'a call of %s under way is answered first, and no new one begins',
    async (_v, mode) => {
      const { runtime, url } = await startHttp(workspaceWithSkill());
      const held = registerHeldTool(runtime.ctx);
      const client = await connectHttp(url, { mode });
      const call = client.callTool({ name: 'held', arguments: {} });
      await held.entered;
      const closed = runtime.close();
      await sleep(50);
      await expect(sendRaw(url, modernCall('tools/list'))).rejects.toThrow('ECONNREFUSED');
      held.release();
      expect((await call).structuredContent).toEqual({ ok: true, data: 'done' });
      await closed;
    },
  );

  test('a subscription is ended, and does not delay it', async () => {
    const { runtime, url } = await startHttp(workspaceWithSkill());
    const client = await connectHttp(url);
    const subscription = await client.listen({ resourcesListChanged: true });
    const began = performance.now();
    await runtime.close();
    expect(await subscription.closed).toBe('graceful');
    expect(performance.now() - began).toBeLessThan(900);
  });

  test('connections that were kept open for more are ended', async () => {
    const { runtime, url } = await startHttp(workspaceWithSkill());
    await connectHttp(url);
    const began = performance.now();
    await runtime.close();
    expect(performance.now() - began).toBeLessThan(900);
  });

  test('twice is once', async () => {
    const { runtime } = await startHttp(workspaceWithSkill());
    await Promise.all([runtime.close(), runtime.close()]);
    await runtime.close();
  });
});
