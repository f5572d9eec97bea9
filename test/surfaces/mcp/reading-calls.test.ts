/** Calls that only read have a way of their own past the SDK. Nobody may notice: the answers are the same, and so is the record. */
import http from 'node:http';

import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { createServerContext, registerColibriTool } from '../../../src/server.ts';
import { createReadingCalls } from '../../../src/surfaces/mcp/reading-calls.ts';
import { CLI, type RpcProcess, sendInitialize, spawnRpc } from '../../support/rpc-process.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { skillsRoot, startHttp } from './harness.ts';

const LIST = { name: 'skill_list', arguments: { limit: 1 } };
const call = (params: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });

/** The same message, written so that only a parser finds out what it is. */
const theLongWay = (message: object) =>
  JSON.stringify(message).replace('tools/call', String.raw`tools\/call`);

function calls(): { find(message: unknown): unknown } {
  const ctx = createServerContext({
    logger: () => undefined,
    clock: { now: () => 0, monotonic: () => 0 },
    ids: { ulid: () => 'id', secret: () => 'secret' },
    audit: { enter: () => undefined, exit: () => undefined },
    identify: () => ({ id: 'test', sessionId: null, agentTier: null }),
    gate: () => ({ allowed: true }),
  });
  const config = { title: 't', description: 'd', inputSchema: z.strictObject({}) };
  registerColibriTool(ctx, 'reads', { ...config, annotations: { readOnlyHint: true } }, () => 'read');
  registerColibriTool(ctx, 'writes', { ...config, annotations: { readOnlyHint: false } }, () => 'written');
  registerColibriTool(
    ctx,
    'people',
    { ...config, audience: 'people', annotations: { readOnlyHint: true } },
    () => 'x',
  );
  const reading = createReadingCalls(ctx, { ready: Promise.resolve(), door: 'stdio' });
  return { find: (message) => reading.find(JSON.stringify(message)) };
}

describe('a call goes the short way', () => {
  test.each([
    ['with a number as its id', call({ name: 'reads', arguments: {} }, 7)],
    ['with a text as its id', call({ name: 'reads' }, 'seven')],
    ['with a token for progress', call({ name: 'reads', _meta: { progressToken: 1 } })],
  ])('%s', async (_, message) => {
    const { find } = calls();
    await Promise.resolve();
    expect(find(message)).toMatchObject({ id: message.id, tool: { name: 'reads' } });
  });

  test.each([
    ['of a tool that does something', call({ name: 'writes' })],
    ['of a tool for people', call({ name: 'people' })],
    ['of a tool that does not exist', call({ name: 'nobody' })],
    ['without a name', call({})],
    ['with arguments that are no object', call({ name: 'reads', arguments: [] })],
    ['that is to run as a task', call({ name: 'reads', task: { ttl: 1 } })],
    ['in the newer protocol', call({ name: 'reads', _meta: { 'io.modelcontextprotocol/x': 1 } })],
    ['without an id', { jsonrpc: '2.0', method: 'tools/call', params: { name: 'reads' } }],
    ['with an id that is none', call({ name: 'reads' }, 1.5)],
    ['in another version of JSON-RPC', { ...call({ name: 'reads' }), jsonrpc: '1.0' }],
    ['with members that nobody knows', { ...call({ name: 'reads' }), more: 1 }],
    ['of several in one message', [call({ name: 'reads' })]],
    ['that is another method', { ...call({ name: 'reads' }), method: 'tools/list' }],
  ])('but not one %s', async (_, message) => {
    const { find } = calls();
    await Promise.resolve();
    expect(find(message)).toBeNull();
  });
});

async function serve(): Promise<RpcProcess> {
  const workspace = temporaryDirectory();
  for (const name of ['one', 'two']) writeSkill(skillsRoot(workspace), name);
  const server = spawnRpc([CLI, 'serve'], { cwd: workspace });
  sendInitialize(server);
  server.send({ id: 9, method: 'tools/list' });
  await server.answer(9);
  return server;
}

