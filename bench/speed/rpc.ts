/** An MCP server in a process of its own, spoken to line by line. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { cleanEnvironment } from './measure.ts';

export interface RpcServer {
  /** From the start of the process to its first answer. */
  readonly readyMs: number;
  request(method: string, params: object): Promise<Record<string, unknown>>;
  /** Resident memory of the process now. */
  readonly pid: number;
  end(): Promise<void>;
}

export const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};

export async function startRpc(
  command: readonly string[],
  { cwd, home }: { readonly cwd: string; readonly home: string },
): Promise<RpcServer> {
  const began = performance.now();
  const child = spawn(process.execPath, command, {
    cwd,
    env: cleanEnvironment(home),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<number, (message: Record<string, unknown>) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { readonly id?: number };
    if (message.id !== undefined) waiting.get(message.id)?.({ ...message });
  });
  let last = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request: RpcServer['request'] = (method, params) => {
    const id = ++last;
    send({ id, method, params });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  await request('initialize', INITIALIZE);
  const readyMs = performance.now() - began;
  send({ method: 'notifications/initialized' });
  return {
    readyMs,
    request,
    pid: child.pid ?? 0,
    async end() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
