/** Starts a script without a sandbox: with limits and a bare environment, but with all the rights of our user. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

import { findProgram } from './host.ts';
import { type RunLimits, resourceLimits } from './limits.ts';
import {
  descendantsOf,
  findProcess,
  isRunning,
  killProcess,
  listProcesses,
  type ProcessRow,
  processesMarked,
  sendKill,
} from './processes.ts';
import { RUN_MARK } from './scratch.ts';
import { spawnClean } from './spawn-clean.ts';
import { openStandardStreams, type StandardStreams } from './standard-streams.ts';
import { captureOutput, type Exit, exitOf, type RunOutput, type StartedRun } from './supervise.ts';
import { measureWork } from './work-files.ts';

export interface PlainOptions {
  /** The mark by which the run's processes are found, wherever they went. */
  readonly id: string;
  readonly command: readonly string[];
  readonly work: string;
  /** A folder of ours. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: RunLimits;
  readonly stdin: Uint8Array | undefined;
}

const SETTLE_ROUNDS_MAX = 200;
const SETTLE_MS = 10;

export async function startPlain(options: PlainOptions): Promise<StartedRun> {
  const { limits, work } = options;
  const streams = await openStandardStreams({ folder: options.folder, owner: null, stdin: options.stdin });
  const output = captureOutput(streams, limits.outputBytesMax);
  const child = spawnScript(options, streams);
  const exited = exitOf(child);
  // Without a number every process of the machine would look like family.
  if (child.pid === undefined) return abandoned(output, exited);
  const family = trackFamily(child.pid, options.id);
  const kill = (): void => killFamily(child.pid ?? 0, family());
  return {
    output,
    exited,
    processes: family,
    workBytes: () => measureWork(work, limits.workBytesMax),
    kill,
    async settle() {
      kill();
      for (let round = 0; round < SETTLE_ROUNDS_MAX && family().length > 0; round++) {
        await delay(SETTLE_MS);
        kill();
      }
    },
  };
}

function spawnScript(options: PlainOptions, { given, closeGiven }: StandardStreams): ChildProcess {
  const [program = '', ...args] = limited(options.command, options.limits);
  try {
    return spawnClean(program, args, {
      cwd: options.work,
      env: { ...options.environment, [RUN_MARK]: options.id },
      detached: true,
      stdio: given,
    });
  } finally {
    closeGiven();
  }
}

/** Nothing was started; the promise of the exit knows why. */
async function abandoned(output: RunOutput, exited: Promise<Exit>): Promise<never> {
  for (const stream of output.streams) stream.destroy();
  const { code } = await exited;
  throw new Error(`a process without a number ended with ${code}`);
}

/** The group at once if it is still there, or if there is no /proc to look; then whoever left it. */
function killFamily(first: number, alive: readonly ProcessRow[]): void {
  if (alive.some(({ group }) => group === first) || findProcess(process.pid) === null) sendKill(-first);
  alive.forEach(killProcess);
}

/**
 * Finds the run's processes by three marks, since a process can shed each: its place below the first one (lost when a
 * parent ends), its process group (left by setsid), the variable in its environment (dropped by `env -i`). Whoever was
 * seen once is remembered.
 */
function trackFamily(first: number, id: string): () => readonly ProcessRow[] {
  const known = new Map<string, ProcessRow>();
  const { startTime } = findProcess(first) ?? {};
  return () => {
    const rows = listProcesses();
    // Once the whole group is gone its number may be given to a stranger.
    const isStranger = rows.some((row) => row.pid === first && row.startTime !== startTime);
    const group = isStranger ? [] : rows.filter((row) => row.group === first && !row.ended);
    const elders = new Set([...group, ...[...known.values()].filter(isRunning)].map(({ pid }) => pid));
    const found = [
      ...group,
      ...[...elders].flatMap((pid) => descendantsOf(pid, rows)),
      ...processesMarked(`${RUN_MARK}=${id}`),
    ];
    for (const row of found) known.set(`${row.pid} ${row.startTime}`, row);
    for (const [key, row] of known) if (!isRunning(row)) known.delete(key);
    return [...known.values()];
  };
}

function limited(command: readonly string[], limits: RunLimits): readonly string[] {
  const prlimit = findProgram('prlimit');
  return prlimit === null ? command : [prlimit, ...resourceLimits(limits, 'user'), '--', ...command];
}
