/** How much a run may use, and what a caller may hand to it. */
import { ColibriError } from '../../../lib/errors.ts';

export interface RunLimits {
  /** Wall time; then everything is killed. */
  readonly timeMs: number;
  /** Bytes of each of stdout and stderr that are kept: the beginning and the end. */
  readonly outputBytesMax: number;
  /** Bytes of stdout and stderr together after which the run is ended. */
  readonly floodBytesMax: number;
  /** Memory of one process, and of all processes of the run together. */
  readonly memoryBytesMax: number;
  /** Processes and threads at the same time. */
  readonly processesMax: number;
  /** Size of the working folder, and of any single file. */
  readonly workBytesMax: number;
  readonly openFilesMax: number;
  /** Files that are taken out of the working folder afterwards, and their bytes together. */
  readonly resultFilesMax: number;
  readonly resultBytesMax: number;
}

const KIB = 1_024;
const MIB = 1_024 * KIB;

interface Range {
  readonly least: number;
  readonly fallback: number;
  readonly most: number;
}

export const LIMIT_RANGES: Readonly<Record<keyof RunLimits, Range>> = {
  timeMs: { least: 1, fallback: 60_000, most: 3_600_000 },
  outputBytesMax: { least: KIB, fallback: 64 * KIB, most: 16 * MIB },
  floodBytesMax: { least: KIB, fallback: 16 * MIB, most: 1_024 * MIB },
  // Below this no interpreter of the table starts.
  memoryBytesMax: { least: 64 * MIB, fallback: 512 * MIB, most: 64 * KIB * MIB },
  // Threads count as well, and Node starts with a dozen.
  processesMax: { least: 16, fallback: 128, most: 4_096 },
  workBytesMax: { least: 4 * KIB, fallback: 64 * MIB, most: 4 * KIB * MIB },
  openFilesMax: { least: 32, fallback: 256, most: 65_536 },
  resultFilesMax: { least: 0, fallback: 100, most: 10_000 },
  resultBytesMax: { least: 0, fallback: 8 * MIB, most: 256 * MIB },
};

const ARGUMENTS_MAX = 256;
/** The kernel refuses a longer one anyway, but with a message nobody understands. */
const ARGUMENT_BYTES_MAX = 64 * KIB;
const ARGUMENTS_BYTES_MAX = 512 * KIB;
const STDIN_BYTES_MAX = 16 * MIB;
export const SCRIPT_BYTES_MAX: number = 8 * MIB;

/** The given limits, with defaults for the rest. */
export function resolveLimits(given: Partial<RunLimits>): RunLimits {
  const limit = (name: keyof RunLimits): number => {
    const { least, fallback, most } = LIMIT_RANGES[name];
    const value = given[name] ?? fallback;
    if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
    throw new ColibriError('RUN_LIMIT', `${name} is ${value}; use a whole number from ${least} to ${most}`, {
      limit: name,
      value,
    });
  };
  return {
    timeMs: limit('timeMs'),
    outputBytesMax: limit('outputBytesMax'),
    floodBytesMax: limit('floodBytesMax'),
    memoryBytesMax: limit('memoryBytesMax'),
    processesMax: limit('processesMax'),
    workBytesMax: limit('workBytesMax'),
    openFilesMax: limit('openFilesMax'),
    resultFilesMax: limit('resultFilesMax'),
    resultBytesMax: limit('resultBytesMax'),
  };
}

/** Refuses what a process cannot be given, before anything starts. */
export function checkInput(args: readonly string[], stdin: Uint8Array | undefined): void {
  if (args.length > ARGUMENTS_MAX) throw tooMuch('arguments', args.length, ARGUMENTS_MAX);
  let total = 0;
  for (const [index, argument] of args.entries()) {
    if (argument.includes('\0')) {
      const message = `argument ${index + 1} holds a NUL character; remove it`;
      throw new ColibriError('RUN_LIMIT', message, { argument: index });
    }
    const bytes = Buffer.byteLength(argument);
    if (bytes > ARGUMENT_BYTES_MAX)
      throw tooMuch(`bytes in argument ${index + 1}`, bytes, ARGUMENT_BYTES_MAX);
    total += bytes;
  }
  if (total > ARGUMENTS_BYTES_MAX) throw tooMuch('bytes in all arguments', total, ARGUMENTS_BYTES_MAX);
  const input = stdin?.byteLength ?? 0;
  if (input > STDIN_BYTES_MAX) throw tooMuch('bytes on stdin', input, STDIN_BYTES_MAX);
}

/** Arguments of `prlimit`. A count of processes holds only inside a user namespace; elsewhere it counts the whole user. */
export function resourceLimits(limits: RunLimits, scope: 'namespace' | 'user'): readonly string[] {
  const cpuSeconds = Math.ceil(limits.timeMs / 1_000) + 1;
  return [
    `--nofile=${limits.openFilesMax}`,
    `--fsize=${limits.workBytesMax}`,
    `--cpu=${cpuSeconds}`,
    '--core=0',
    // Private writable memory, rather than address space: Node reserves far more addresses than it uses.
    `--data=${limits.memoryBytesMax}`,
    ...(scope === 'namespace' ? [`--nproc=${limits.processesMax}`] : []),
  ];
}

function tooMuch(what: string, found: number, most: number): ColibriError {
  const message = `${found} ${what}; at most ${most} are allowed, hand large input over as stdin`;
  return new ColibriError('RUN_LIMIT', message, { found, most });
}
