/** The pipe itself: what goes over it, and how a connection ends. */
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { CLI, type RpcProcess, sendInitialize, spawnRpc } from '../../support/rpc-process.ts';
import { writeSkill, writeSkillFile } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const TOO_LONG_BYTES = 11 * 1024 * 1024;

/** One good and one bad skill, so that there is something to log. */
function serve(): RpcProcess {
  const workspace = temporaryDirectory();
  const root = path.join(workspace, '.agents', 'skills');
  writeSkill(root, 'good');
  writeSkillFile(root, 'bad', 'no frontmatter');
  return spawnRpc([CLI, 'serve'], { cwd: workspace });
}

const LIST_CALL = { method: 'tools/call', params: { name: 'skill_list', arguments: {} } };

function isGroupAlive(pid: number | undefined): boolean {
  try {
    process.kill(-(pid ?? 0), 0);
    return true;
  } catch {
    return false;
  }
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
    expect(server.stderr()).toContain('[colibri] skills loaded: 1, skipped: 1, pruned: 0');
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
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(isGroupAlive(server.child.pid)).toBe(false);
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
    expect(await server.ended).toBe(0);
  });
});
