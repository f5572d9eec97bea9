/** The pipe itself: what goes over it, and how a connection ends. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { CLI, type RpcProcess, sendInitialize, spawnRpc } from '../../support/rpc-process.ts';
import { writeSkill, writeSkillFile } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { modernRequest } from './harness.ts';

const TOO_LONG_BYTES = 11 * 1024 * 1024;
const HELD_TOOL_SERVER = fileURLToPath(new URL('./held-tool-server.ts', import.meta.url));
/** Far less than calls under way are given to finish. */
const PROMPT_MS = 5_000;

/** One good and one bad skill, so that there is something to log. */
function serve(): RpcProcess {
  const workspace = temporaryDirectory();
  const root = path.join(workspace, '.agents', 'skills');
  writeSkill(root, 'good');
  writeSkillFile(root, 'bad', 'no frontmatter');
  return spawnRpc([CLI, 'serve'], { cwd: workspace });
}

const LIST_CALL = { method: 'tools/call', params: { name: 'skill_list', arguments: {} } };

/** Processes of the group that still run; one that has ended and waits to be collected by init does not count. */
function runningIn(group: number | undefined): string[] {
  const all = execFileSync('ps', ['-A', '-o', 'pgid=,stat=,comm='], { encoding: 'utf8' });
  return all.split('\n').filter((line) => new RegExp(`^ *${group} +[^Z ]`).test(line));
}

describe('standard output', () => {
  test('every line is JSON-RPC; the log goes to standard error', async () => {
    const server = serve();
    sendInitialize(server);
    server.send({ id: 1, method: 'tools/list' });
    server.send({ id: 2, ...LIST_CALL });
    server.send({ id: 3, method: 'tools/call', params: { name: 'skill_list', arguments: { search: 1 } } });
    server.send({ id: 4, method: 'tools/call', params: { name: 'nope' } });
    server.send({ id: 5, method: 'no/such/method' });
    await Promise.all([0, 1, 2, 3, 4, 5].map((id) => server.answer(id)));
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    const messages = server.stdout.map((line) => JSON.parse(line));
    expect(messages.map(({ jsonrpc }) => jsonrpc)).toEqual(messages.map(() => '2.0'));
    expect(messages.map(({ id }) => id).sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(server.stderr()).toContain('[colibri] skill skipped:');
  });
});

describe('standard input', () => {
  test('lines that are no JSON-RPC do not end the server', async () => {
    const server = serve();
    sendInitialize(server);
    await server.answer(0);
    for (const line of [
      'garbage',
      '{"half":',
      '[]',
      'null',
      '7',
      '{}',
      '',
      '{"jsonrpc":"1.0","id":9}',
      '\u0000',
    ]) {
      server.write(line);
    }
    server.send({ id: 1, ...LIST_CALL });
    expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { ok: true } } });
  });

  test('garbage before the opening exchange does not end the server either', async () => {
    const server = serve();
    server.write('GET / HTTP/1.1');
    sendInitialize(server);
    expect(await server.answer(0)).toMatchObject({ result: { serverInfo: { name: 'colibri' } } });
  });

  test('closing it ends the process with 0 and leaves no child', async () => {
    const server = serve();
    sendInitialize(server);
    await server.answer(0);
    expect(runningIn(server.child.pid)).toHaveLength(1);
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(runningIn(server.child.pid)).toEqual([]);
  });

  test('closing it before a word was said ends the process with 0 too', async () => {
    const server = serve();
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
  });

  test('a message beyond all measure ends the process instead of leaving a deaf one', async () => {
    const server = serve();
    sendInitialize(server);
    await server.answer(0);
    server.child.stdin.write('x'.repeat(TOO_LONG_BYTES));
    expect(await server.ended).toBe(0);
    expect(server.stderr()).toContain('[colibri] mcp: ReadBuffer exceeded maximum size');
  });
});

describe('ending', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends the process with 0 after a clean close',
    async (signal) => {
      const server = serve();
      sendInitialize(server);
      server.send({ id: 1, ...LIST_CALL });
      await server.answer(1);
      server.child.kill(signal);
      expect(await server.ended).toBe(0);
    },
  );

  test('a client that stops reading does not leave the server behind', async () => {
    const server = serve();
    sendInitialize(server);
    await server.answer(0);
    server.child.stdout.destroy();
    server.send({ id: 1, ...LIST_CALL });
    const began = performance.now();
    expect(await server.ended).toBe(0);
    expect(performance.now() - began).toBeLessThan(PROMPT_MS);
  });
});

