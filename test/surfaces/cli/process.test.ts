/** The real entry in real processes: what only shows with true pipes, signals and exit codes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { temporaryDirectory } from '../../support/temporary.ts';
import { skillText, workspaceWith, writeSkill } from './harness.ts';

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
  // Far more than a pipe holds, and findings that would otherwise exit with 1.
  const wrong = skillText({ name: 'wrong', description: 'x'.repeat(900) });
  for (let index = 0; index < 600; index++) writeSkill(path.join(cwd, `skill-${index}`), wrong);
  const child = start(['validate', '.', '--json'], { cwd });
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
    expect(await stderr).toContain('[colibri] skills loaded: 1');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly with 0 on %s', async (signal) => {
    const { child, exit } = await served();
    child.kill(signal);
    expect(await exit).toEqual([0, null]);
  });

  test('a failed start exits with 1 and says why', async () => {
    const cwd = temporaryDirectory();
    mkdirSync(path.join(cwd, 'data', 'colibri.db'), { recursive: true });
    const ran = await run(['serve'], { cwd });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/\[Startup\] Phase 2 failed: /);
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
