/** Watches a started run until nothing of it is left: time, output, memory, number of processes. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { Clock } from '../../../lib/clock.ts';
import { type Capture, type Captured, createCapture } from './capture.ts';
import type { RunLimits } from './limits.ts';
import { memoryOf, type ProcessRow } from './processes.ts';

/** Why we ended a run ourselves. */
export type StopReason = 'time' | 'output' | 'memory' | 'processes' | 'disk' | 'aborted';

/** A run that has begun, sandboxed or not. */
export interface StartedRun {
  readonly output: RunOutput;
  /** Settles when the first process has ended. */
  readonly exited: Promise<Exit>;
  /** All processes of the run that are alive. */
  processes(): readonly ProcessRow[];
  /** Bytes in the working folder, where nothing else limits them. */
  workBytes(): number;
  /** Kills the whole run, not only its first process. */
  kill(): void;
  /** Comes back when no process of the run is left. */
  settle(): Promise<void>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Both streams, and what was kept of them so far. */
export interface RunOutput {
  readonly stdout: Capture;
  readonly stderr: Capture;
  readonly streams: readonly Readable[];
}

export interface EndedRun extends Exit {
  readonly stopped: StopReason | null;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
}

const WATCH_MS = 100;
/** After the last process is dead its pipes are empty at once, unless somebody else holds them open. */
const DRAIN_MS = 1_000;

export async function supervise(
  run: StartedRun,
  options: { readonly limits: RunLimits; readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<EndedRun> {
  const { limits, clock, signal } = options;
  const startedAt = clock.monotonic();
  let stopped: StopReason | null = null;
  const stop = (reason: StopReason): void => {
    stopped ??= reason;
    run.kill();
  };
  const onAbort = (): void => stop('aborted');
  const onOutput = (): void => {
    if (run.output.stdout.total() + run.output.stderr.total() > limits.floodBytesMax) stop('output');
  };
  const deadline = setTimeout(() => stop('time'), limits.timeMs);
  const watch = setInterval(() => {
    const exceeded = whatIsExceeded(run, limits);
    if (exceeded !== null) stop(exceeded);
  }, WATCH_MS);
  for (const stream of run.output.streams) stream.on('data', onOutput);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    const { code, signal: death } = await run.exited;
    const durationMs = Math.round(clock.monotonic() - startedAt);
    await run.settle();
    await drain(run.output.streams);
    return { code, signal: death, stopped, durationMs, ...resultsOf(run.output) };
  } finally {
    clearTimeout(deadline);
    clearInterval(watch);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Takes in both streams from the first byte on. */
export function captureOutput(
  { stdout, stderr }: { readonly stdout: Readable; readonly stderr: Readable },
  bytesMax: number,
): RunOutput {
  const output = {
    stdout: createCapture(bytesMax),
    stderr: createCapture(bytesMax),
    streams: [stdout, stderr],
  };
  stdout.on('data', output.stdout.push);
  stderr.on('data', output.stderr.push);
  return output;
}

export async function exitOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}

function whatIsExceeded(run: StartedRun, limits: RunLimits): StopReason | null {
  const processes = run.processes();
  if (processes.length > limits.processesMax + SPARE_PROCESSES) return 'processes';
  if (memoryOf(processes, limits.memoryBytesMax) > limits.memoryBytesMax) return 'memory';
  return run.workBytes() > limits.workBytesMax ? 'disk' : null;
}

/** The sandbox's own first process and the one that starts the script. */
const SPARE_PROCESSES = 2;

/** Waits for the rest of what was printed, but not for ever. */
export async function drain(streams: readonly Readable[]): Promise<void> {
  const ended = streams.map((stream) => (stream.readableEnded ? null : once(stream, 'end')));
  const enough = new AbortController();
  await Promise.race([Promise.allSettled(ended), delay(DRAIN_MS, null, { signal: enough.signal })]);
  enough.abort();
  for (const stream of streams) stream.destroy();
}

function resultsOf({ stdout, stderr }: RunOutput): Pick<EndedRun, 'stdout' | 'stderr'> {
  return { stdout: stdout.result(), stderr: stderr.result() };
}
