/** Starts a command in bubblewrap and takes hold of its world before the command's first instruction. */
import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { ColibriError, messageOf } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type Bubblewrap, type Program, readSystemLayout } from './host.ts';
import { type RunLimits, resourceLimits } from './limits.ts';
import {
  descendantsOf,
  findProcess,
  isRunning,
  killProcess,
  listProcesses,
  type ProcessIdentity,
  sendKill,
} from './processes.ts';
import { gatedCommand, sandboxOptions, WORK_PLACE } from './sandbox.ts';
import { isRoot, SANDBOX_USER } from './scratch.ts';
import { spawnClean } from './spawn-clean.ts';
import { openStandardStreams, type StandardStreams } from './standard-streams.ts';
import { captureOutput, drain, type Exit, exitOf, type RunOutput, type StartedRun } from './supervise.ts';
import { systemCallFilter } from './system-calls.ts';

export interface SandboxedOptions {
  readonly bubblewrap: Bubblewrap;
  readonly interpreter: Program;
  /** As seen from inside. */
  readonly command: readonly string[];
  /** The folder on the host that becomes /skill. */
  readonly skill: string;
  /** A folder of ours. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly network: boolean;
  readonly limits: RunLimits;
  readonly stdin: Uint8Array | undefined;
}

export interface SandboxedRun extends StartedRun {
  /** The working folder as a path of ours; it lives in memory and ends with `release`. */
  readonly work: string;
  release(): void;
}

const ARGS_FD = 3;
const INFO_FD = 4;
const FILTER_FD = 5;
const GATE_FD = 6;

const START_MS = 10_000;
const SETTLE_MS = 5_000;
const SETTLE_STEP_MS = 5;

export async function startSandboxed(options: SandboxedOptions): Promise<SandboxedRun> {
  const streams = await openStandardStreams({
    folder: options.folder,
    owner: isRoot() ? SANDBOX_USER : null,
    stdin: options.stdin,
  });
  const output = captureOutput(streams, options.limits.outputBytesMax);
  let child: ChildProcess | null = null;
  try {
    child = spawnBubblewrap(options, streams);
    const exited = exitOf(child);
    const first = await gateReached(child, { exited, output });
    const workFd = openSync(
      `/proc/${first.pid}/root${WORK_PLACE}`,
      constants.O_RDONLY | constants.O_DIRECTORY,
    );
    pipeOf(child, GATE_FD).end('go\n');
    return {
      output,
      exited,
      work: `/proc/self/fd/${workFd}`,
      release: () => closeSync(workFd),
      processes: () => descendantsOf(first.pid, listProcesses()),
      // The file system in memory has its own limit.
      workBytes: () => 0,
      // The kernel ends everything in the namespace together with its first process.
      kill: () => killProcess(first),
      settle: () => settle(first),
    };
  } catch (error) {
    if (child?.pid !== undefined) sendKill(child.pid);
    for (const stream of output.streams) stream.destroy();
    if (error instanceof ColibriError) throw error;
    throw failedStart(messageOf(error));
  }
}

function spawnBubblewrap(options: SandboxedOptions, { given, closeGiven }: StandardStreams): ChildProcess {
  const { limits, bubblewrap } = options;
  const filter = systemCallFilter(process.arch, options);
  const gated = gatedCommand(options.command, {
    gateFd: GATE_FD,
    limits: resourceLimits(limits, 'namespace'),
  });
  let child: ChildProcess;
  try {
    child = spawnClean(bubblewrap.path, ['--args', String(ARGS_FD), '--', ...gated], {
      cwd: '/',
      // Inside, everybody can read the environment of the first process.
      env: {},
      detached: true,
      stdio: [
        ...given,
        // Options, answer, filter, gate.
        ...(['pipe', 'pipe', 'pipe', 'pipe'] as const),
      ],
      // As root a script would be exempt from limits that count per user.
      ...(isRoot() ? { uid: SANDBOX_USER, gid: SANDBOX_USER } : {}),
    });
  } finally {
    closeGiven();
  }
  // Bubblewrap that ends early closes its pipes; its exit and its message say why.
  for (const fd of [ARGS_FD, INFO_FD, FILTER_FD, GATE_FD]) pipeOf(child, fd).on('error', () => undefined);
  pipeOf(child, ARGS_FD).end(`${optionsFor(options, filter !== null).join('\0')}\0`);
  pipeOf(child, FILTER_FD).end(filter ?? '');
  return child;
}

function optionsFor(options: SandboxedOptions, hasFilter: boolean): readonly string[] {
  const { path: from, inside: to } = options.interpreter;
  return sandboxOptions({
    layout: readSystemLayout(),
    skill: options.skill,
    network: options.network,
    limits: options.limits,
    environment: options.environment,
    program: from === to ? null : { from, to },
    disableUserNamespaces: options.bubblewrap.disableUserNamespaces,
    infoFd: INFO_FD,
    filterFd: hasFilter ? FILTER_FD : null,
  });
}

/** Waits until the sandbox stands; its first process then holds the whole world of the script. */
async function gateReached(
  child: ChildProcess,
  { exited, output }: { readonly exited: Promise<Exit>; readonly output: RunOutput },
): Promise<ProcessIdentity> {
  const info = firstProcessOf(child);
  const enough = new AbortController();
  try {
    const reached = await Promise.race([
      new Promise<'ready'>((resolve) => pipeOf(child, GATE_FD).once('data', () => resolve('ready'))),
      exited,
      delay(START_MS, 'late' as const, { signal: enough.signal }),
    ]);
    if (reached === 'late') throw failedStart(`it was not ready after ${START_MS} ms`);
    if (reached !== 'ready') {
      await drain(output.streams);
      throw failedStart(complaintOf(output) || `bubblewrap ended with ${reached.code}`);
    }
  } finally {
    enough.abort();
  }
  // Written before the sandbox was set up, so it has arrived or is about to.
  const first = findProcess(await info);
  if (first === null) throw failedStart('its first process is gone');
  return first;
}

/** The number of the namespace's first process as we see it; bubblewrap tells it in a JSON object. */
function firstProcessOf(child: ChildProcess): Promise<number> {
  let text = '';
  return new Promise((resolve) => {
    pipeOf(child, INFO_FD).on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const number = /"child-pid":\s*(\d+)\s*[,}]/.exec(text)?.[1];
      if (number !== undefined) resolve(Number(number));
    });
  });
}

/** A namespace is empty once its first process is; the kernel sees to that order. */
async function settle(first: ProcessIdentity): Promise<void> {
  killProcess(first);
  for (let waited = 0; isRunning(first); waited += SETTLE_STEP_MS) {
    if (waited > SETTLE_MS) throw new Error(`process ${first.pid} of a sandbox cannot be killed`);
    await delay(SETTLE_STEP_MS);
  }
}

function complaintOf(output: RunOutput): string {
  return printable(output.stderr.result().bytes.toString('utf8').trim());
}

function failedStart(reason: string): ColibriError {
  return new ColibriError('SANDBOX_MISSING', `the sandbox could not be set up: ${reason}`, { reason });
}

/** Node types the extra descriptors as streams that read or write; as pipes they do both. */
function pipeOf(child: ChildProcess, fd: number): Duplex {
  return child.stdio[fd as 3] as Duplex;
}
