/** A server in a process of its own, spoken to line by line, with nothing between the test and the pipe. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

/** What a user starts: the launcher of the bundle. */
export const CLI: string = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url));

export interface RpcProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every line of standard output so far. */
  readonly stdout: string[];
  /** All of standard error so far. */
  stderr(): string;
  /** Writes one line. */
  write(line: string): void;
  /** Writes a request or notification. */
  send(message: Readonly<Record<string, unknown>>): void;
  /** The answer to the request of that id; fails when the process ends before it comes. */
  answer(id: number): Promise<Record<string, unknown>>;
  /** The exit code, once the process has ended and its output has been read. */
  readonly ended: Promise<number | null>;
}

export function spawnRpc(args: readonly string[], options: { readonly cwd: string }): RpcProcess {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: { PATH: process.env['PATH'], HOME: options.cwd },
    stdio: 'pipe',
    // Its own process group, so that a test can see whether anything of it is left.
    detached: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const stdout: string[] = [];
  const errors: string[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    stdout.push(line);
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  // A server that has gone answers a late write with EPIPE; what matters then is its exit code.
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code]) => code as number | null);

  const answer = (id: number) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const look = () => {
        const found = stdout.map(parseLine).find((message) => message?.['id'] === id);
        if (found === undefined || found === null) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      ended.then((code) => {
        look();
        reject(new Error(`the server ended with ${code} before it answered ${id}: ${errors.join('')}`));
      }, reject);
    });

  const write = (line: string) => void child.stdin.write(`${line}\n`);
  return {
    child,
    stdout,
    stderr: () => errors.join(''),
    write,
    send: (message) => write(JSON.stringify({ jsonrpc: '2.0', ...message })),
    answer,
    ended,
  };
}

function parseLine(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line);
  } catch {
    // Whoever asks for an answer skips this line; the test that lines are JSON looks at them itself.
    return null;
  }
}

/** The opening exchange of the 2025 protocol; the request has id 0. */
export function sendInitialize(server: RpcProcess): void {
  server.send({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  server.send({ method: 'notifications/initialized' });
}
