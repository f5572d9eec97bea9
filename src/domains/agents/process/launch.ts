/** Starts the command of a profile as the leader of a process group of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type Capture, createCapture } from '../../sessions/run/capture.ts';
import { spawnClean } from '../../sessions/run/spawn-clean.ts';
import { RunFailure } from '../failure.ts';

const STDERR_BYTES_MAX = 64 * 1_024;
/** Of the log, in a message for people. */
const TAIL_CHARS = 1_000;
/** What was written just before the end may still be in the pipe. */
const DRAIN_MS = 250;

export interface Launched {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** How it ended, for people. */
  readonly exited: Promise<string>;
}

export async function launch(
  command: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Launched> {
  const [program = '', ...args] = command;
  const child = spawnClean(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  exit.catch(() => undefined);
  try {
    await once(child, 'spawn');
  } catch (error) {
    const why = systemCodeOf(error) === 'ENOENT' ? 'there is no such program' : messageOf(error);
    throw new RunFailure('SPAWN_ERROR', `${JSON.stringify(program)} cannot be started: ${why}`);
  }
  const { pid, stdin, stdout, stderr } = streamsOf(child);
  const log = createCapture(STDERR_BYTES_MAX);
  stderr.on('data', log.push);
  // A dead reader is noticed by its end; the broken pipe adds nothing.
  stdin.on('error', () => undefined);
  return { pid, stdin, stdout, exited: exit.then((end) => describeEnd(end, { stdout, log })) };
}

async function describeEnd(
  [code, signal]: [number | null, NodeJS.Signals | null],
  { stdout, log }: { readonly stdout: Readable; readonly log: Capture },
): Promise<string> {
  const enough = new AbortController();
  const drained = stdout.readableEnded ? Promise.resolve() : once(stdout, 'close', { signal: enough.signal });
  await Promise.race([drained, delay(DRAIN_MS, null, { signal: enough.signal })]).catch(() => undefined);
  enough.abort();
  // Both lost promises end with the abort.
  await drained.catch(() => undefined);
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  const tail = printable(log.result().bytes.toString('utf8').trim().slice(-TAIL_CHARS));
  return tail === '' ? how : `${how}; it had written: ${tail}`;
}

function streamsOf(child: ChildProcess): {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
} {
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || stdin === null || stdout === null || stderr === null) {
    throw new Error('a child that was started with pipes has none');
  }
  return { pid, stdin, stdout, stderr };
}
