/** One server for page, API and MCP, over real sockets: who may come in, the stream of events, and the end. */
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { connectHttp, sendRaw } from '../mcp/harness.ts';
import { skillsRoot, startUp } from './harness.ts';

const TOKEN = 'correct-horse-battery-staple-0123456789';

function workspaceWithSkill(): string {
  const workspace = temporaryDirectory();
  writeSkill(skillsRoot(workspace), 'one');
  return workspace;
}

describe('who may ask', () => {
  test.each([
    ['a rebound host', { host: 'evil.example' }],
    ['a foreign origin', { origin: 'http://evil.example' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sandboxed frame', { origin: 'null' }],
  ])('not %s, neither for data nor for the page', async (_who, headers) => {
    const { origin } = await startUp(workspaceWithSkill());
    for (const target of ['/v1/skills', '/', '/healthz', '/mcp']) {
      const answer = await sendRaw(origin, { method: 'GET', target, headers });
      expect(answer.status, target).toBe(403);
    }
  });

  test('with a token in force, only who has it; the page and /healthz tell nothing and are open', async () => {
    const { origin } = await startUp(workspaceWithSkill(), { env: { COLIBRI_HTTP_TOKEN: TOKEN } });
    const status = async (target: string, headers = {}) =>
      (await sendRaw(origin, { method: 'GET', target, headers })).status;
    const key = { authorization: `Bearer ${TOKEN}` };
    for (const target of ['/v1/skills', '/v1/nothing', '/v1/events/stream?after=x', '/metrics']) {
      expect(await status(target), target).toBe(401);
      expect(await status(target, key), target).not.toBe(401);
    }
    expect(await status('/healthz')).toBe(200);
    expect(await status('/v1/skills', key)).toBe(200);
  });

  test('beyond loopback without a token: the server does not start', async () => {
    const started = startUp(workspaceWithSkill(), { http: { host: '0.0.0.0' } });
    await expect(started).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

test('MCP clients are served beside the API', async () => {
  const { origin } = await startUp(workspaceWithSkill());
  const client = await connectHttp(`${origin}/mcp`);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('skill_load');
  expect((await fetch(`${origin}/v1/skills`)).status).toBe(200);
});

describe('the stream of events', () => {
  test('brings what happens on disk, and goes on where it broke off', async () => {
    const workspace = workspaceWithSkill();
    const { origin, runtime } = await startUp(workspace);
    const first = await openStream(`${origin}/v1/events/stream`);
    writeSkill(skillsRoot(workspace), 'two');
    await runtime.skills.reload();
    const seen = await first.next('skill.catalog_updated');
    expect(seen.data).toMatchObject({ type: 'skill.catalog_updated', payload: { count: 2 } });
    first.end();
    // Meanwhile nobody listens.
    writeSkill(skillsRoot(workspace), 'three');
    await runtime.skills.reload();
    const second = await openStream(`${origin}/v1/events/stream`, { 'last-event-id': String(seen.id) });
    expect((await second.next('skill.catalog_updated')).data).toMatchObject({
      seq: seen.id + 1,
      payload: { count: 3 },
    });
    second.end();
  });

  test('can be narrowed to types, and brings older events when asked for them', async () => {
    const { origin, runtime } = await startUp(workspaceWithSkill());
    await runtime.sessions.open();
    const stream = await openStream(`${origin}/v1/events/stream?after=0&type=session.opened`);
    expect((await stream.next()).data).toMatchObject({ type: 'session.opened' });
    stream.end();
  });

  test('ends with the server, at once', async () => {
    const { origin, runtime } = await startUp(workspaceWithSkill());
    const stream = await openStream(`${origin}/v1/events/stream`);
    const began = performance.now();
    await runtime.close();
    await stream.ended;
    expect(performance.now() - began).toBeLessThan(4_000);
  });
});

interface StreamMessage {
  readonly id: number;
  readonly event: string;
  readonly data: unknown;
}

/** Reads server-sent events as they are written on the wire. */
async function openStream(url: string, headers: Readonly<Record<string, string>> = {}) {
  const giveUp = new AbortController();
  const response = await fetch(url, { headers, signal: giveUp.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const messages: StreamMessage[] = [];
  const ended = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      messages.push(...parts.flatMap(messageOf));
    }
  })().catch(() => undefined);
  return {
    ended,
    end: () => giveUp.abort(),
    async next(event?: string): Promise<StreamMessage> {
      for (;;) {
        const found = messages.findIndex((message) => message.event === (event ?? message.event));
        const [message] = found < 0 ? [] : messages.splice(found, 1);
        if (message !== undefined) return message;
        await sleep(10);
      }
    },
  };
}

function messageOf(part: string): StreamMessage[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
  const data = field('data');
  if (data === undefined) return [];
  return [{ id: Number(field('id')), event: field('event') ?? '', data: JSON.parse(data) }];
}
