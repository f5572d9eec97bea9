/**
 * Starts a process that inherits nothing it was not given. Node closes the low descriptors that its own parent left open
 * but hands on those behind a gap; one of a folder would be a door out of any sandbox.
 */
import {
  type ChildProcess,
  type SpawnOptions,
  type StdioNull,
  type StdioPipe,
  spawn,
} from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

import { systemCodeOf } from '../../../lib/errors.ts';

export interface CleanSpawn extends Omit<SpawnOptions, 'stdio'> {
  /** Numbers are descriptors of ours to hand over. */
  readonly stdio: readonly (StdioNull | StdioPipe | number)[];
}

export function spawnClean(program: string, args: readonly string[], options: CleanSpawn): ChildProcess {
  const nothing = openSync('/dev/null', 'r');
  try {
    const stdio: (StdioNull | StdioPipe | number)[] = [...options.stdio];
    for (const fd of inheritedDescriptors()) {
      if (fd < options.stdio.length) continue;
      // `ignore` leaves what is there beyond the first three; only something else in its place replaces it.
      while (stdio.length < fd) stdio.push('ignore');
      stdio[fd] = nothing;
    }
    return spawn(program, args, { ...options, stdio });
  } finally {
    closeSync(nothing);
  }
}

const CLOSE_ON_EXEC = 0o2000000;

/** Ascending. Without /proc there is no telling, and no sandbox either. */
function inheritedDescriptors(): readonly number[] {
  return listIfThere('/proc/self/fdinfo')
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd))
    .sort((a, b) => a - b);
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch (error) {
    // The one that listed the folder is closed again.
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    return false;
  }
}

function listIfThere(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    return [];
  }
}
