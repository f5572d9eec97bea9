/** The real entry in real processes: what only shows with true pipes, signals and exit codes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';

import { temporaryDirectory } from '../../support/temporary.ts';
import { skillText, workspaceWith, writeSkill } from './harness.ts';
import { openAnother, recordedSession } from './recorded-session.ts';

const ENTRY = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));
const COMMAND = [process.execPath, '--import', import.meta.resolve('tsx'), ENTRY] as const;
const VERSION = /^\d+\.\d+\.\d+\n$/;

function start(words: readonly string[], options: { cwd: string; stdout?: number }): ChildProcess {
  const [node, ...before] = COMMAND;
  const child = spawn(node, [...before, ...words], {
    cwd: options.cwd,
    env: { PATH: process.env['PATH'], HOME: options.cwd },
    stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function run(words: readonly string[], options: { cwd: string; stdout?: number }) {
  const child = start(words, options);
  child.stdin?.end();
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, stdout, stderr };
}

const GREET = skillText({ name: 'greet', description: 'Greets a person by name.' });

test('--version prints the version and leaves no trace', async () => {
  const cwd = temporaryDirectory();
  const ran = await run(['--version'], { cwd });
  expect(ran).toEqual({ code: 0, stdout: expect.stringMatching(VERSION), stderr: '' });
  expect(readdirSync(cwd)).toEqual([]);
});

test.each([
  [['list'], 0],
  [['show', 'nobody'], 1],
  [['validate', '.agents/skills'], 1],
  [['frobnicate'], 2],
  [['replay', 'nobody'], 3],
  [['list', '--db', '.'], 3],
])('%j exits with %i', async (words, code) => {
  const cwd = workspaceWith({ greet: GREET, broken: skillText({ name: 'broken' }) });
  expect((await run(words, { cwd })).code).toBe(code);
});

test('relative paths are read from the current directory and repeated as typed', async () => {
  const cwd = workspaceWith({ greet: GREET });
  const { stdout } = await run(['validate', './.agents/skills/greet', '.agents/skills'], { cwd });
  expect(stdout).toBe('ok\t./.agents/skills/greet\t\t\t\nok\t.agents/skills/greet\t\t\t\n');
});

test('a reader that leaves early ends it quietly with 0', async () => {
  const cwd = temporaryDirectory();
  // Far more than the buffers of both sides hold (about 1 MB), and findings that would otherwise exit with 1.
  const wrong = skillText({ name: 'wrong', description: 'x'.repeat(900) });
  for (let index = 0; index < 600; index++) writeSkill(path.join(cwd, `skill-${index}`), wrong);
  const child = start(['validate', ...Array<string>(8).fill('.'), '--json'], { cwd });
  const stderr = stderrOf(child);
  child.stdout?.once('data', () => child.stdout?.destroy());
  const [code, signal] = await once(child, 'exit');
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(await stderr).not.toMatch(/EPIPE|error:/);
});

test.runIf(existsSync('/dev/full'))('a full disk is a failure that is told', async () => {
  const cwd = workspaceWith({ greet: GREET });
  const ran = await run(['list'], { cwd, stdout: openSync('/dev/full', 'w') });
  expect(ran).toEqual({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('stdout could not be written'),
  });
});

describe('serve', () => {
  const INITIALIZE = `${JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })}\n`;

  /** A server that has answered its first request. */
  async function served(words: readonly string[] = []) {
    const child = start(['serve', ...words], { cwd: workspaceWith({ greet: GREET }) });
    child.stdin?.write(INITIALIZE);
    const stderr = stderrOf(child);
    const [answer] = await once(child.stdout ?? child, 'data');
    return { child, stderr, answer: JSON.parse(String(answer)), exit: once(child, 'exit') };
  }

  test('answers on stdout, logs on stderr, and ends with 0 when the client closes its end', async () => {
    const { child, stderr, answer, exit } = await served();
    expect(answer).toMatchObject({ id: 1, result: { serverInfo: { name: 'colibri' } } });
    child.stdin?.end();
    expect(await exit).toEqual([0, null]);
    expect(await stderr).toBe('[colibri] serving 1 skill\n');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly with 0 on %s', async (signal) => {
    const { child, exit } = await served();
    child.kill(signal);
    expect(await exit).toEqual([0, null]);
  });

  test('says how many were rejected, who tells why, and how many lenient would load', async () => {
    const cwd = workspaceWith({ greet: GREET, other: GREET, broken: skillText({ name: 'broken' }) });
    const child = start(['serve'], { cwd });
    const stderr = stderrOf(child);
    child.stdin?.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await stderr).toMatch(
      /^\[colibri\] serving 1 skill, 2 rejected \(`colibri doctor` tells why; `lenient` would load 1\)$/m,
    );
  });

  test('a failed start exits with 1 and says why', async () => {
    const cwd = temporaryDirectory();
    mkdirSync(path.join(cwd, 'data', 'colibri.db'), { recursive: true });
    const ran = await run(['serve'], { cwd });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/\[Startup\] Phase 2 failed: /);
  });
});