/** A server with a tool `held` that says `entered`, then runs for the milliseconds it is given or until cancelled. */
function serveHeldTool(): RpcProcess & { said(text: string): Promise<void> } {
  const workspace = temporaryDirectory();
  const server = spawnRpc(['--import', import.meta.resolve('tsx'), HELD_TOOL_SERVER, workspace], {
    cwd: workspace,
  });
  const said = (text: string) => expect.poll(() => server.stderr(), { timeout: 10_000 }).toContain(text);
  return { ...server, said };
}

const heldCall = (ms: number) => ({ name: 'held', arguments: { ms } });

describe('calls under way', () => {
  test('are answered when the input ends right after them, as in printf … | colibri serve', async () => {
    const server = serve();
    sendInitialize(server);
    server.send({ id: 1, ...LIST_CALL });
    server.send({ id: 2, method: 'skills/list' });
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    // A tool's answer waits for its record, so a reading that leaves none may overtake it.
    const answers = server.stdout.map((line): { id: number } => JSON.parse(line));
    expect(answers.sort((a, b) => a.id - b.id)).toEqual([
      expect.objectContaining({ id: 0 }),
      expect.objectContaining({
        id: 1,
        result: expect.objectContaining({ structuredContent: expect.anything() }),
      }),
      expect.objectContaining({ id: 2, result: { skills: [expect.anything()] } }),
    ]);
  });

  test('are answered when the input is a file, which ends but never closes', async () => {
    const workspace = temporaryDirectory();
    const file = path.join(workspace, 'input');
    writeFileSync(
      file,
      `${JSON.stringify({ jsonrpc: '2.0', ...modernRequest(1, 'tools/call', LIST_CALL.params) })}\n`,
    );
    const output = execFileSync(
      'sh',
      ['-c', '"$1" "$2" serve <"$3" 2>&1', 'sh', process.execPath, CLI, file],
      {
        cwd: workspace,
        env: { HOME: workspace },
        encoding: 'utf8',
        timeout: 20_000,
      },
    );
    expect(output).toContain('"structuredContent":{"ok":true');
  });

  test('are answered in the 2026-07-28 protocol too, without any opening exchange', async () => {
    const server = serve();
    server.send(modernRequest(1, 'tools/call', LIST_CALL.params));
    server.child.stdin.end();
    expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { ok: true } } });
    expect(await server.ended).toBe(0);
  });

  test.each([
    ['the input ends', (server: RpcProcess) => void server.child.stdin.end()],
    ['SIGTERM comes', (server: RpcProcess) => void server.child.kill('SIGTERM')],
  ])('are finished when %s', async (_what, end) => {
    const server = serveHeldTool();
    await server.said('ready');
    sendInitialize(server);
    server.send({ id: 1, method: 'tools/call', params: heldCall(500) });
    await server.said('entered');
    end(server);
    expect(await server.answer(1)).toMatchObject({
      result: { structuredContent: { ok: true, data: 'done' } },
    });
    expect(await server.ended).toBe(0);
  });

  test('that are cancelled stop, get no answer, and hold nothing up', async () => {
    const server = serveHeldTool();
    await server.said('ready');
    sendInitialize(server);
    server.send({ id: 1, method: 'tools/call', params: heldCall(60_000) });
    await server.said('entered');
    server.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await server.said('gave up');
    const began = performance.now();
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(performance.now() - began).toBeLessThan(PROMPT_MS);
    expect(server.stdout.map((line) => JSON.parse(line).id)).toEqual([0]);
  });
});

describe('a subscription', () => {
  async function subscribed(): Promise<RpcProcess> {
    const server = serve();
    server.send(modernRequest(7, 'subscriptions/listen', { notifications: { resourcesListChanged: true } }));
    await expect
      .poll(() => server.stdout.join(), { timeout: 10_000 })
      .toContain('subscriptions/acknowledged');
    return server;
  }

  test('does not keep the process when the input ends', async () => {
    const server = await subscribed();
    const began = performance.now();
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(performance.now() - began).toBeLessThan(PROMPT_MS);
  });

  test('is answered as ended when SIGTERM comes', async () => {
    const server = await subscribed();
    server.child.kill('SIGTERM');
    expect(await server.answer(7)).toMatchObject({ result: { resultType: 'complete' } });
    expect(await server.ended).toBe(0);
  });
});
