/** Runs programs and says what they took: processor time first, because the machine may have other work. */
import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const REPOSITORY: string = fileURLToPath(new URL('../..', import.meta.url));
export const COLIBRI: string = path.join(REPOSITORY, 'dist/bin.cjs');
const PROBE = path.join(REPOSITORY, 'bench/speed/probe.mjs');
const PEAK = path.join(REPOSITORY, 'bench/speed/peak.cjs');
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** Certificates from a file cost every start of Node 20 as much as all the rest. */
export function cleanEnvironment(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home };
}

export interface ProbeResult {
  readonly [measured: string]: number;
}

export async function probe(work: string, options: object): Promise<ProbeResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROBE, work, JSON.stringify(options)], {
    cwd: REPOSITORY,
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return JSON.parse(stdout) as ProbeResult;
}

/** The smallest of several runs, value by value: what others do to the machine only ever adds. */
export async function best(runs: number, run: () => Promise<ProbeResult>): Promise<ProbeResult> {
  const [lowest = {}] = await bestInTurns(runs, [run]);
  return lowest;
}

/** The same of several works, in turns, so that a busy moment of the machine hits all alike. */
export async function bestInTurns(
  runs: number,
  works: readonly (() => Promise<ProbeResult>)[],
): Promise<readonly ProbeResult[]> {
  const lowest: Record<string, number>[] = works.map(() => ({}));
  for (let count = 0; count < runs; count++) {
    for (const [index, work] of works.entries()) {
      const known = lowest[index] ?? {};
      for (const [key, value] of Object.entries(await work()))
        known[key] = Math.min(known[key] ?? value, value);
    }
  }
  return lowest;
}

/** What a program of Node's needed at its largest. */
export async function peakOf(
  words: readonly string[],
  { cwd, home }: { readonly cwd: string; readonly home: string },
): Promise<ProbeResult> {
  const { stderr } = await promisify(execFile)(process.execPath, ['--require', PEAK, ...words], {
    cwd,
    env: cleanEnvironment(home),
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as ProbeResult;
}

/** Processor milliseconds of a whole process, and its wall clock. */
export function timeProcess(
  command: readonly string[],
  { cwd, home }: { readonly cwd: string; readonly home: string },
): ProbeResult {
  const script = 'TIMEFORMAT="%U %S %R"; { time "$@" >/dev/null 2>/dev/null </dev/null; } 2>&1';
  const text = execFileSync('bash', ['-c', script, 'bash', ...command], {
    cwd,
    env: cleanEnvironment(home),
    encoding: 'utf8',
  });
  const [user = 0, system = 0, wall = 0] = text.trim().split(' ').map(Number);
  return { cpuMs: (user + system) * 1000, wallMs: wall * 1000 };
}
