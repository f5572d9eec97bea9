/** Ends every process of an agent: asked first, then made to. */
import { setTimeout as delay } from 'node:timers/promises';

import { systemCodeOf } from '../../../lib/errors.ts';
import { isRunning, killProcess, type ProcessRow } from '../../sessions/run/processes.ts';
import type { Family } from './scan.ts';

const LOOK_MS = 25;
/** A process that cannot be killed waits for a device; nothing more can be done. */
const KILL_MS = 10_000;

export interface Ended {
  /** All that were found and are gone now. */
  readonly killed: readonly number[];
  /** Still there although everything was tried. */
  readonly left: readonly number[];
}

/** `graceMs`: how long they have after SIGTERM. */
export async function endFamily(family: Family, graceMs: number): Promise<Ended> {
  const asked = family.alive();
  for (const row of asked) ask(row);
  for (let waited = 0; waited < graceMs && asked.some(isRunning); waited += LOOK_MS) await delay(LOOK_MS);
  const killed = new Set(asked.map(({ pid }) => pid));
  for (let waited = 0; waited < KILL_MS; waited += LOOK_MS) {
    const alive = family.alive();
    // A process that forks faster than it is killed shows up in the next look: only an empty one is the end.
    if (alive.length === 0) return { killed: [...killed], left: [] };
    for (const row of alive) {
      killProcess(row);
      killed.add(row.pid);
    }
    await delay(LOOK_MS);
  }
  return { killed: [...killed], left: family.alive().map(({ pid }) => pid) };
}

function ask(row: ProcessRow): void {
  try {
    if (isRunning(row)) process.kill(row.pid, 'SIGTERM');
  } catch (error) {
    const code = systemCodeOf(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
