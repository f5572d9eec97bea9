/** Tool calls over stdio and HTTP, against the SDK with a tool that does nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { COLIBRI, cleanEnvironment, REPOSITORY } from './measure.ts';
import { atLeast, atMost, type Row, shownOnly, within } from './row.ts';
import { INITIALIZE, type RpcServer, startRpc } from './rpc.ts';
import type { World } from './world.ts';

const SDK_SERVER = path.join(REPOSITORY, 'bench/speed/sdk-server.mjs');
const SKILLS = 1_000;
const CALLS = { stdio: 5_000, http: 1_000 };
/** Calls under way at once. */
const AT_ONCE = { stdio: 64, http: 16 };
const ROUNDS = 5;
const OUR_CALL = { name: 'skill_list', arguments: { limit: 1 } };
const EMPTY_CALL = { name: 'empty', arguments: {} };

export async function callRows(world: World): Promise<readonly Row[]> {
  const { workspace, home, database } = world.place(SKILLS);
  const place = { cwd: workspace, home };
  const startBare = () => startRpc([SDK_SERVER], { cwd: REPOSITORY, home });
  const startOurs = () => startRpc([COLIBRI, 'serve', '--db', database], place);
  const [ours, floor] = await middles(
    () => stdioRate(startOurs, OUR_CALL),
    () => stdioRate(startBare, EMPTY_CALL),
  );
  const server = await startOurs();
  await perSecond('stdio', () => server.request('tools/call', OUR_CALL));
  const memory = residentMb(server);
  const gets = await perSecond('stdio', getInTurn(server, await namesOf(server)));
  const tools = JSON.stringify(await server.request('tools/list', {})).length;
  await server.end();
  const { rssMb: node = Number.NaN } = await world.hello();
  return [
    atLeast(
      {
        suite: 'calls',
        what: 'tool calls over stdio, a page of the list',
        unit: 'calls/s',
        floorName: 'bare SDK server, empty tool',
        why: 'each call leaves two events, chained by their hashes, in a commit that is flushed before the answer leaves; the bare server leaves nothing.',
      },
      ours,
      { floor, min: 0.8 },
    ),
    shownOnly(
      {
        suite: 'calls',
        what: 'tool calls over stdio, `skill_get` of each skill in turn',
        unit: 'calls/s',
        floorName: 'bare SDK server, empty tool',
      },
      gets,
      floor,
    ),
    ...(await httpRows({ workspace, home, database })),
    atMost(
      {
        suite: 'memory',
        what: `\`colibri serve\` after ${CALLS.stdio.toLocaleString('en')} calls`,
        unit: 'MB',
        floorName: 'node, nothing else',
      },
      memory,
      { floor: node, max: 3.5 },
    ),
    within({ suite: 'calls', what: 'answer to tools/list', unit: 'bytes' }, tools, 8 * 1024),
  ];
}

async function namesOf(server: RpcServer): Promise<readonly string[]> {
  const { result } = await server.request('tools/call', {
    name: 'skill_list',
    arguments: { limit: SKILLS },
  });
  // The shape of our own answer.
  const { structuredContent } = result as {
    structuredContent: { data: { skills: readonly { name: string }[] } };
  };
  return structuredContent.data.skills.map(({ name }) => name);
}

/** No two calls one after the other ask for the same. */
function getInTurn(server: RpcServer, names: readonly string[]): () => Promise<unknown> {
  let next = 0;
  return () => {
    const name = names[next++ % names.length];
    return server.request('tools/call', { name: 'skill_get', arguments: { name } });
  };
}

async function httpRows({
  workspace,
  home,
  database,
}: {
  workspace: string;
  home: string;
  database: string;
}): Promise<readonly Row[]> {
  const serve = [COLIBRI, 'serve', '--http', '--port', '0', '--db', database];
  const [ours, floor] = await middles(
    () => httpRate(() => listen(serve, { cwd: workspace, home }), OUR_CALL),
    () => httpRate(() => listen([SDK_SERVER, 'http'], { cwd: REPOSITORY, home }), EMPTY_CALL),
  );
  const bar = {
    suite: 'calls',
    what: 'tool calls over HTTP, a page of the list',
    unit: 'calls/s',
    floorName: 'SDK handler, empty tool',
  };
  return [atLeast(bar, ours, { floor, min: 1 })];
}

interface Listening {
  readonly url: string;
  end(): Promise<void>;
}

/** Starts a server that prints its address. */
async function listen(
  command: readonly string[],
  { cwd, home }: { cwd: string; home: string },
): Promise<Listening> {
  const child = spawn(process.execPath, command, {
    cwd,
    env: cleanEnvironment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await Promise.race([child.stdout, child.stderr].map(firstUrl));
  return { url, end: () => stop(child) };
}

function firstUrl(input: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input }).on('line', (line) => {
      const url = /http:\/\/[^\s"]+/.exec(line)?.[0];
      if (url !== undefined) resolve(url);
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}

/** One call without a session, as the newest protocol has it: what it needs of `initialize` travels with it. */
async function post(url: string, call: object): Promise<void> {
  const { protocolVersion, clientInfo, capabilities } = INITIALIZE;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { ...call, _meta: { clientInfo, capabilities } },
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`);
}

/** Of several rounds, taken in turns, so that both meet the same machine. Each round has a process of its own, as a client has. */
async function middles(
  ours: () => Promise<number>,
  floor: () => Promise<number>,
): Promise<readonly [ours: number, floor: number]> {
  const rates = { ours: [] as number[], floor: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.floor.push(await floor());
    rates.ours.push(await ours());
  }
  return [middle(rates.ours), middle(rates.floor)];
}

function middle(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function stdioRate(start: () => Promise<RpcServer>, call: object): Promise<number> {
  const server = await start();
  const rate = await perSecond('stdio', () => server.request('tools/call', call));
  await server.end();
  return rate;
}

async function httpRate(start: () => Promise<Listening>, call: object): Promise<number> {
  const server = await start();
  const rate = await perSecond('http', () => post(server.url, call));
  await server.end();
  return rate;
}

async function perSecond(door: keyof typeof CALLS, call: () => Promise<unknown>): Promise<number> {
  const calls = CALLS[door];
  // A tenth first, so that both sides have compiled what they need.
  await many(calls / 10, AT_ONCE[door], call);
  const began = performance.now();
  await many(calls, AT_ONCE[door], call);
  return calls / ((performance.now() - began) / 1000);
}

async function many(calls: number, atOnce: number, call: () => Promise<unknown>): Promise<void> {
  let left = calls;
  const one = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

function residentMb({ pid }: RpcServer): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
