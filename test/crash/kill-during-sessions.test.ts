/** `kill -9` while eight clients load skills: nothing that was answered is lost, and every session can go on. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { initDb } from '../../src/db/open.ts';
import { type Runtime, startup } from '../../src/startup.ts';
import { randomFrom } from '../support/random.ts';
import { CLI } from '../support/rpc-process.ts';
import { writeSkill } from '../support/skill-files.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { modernCall, sendRaw, skillsRoot } from '../surfaces/mcp/harness.ts';

const CHILD = fileURLToPath(new URL('./session-child.mjs', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const CLIENTS = 8;
const ROUNDS = 3;
/** The kill comes at a random moment within this time after the first bodies were given. */
const WINDOW_MS = 900;
const TIMEOUT_MS = 120_000;
const seed = Number(process.env['COLIBRI_CRASH_SEED'] ?? Date.now() % 1_000_000);

/** What the clients were told, as far as it had left the server when everything ended. */
interface Promised {
  readonly opened: Set<string>;
  readonly closed: Set<string>;
  /** Answers per session. */
  readonly answers: Map<string, number>;
  /** Bodies that were given, by what the event must name: the id of the call, or session and skill. */
  readonly bodies: Set<string>;
}

function nothingYet(): Promised {
  return { opened: new Set(), closed: new Set(), answers: new Map(), bodies: new Set() };
}

function workspaceWithSkills(): string {
  const workspace = temporaryDirectory();
  const root = skillsRoot(workspace);
  for (const name of ['one', 'two', 'three', 'four']) writeSkill(root, name, { body: `Body of ${name}.\n` });
  mkdirSync(path.join(root, 'one'), { recursive: true });
  writeFileSync(path.join(root, 'one', 'a.md'), 'A file.\n');
  return workspace;
}

/** A slow machine needs longer before there is anything that could be lost. */
async function untilWorking({ bodies }: Promised): Promise<void> {
  while (bodies.size < CLIENTS / 2) await sleep(5);
}

async function expectKept(workspace: string, dbPath: string, promised: Promised): Promise<void> {
  const db = initDb(dbPath, { check: 'none' });
  expect(db.pragma('quick_check', { simple: true })).toBe('ok');
  db.close();
  const runtime = await startup({
    workspace,
    dbPath,
    home: workspace,
    env: {},
    logger: () => undefined,
    exit: () => undefined,
    trace: true,
  });
  try {
    expect((await runtime.events.verify()).broken).toBeNull();
    for (const id of promised.opened) await expectSession(runtime, id, promised);
    const bodies = await loadedBodies(runtime, promised.opened);
    expect([...promised.bodies].filter((body) => !bodies.has(body))).toEqual([]);
    expect((await runtime.events.verify()).broken).toBeNull();
  } finally {
    await runtime.close();
  }
}

async function expectSession(runtime: Runtime, id: string, promised: Promised): Promise<void> {
  const { closedAt } = await runtime.sessions.get(id);
  if (promised.closed.has(id)) expect(closedAt).not.toBeNull();
  const ended = (await runtime.events.ofSession(id)).filter(({ type }) => /^tool\.f/.test(type)).length;
  expect(ended).toBeGreaterThanOrEqual(promised.answers.get(id) ?? 0);
  expect(await runtime.replay(id, { live: false })).toMatchObject({ equal: true, difference: null });
  if (closedAt !== null) return;
  await runtime.sessions.resume(id);
  // Whatever happened to the call that was cut off: its skill can be had, or is known to have been given.
  const answer = await runtime.ctx.tools
    .get('skill_load')
    ?.call({ name: 'one', session_id: id }, { door: 'library' });
  expect(answer).toMatchObject({ ok: true });
  await runtime.sessions.close(id);
  expect(await runtime.replay(id, { live: false })).toMatchObject({ equal: true, difference: null });
}

async function loadedBodies(runtime: Runtime, sessions: Iterable<string>): Promise<ReadonlySet<string>> {
  const bodies = new Set<string>();
  for (const id of sessions) {
    for (const { type, payload } of await runtime.events.ofSession(id)) {
      if (type !== 'skill.loaded') continue;
      const { triggered_by_tool_use_id, name } = JSON.parse(payload);
      bodies.add(triggered_by_tool_use_id).add(`${id} ${name}`);
    }
  }
  return bodies;
}