describe('over stdio', () => {
  test.each([
    ['an answer', LIST],
    ['a text for models', { name: 'skill_search', arguments: { query: 'one' } }],
    ['a refusal', { name: 'skill_get', arguments: { name: 'nobody' } }],
    ['arguments that are wrong', { name: 'skill_get', arguments: { name: 1 } }],
  ])('%s is the same both ways', async (_, params) => {
    const server = await serve();
    server.write(JSON.stringify(call(params, 1)));
    server.write(theLongWay(call(params, 2)));
    const [short, long] = await Promise.all([server.answer(1), server.answer(2)]);
    expect(short['result']).toEqual(long['result']);
    expect(short['result']).toMatchObject({ content: [{ type: 'text' }] });
  });

  test('lines may come in pieces and several at once, with text of any script', async () => {
    const server = await serve();
    const text = [1, 2, 3].map((id) =>
      JSON.stringify(call({ name: 'skill_search', arguments: { query: 'größe 大きさ' } }, id)),
    );
    const bytes = Buffer.from(`${text.join('\n')}\n`);
    // In the middle of a character.
    const cut = bytes.indexOf('ö') + 1;
    server.child.stdin.write(bytes.subarray(0, cut));
    await new Promise((resolve) => setTimeout(resolve, 50));
    server.child.stdin.write(bytes.subarray(cut));
    for (const id of [1, 2, 3]) {
      expect(await server.answer(id)).toMatchObject({ result: { structuredContent: { ok: true } } });
    }
    expect(JSON.stringify(await server.answer(2))).toContain('größe 大きさ');
  });

  test('a call that was cancelled before its answer gets none', async () => {
    const server = await serve();
    server.child.stdin.write(
      [
        call(LIST, 1),
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
        call(LIST, 2),
      ]
        .map((message) => `${JSON.stringify(message)}\n`)
        .join(''),
    );
    await server.answer(2);
    server.child.stdin.end();
    await server.ended;
    expect(server.stdout.filter((line) => JSON.parse(line).id === 1)).toEqual([]);
  });
});

describe('over HTTP', () => {
  const HEADERS = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };

  async function start(): Promise<string> {
    const workspace = temporaryDirectory();
    for (const name of ['one', 'two']) writeSkill(skillsRoot(workspace), name);
    return (await startHttp(workspace)).url;
  }

  test('the answer is one JSON message, and the record says who called', async () => {
    const workspace = temporaryDirectory();
    writeSkill(skillsRoot(workspace), 'one');
    const { url, runtime } = await startHttp(workspace);
    const response = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(call(LIST)) });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ id: 1, result: { structuredContent: { ok: true } } });
    const rows = runtime.db.prepare('SELECT actor, subject, outcome FROM audit_log').all();
    expect(rows).toEqual([{ actor: 'http', subject: 'skill_list', outcome: 'ok' }]);
  });

  test('whatever is no such call reaches the SDK whole', async () => {
    const url = await start();
    const post = (body: string, more: Record<string, string> = {}) =>
      fetch(url, { method: 'POST', headers: { ...HEADERS, ...more }, body });
    const listed = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
    expect(await listed.text()).toContain('"name":"skill_list"');
    const opened = await post(JSON.stringify(call({ name: 'session_open', arguments: {} })));
    expect(await opened.text()).toContain('session_id');
    expect((await post('{"method":"tools/call",')).status).toBe(400);
    expect((await post(JSON.stringify(call(LIST)), { accept: 'application/json' })).status).toBe(406);
    expect((await post(JSON.stringify(call(LIST)), { 'mcp-protocol-version': '1999-01-01' })).status).toBe(
      400,
    );
  });

  test('a body without a length, or in pieces, is answered all the same', async () => {
    const url = await start();
    const body = JSON.stringify(call(LIST));
    const answers = [HEADERS, { ...HEADERS, 'content-length': body.length }].map(
      (headers) =>
        new Promise<string>((resolve, reject) => {
          const request = http.request(url, { method: 'POST', headers }, (response) => {
            let text = '';
            response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
            response.on('end', () => resolve(text));
          });
          request.on('error', reject);
          request.write(body.slice(0, 20));
          setTimeout(() => request.end(body.slice(20)), 50);
        }),
    );
    for (const answer of answers) expect(await answer).toContain('"total_count":2');
  });

  test('a client that leaves in the middle of its body costs nobody anything', async () => {
    const url = await start();
    const left = new Promise<void>((resolve) => {
      const headers = { ...HEADERS, 'content-length': 500 };
      const request = http.request(url, { method: 'POST', headers });
      request.on('error', () => undefined).on('close', () => resolve());
      request.write('{"jsonrpc":"2.0"');
      setTimeout(() => request.destroy(), 50);
    });
    await left;
    const response = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(call(LIST)) });
    expect(response.status).toBe(200);
  });
});
