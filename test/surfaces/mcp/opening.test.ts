/** The opening request is answered before the SDK is there, and exactly as the SDK would. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';

import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, test } from 'vitest';

import { greetWaiting } from '../../../src/surfaces/mcp/greeting.ts';
import { createMcpServer } from '../../../src/surfaces/mcp/mcp-server.ts';
import { type Introduction, openingAnswer } from '../../../src/surfaces/mcp/opening.ts';
import { testContext } from '../../support/kernel.ts';
import { CLI, spawnRpc } from '../../support/rpc-process.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const FULL: Introduction = { version: '1.2.3', surface: 'full' };
const PHASE_0: Introduction = { version: '1.2.3', surface: 'phase-0' };

const CAPABILITIES = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
  experimental: { ours: { deep: [1] } },
};
const CLIENT = { name: 'client', title: 'A client', version: '1', websiteUrl: 'https://example.com' };

function initialize(params: object = {}, message: object = {}): string {
  const usual = { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, clientInfo: CLIENT };
  const request = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { ...usual, ...params } };
  return JSON.stringify({ ...request, ...message });
}

function discover(meta: object = {}): string {
  const usual = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
  };
  const params = { _meta: { ...usual, ...meta } };
  return JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'server/discover', params });
}

async function answerOfSdk(line: string, introduction: Introduction): Promise<unknown> {
  const never = new Promise<never>(() => undefined);
  const mcp = createMcpServer(testContext(), {
    ...introduction,
    ready: never,
    offered: () => never,
    commands: { list: () => [], find: () => null },
    door: 'stdio',
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const handle = serveStdio(() => mcp, { transport: new StdioServerTransport(input, output) });
  input.write(`${line}\n`);
  const [text] = await once(output, 'data');
  await handle.close();
  return JSON.parse(String(text));
}

describe.each([FULL, PHASE_0])('the $surface surface', (introduction) => {
  test.each(SUPPORTED_PROTOCOL_VERSIONS)('answers a client of %s like the SDK', async (protocolVersion) => {
    for (const id of [0, 7, 'seven']) {
      const line = initialize({ protocolVersion }, { id });
      const answer = openingAnswer(line, introduction);
      expect(answer?.id).toBe(id);
      expect(JSON.parse(answer?.text ?? '')).toEqual(await answerOfSdk(line, introduction));
    }
  });

  test('answers a client that discovers it like the SDK', async () => {
    const line = discover();
    const answer = openingAnswer(line, introduction);
    expect(answer?.id).toBe(0);
    expect(JSON.parse(answer?.text ?? '')).toEqual(await answerOfSdk(line, introduction));
  });
});

test.each([
  ['another request', initialize({}, { method: 'ping' })],
  ['a notification', JSON.stringify({ jsonrpc: '2.0', method: 'initialize', params: {} })],
  ['another JSON-RPC', initialize({}, { jsonrpc: '1.0' })],
  ['an id that is none', initialize({}, { id: 1.5 })],
  ['a version that has to be agreed on', initialize({ protocolVersion: '2099-01-01' })],
  ['the newer protocol', initialize({ _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } })],
  ['a newer protocol still', discover({ 'io.modelcontextprotocol/protocolVersion': '2027-01-01' })],
  ['a handshake with more in it', discover({ 'io.modelcontextprotocol/logLevel': 'debug' })],
  ['a client without a name', initialize({ clientInfo: { version: '1' } })],
  ['a client with pictures', initialize({ clientInfo: { ...CLIENT, icons: [] } })],
  ['capabilities that are none', initialize({ capabilities: { sampling: true } })],
  ['a switch that is none', initialize({ capabilities: { roots: { listChanged: 'yes' } } })],
  ['a batch', `[${initialize()}]`],
  ['half a message', initialize().slice(0, -1)],
  ['nothing', ''],
])('%s is left to the SDK', (_what, line) => {
  expect(openingAnswer(line, FULL)).toBeNull();
});

/** What a greeting made of the input, and what is left for whoever reads after it. */
async function greet(input: readonly string[], { end = false } = {}) {
  const stdin = new PassThrough();
  for (const text of input) stdin.write(text);
  if (end) stdin.end();
  const written: string[] = [];
  const stdout = { write: (text: string) => written.push(text) > 0 };
  const greeted = await greetWaiting({ stdin, stdout }, FULL);
  stdin.end();
  let left = '';
  for await (const chunk of stdin) left += String(chunk);
  return { greeted, written: written.join(''), left };
}

describe('the greeting', () => {
  const first = `${initialize()}\n`;
  const answer = `${openingAnswer(initialize(), FULL)?.text}\n`;

  test('answers the first line and leaves every byte where it was', async () => {
    const next = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"half":';
    expect(await greet([first, next])).toEqual({ greeted: 0, written: answer, left: first + next });
    expect(await greet([first], { end: true })).toEqual({ greeted: 0, written: answer, left: first });
  });

  test('says nothing while there is no whole line, and nothing to another first word', async () => {
    for (const input of [[], [initialize()], [`{"jsonrpc":"2.0","id":1,"method":"ping"}\n`, first]]) {
      expect(await greet(input)).toEqual({ greeted: null, written: '', left: input.join('') });
    }
  });

  test('leaves the end of an empty input to be seen', async () => {
    expect(await greet([], { end: true })).toEqual({ greeted: null, written: '', left: '' });
  });
});

describe('the command line', () => {
  function workspace(): string {
    const folder = temporaryDirectory();
    writeSkill(path.join(folder, '.agents', 'skills'), 'one');
    return folder;
  }

  test.each([
    ['2025-11-25', initialize(), {}],
    ['2026-07-28', discover(), JSON.parse(discover()).params],
  ])('answers each request of %s once, whenever they come', async (_version, opening, params) => {
    const server = spawnRpc([CLI, 'serve'], { cwd: workspace() });
    server.write(opening);
    server.send({ id: 1, method: 'tools/list', params });
    await server.answer(1);
    server.send({ id: 2, method: 'prompts/list', params });
    await server.answer(2);
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(server.stdout.map((line) => JSON.parse(line).id)).toEqual([0, 1, 2]);
  });

  test('greets nobody when its configuration is broken', async () => {
    const cwd = workspace();
    writeFileSync(path.join(cwd, 'colibri.config.json'), '{ "watch": "sometimes" }');
    const server = spawnRpc([CLI, 'serve'], { cwd });
    server.write(initialize());
    expect(await server.ended).toBe(3);
    expect(server.stdout).toEqual([]);
    expect(server.stderr()).toMatch(/^error: .*watch.*\(CONFIG_INVALID\)\n$/);
  });

  test('ends with its input, also when nothing was ever said', async () => {
    const server = spawnRpc([CLI, 'serve'], { cwd: workspace() });
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(server.stdout).toEqual([]);
  });
});