async function startClient(
  workspace: string,
  dbPath: string,
  promised: Promised,
): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, [CHILD, DIST, workspace, dbPath], { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  lines.on('line', (line) => {
    const [what, id = '', body = '-'] = line.split(' ');
    if (what === 'opened') promised.opened.add(id);
    if (what === 'closed') promised.closed.add(id);
    if (what === 'answered') promised.answers.set(id, (promised.answers.get(id) ?? 0) + 1);
    if (body !== '-') promised.bodies.add(body);
  });
  return child;
}

test(`${CLIENTS} processes on one database, killed ${ROUNDS} times (COLIBRI_CRASH_SEED=${seed})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const random = randomFrom(seed);
  const workspace = workspaceWithSkills();
  const dbPath = path.join(workspace, 'colibri.db');
  const all = nothingYet();
  for (let round = 0; round < ROUNDS; round++) {
    const promised = nothingYet();
    const children = await Promise.all(
      Array.from({ length: CLIENTS }, () => startClient(workspace, dbPath, promised)),
    );
    const gone = children.map((child) => once(child, 'close'));
    for (const child of children) child.stdin.write('go\n');
    await untilWorking(promised);
    await sleep(random() * WINDOW_MS);
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(gone);
    await expectKept(workspace, dbPath, promised);
    for (const id of promised.opened) all.opened.add(id);
    for (const body of promised.bodies) all.bodies.add(body);
  }
  process.stderr.write(`crash seed ${seed}: ${all.opened.size} sessions, ${all.bodies.size} bodies\n`);
  expect(all.bodies.size).toBeGreaterThan(CLIENTS);
});

interface Answer {
  readonly ok: boolean;
  readonly data?: { readonly session_id?: string; readonly already_loaded?: boolean };
}

async function callOver(url: string, name: string, input: object): Promise<Answer> {
  const { status, body } = await sendRaw(url, modernCall('tools/call', { name, arguments: input }));
  if (status !== 200) throw new Error(`${status} ${body}`);
  const json = body.startsWith('{') ? body : (/^data: (.*)$/m.exec(body)?.[1] ?? '');
  return JSON.parse(json).result.structuredContent;
}

/** One client: opens, loads, reads, closes, until the server no longer answers. */
async function useServer(url: string, promised: Promised): Promise<void> {
  for (;;) {
    const opened = await callOver(url, 'session_open', {});
    const session_id = opened.data?.session_id ?? '';
    promised.opened.add(session_id);
    for (const name of ['one', 'two', 'nobody', 'three', 'four']) {
      const { ok } = await callOver(url, 'skill_load', { name, session_id });
      promised.answers.set(session_id, (promised.answers.get(session_id) ?? 0) + 1);
      if (ok) promised.bodies.add(`${session_id} ${name}`);
    }
    await callOver(url, 'session_close', { session_id });
    promised.closed.add(session_id);
  }
}

async function startServer(
  workspace: string,
  dbPath: string,
): Promise<{ child: ChildProcessWithoutNullStreams; url: string }> {
  const child = spawn(process.execPath, [CLI, 'serve', '--http', '--port', '0', '--db', dbPath], {
    cwd: workspace,
    env: { PATH: process.env['PATH'], HOME: workspace },
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.resume();
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) {
    const url = /listening on (http\S+)/.exec(line)?.[1];
    if (url !== undefined) {
      child.stderr.resume();
      return { child, url };
    }
  }
  throw new Error('the server did not start');
}

test(`${CLIENTS} HTTP clients on one server, killed ${ROUNDS} times (COLIBRI_CRASH_SEED=${seed})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const random = randomFrom(seed);
  const workspace = workspaceWithSkills();
  const dbPath = path.join(workspace, 'colibri.db');
  let bodies = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const promised = nothingYet();
    const { child, url } = await startServer(workspace, dbPath);
    const gone = once(child, 'close');
    // Each ends with a broken connection, because the server does.
    const clients = Array.from({ length: CLIENTS }, () =>
      useServer(url, promised).catch((error: unknown) => error),
    );
    await untilWorking(promised);
    await sleep(random() * WINDOW_MS);
    child.kill('SIGKILL');
    await Promise.all([gone, ...clients]);
    await expectKept(workspace, dbPath, promised);
    bodies += promised.bodies.size;
  }
  process.stderr.write(`crash seed ${seed}: ${bodies} bodies over HTTP\n`);
  expect(bodies).toBeGreaterThan(CLIENTS);
});
