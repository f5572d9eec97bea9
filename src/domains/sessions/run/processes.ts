/** The machine's processes, as /proc shows them. Without /proc there are none to see. */
import { readdirSync, readFileSync } from 'node:fs';

import { systemCodeOf } from '../../../lib/errors.ts';

/** A number alone may have been given to another process meanwhile; with its start time it is unique. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

export interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  readonly group: number;
  /** Dead, and only waiting for its parent to notice. */
  readonly ended: boolean;
}

export function findProcess(pid: number): ProcessRow | null {
  const text = readIfThere(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name stands in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent = '', group = ''] = fields;
  return {
    pid,
    startTime: fields[19] ?? '',
    parent: Number(parent),
    group: Number(group),
    ended: state === 'Z' || state === 'X',
  };
}

export function listProcesses(): readonly ProcessRow[] {
  return processNumbers()
    .map(findProcess)
    .filter((row) => row !== null);
}

export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  const found = findProcess(pid);
  return found !== null && !found.ended && found.startTime === startTime;
}

/** A process and everything below it. */
export function descendantsOf(pid: number, rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const family = new Set([pid]);
  // Children can stand before their parents in the list, so look again until nothing is added.
  for (let before = 0; before !== family.size; ) {
    before = family.size;
    for (const row of rows) if (family.has(row.parent)) family.add(row.pid);
  }
  return rows.filter((row) => family.has(row.pid) && !row.ended);
}

/** Processes that were started with this entry (`NAME=value`) in their environment. */
export function processesMarked(entry: string): readonly ProcessRow[] {
  return processNumbers()
    .filter((pid) => `\0${readIfThere(`/proc/${pid}/environ`) ?? ''}`.includes(`\0${entry}\0`))
    .map(findProcess)
    .filter((row) => row !== null && !row.ended) as readonly ProcessRow[];
}

/** SIGKILL, if it is still the same process. */
export function killProcess(identity: ProcessIdentity): void {
  if (isRunning(identity)) sendKill(identity.pid);
}

/** SIGKILL to a process (a negative number: to a group). One that is gone is as good as killed; one of another user stays. */
export function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const code = systemCodeOf(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Bytes that these processes hold together. The quick sum counts shared pages often, so a high one is looked at closely. */
export function memoryOf(rows: readonly ProcessRow[], threshold: number): number {
  const quick = sum(rows, ({ pid }) => kilobytes(`/proc/${pid}/status`, /^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm));
  if (quick <= threshold) return quick;
  const exact = sum(rows, ({ pid }) => kilobytes(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB$/gm));
  return exact === 0 ? quick : exact;
}

function sum(rows: readonly ProcessRow[], bytesOf: (row: ProcessRow) => number): number {
  return rows.reduce((total, row) => total + bytesOf(row), 0);
}

function kilobytes(file: string, pattern: RegExp): number {
  let total = 0;
  for (const [, count] of (readIfThere(file) ?? '').matchAll(pattern)) total += Number(count) * 1_024;
  return total;
}

function processNumbers(): readonly number[] {
  try {
    return readdirSync('/proc').filter(isNumber).map(Number);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    return [];
  }
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

/** Processes end while we look, and those of others are closed to us. */
function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
}