describe('serve --http', () => {
  /** A server that listens; its address is on stderr. */
  async function listening(words: readonly string[]) {
    const child = start(['serve', '--http', '--port', '0', ...words], {
      cwd: workspaceWith({ greet: GREET }),
    });
    let told = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk;
    });
    const exit = once(child, 'exit');
    await expect.poll(() => told, { timeout: 15_000 }).toMatch(/listening on \S+\n/);
    const url = /listening on (\S+)/.exec(told)?.[1] ?? '';
    return { child, url, told: () => told, exit };
  }

  async function toolsAt(url: string): Promise<string[]> {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name).sort();
  }

  test('tells where it listens and how to connect, answers a client, and ends with 0 on SIGTERM', async () => {
    const { child, url, told, exit } = await listening([]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    await expect.poll(told).toContain(`connect a client: claude mcp add --transport http colibri ${url}\n`);
    expect(await toolsAt(url)).toContain('skill_get');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('offers exactly one tool under phase-0, and ends with 0 on SIGINT', async () => {
    const { child, url, told, exit } = await listening(['--surface', 'phase-0', '--quiet']);
    expect(told()).not.toContain('connect a client');
    expect(await toolsAt(url)).toEqual(['skill_list']);
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
  });

  test.each([
    [['serve', '--port', '1'], 2, /--port has no meaning without --http/],
    [['serve', '--http', '--port', 'x'], 3, /http\.port .*whole number/],
    [['serve', '--http', '--port', '0', '--host', '0.0.0.0'], 3, /bearer token/],
  ])('%j exits with %i', async (words, code, why) => {
    const ran = await run(words, { cwd: temporaryDirectory() });
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toMatch(why);
  });
});

describe('events --follow', () => {
  test('prints the events of another process as they come, and ends with 0 on SIGINT', async () => {
    const recorded = await recordedSession();
    const words = ['events', '--follow', '--limit', '0', '--format', 'frames', '--type', 'session.opened'];
    const child = start(words, recorded);
    const exit = once(child, 'exit');
    let told = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk;
    });
    // Nothing is said before the first event, so events are made until one is seen.
    const opened: string[] = [];
    await expect
      .poll(
        async () => {
          opened.push(await openAnother(recorded));
          return told;
        },
        { timeout: 15_000, interval: 500 },
      )
      .not.toBe('');
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
    const frames = told
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(frames.every(({ type }) => type === 'session_opened')).toBe(true);
    const seen = frames.map(({ session_id }) => session_id);
    expect(seen).toEqual(opened.slice(opened.indexOf(seen[0]), opened.indexOf(seen[0]) + seen.length));
  });
});

describe('db recover', () => {
  test('saves a damaged database, keeps the old file and says so', async () => {
    const cwd = workspaceWith({ greet: GREET });
    const file = path.join(cwd, 'data', 'colibri.db');
    mkdirSync(path.dirname(file));
    writeFileSync(file, 'this is no database, however long one looks at it'.repeat(200));
    expect(await run(['list'], { cwd })).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/DB_CORRUPT/),
    });
    const ran = await run(['db', 'recover', '--json'], { cwd });
    expect(ran.code).toBe(0);
    const report = JSON.parse(ran.stdout);
    expect(report).toMatchObject({ path: file, healthy: false, skills: 1 });
    expect(existsSync(report.movedTo)).toBe(true);
    expect((await run(['list'], { cwd })).stdout).toMatch(/^greet\t/);
  });

  test('leaves a healthy database alone unless forced', async () => {
    const cwd = workspaceWith({ greet: GREET });
    await run(['list'], { cwd });
    expect((await run(['db', 'recover'], { cwd })).code).toBe(3);
    const forced = await run(['db', 'recover', '--force'], { cwd });
    expect(forced.code).toBe(0);
    expect(forced.stdout).toMatch(/^audit_log\t\d+\t0$/m);
  });
});

function stderrOf(child: ChildProcess): Promise<string> {
  return child.stderr === null ? Promise.resolve('') : text(child.stderr);
}
