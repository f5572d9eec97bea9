/** The folder that runs work in: one sub-folder each, gone when the run is, or at the next start if we were killed. */
import {
  chmodSync,
  chownSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  opendirSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';

import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { findProcess, isRunning, killProcess, processesMarked } from './processes.ts';

export interface RunFolder {
  /** Also the mark by which the processes of a run without sandbox are found. */
  readonly id: string;
  readonly path: string;
}

/** Who runs the sandbox when Colibri itself is root: a number that no system gives to anybody. */
export const SANDBOX_USER = 61_000;
/** The variable that marks the processes of a run. */
export const RUN_MARK = 'COLIBRI_RUN';

/** The owner stands in the name, so that a folder is never without one, not even while it is being made. */
const RUN_NAME = /^run-([0-9A-Z]{26})-(\d+)-(\d*)$/;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Makes the scratch root ours, or refuses one that somebody else could have prepared. */
function openScratch(root: string): void {
  mkdirSync(root, { recursive: true, mode: 0o711 });
  const stats = lstatSync(root);
  if (!stats.isDirectory() || stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0) {
    const message = `${root} is a link, belongs to another user or is writable by others; name another scratch folder`;
    throw new ColibriError('SCRATCH_UNUSABLE', message, { root });
  }
  // The sandbox's user has to get through to its own folder, but not to list the others.
  chmodSync(root, isRoot() ? 0o711 : 0o700);
  if (isRoot()) requireReachable(root);
}

export function createRunFolder(root: string, id: string): RunFolder {
  openScratch(root);
  const { pid } = process;
  const folder = path.join(root, `run-${id}-${pid}-${findProcess(pid)?.startTime ?? ''}`);
  mkdirSync(folder, { mode: 0o700 });
  if (isRoot()) {
    chownSync(folder, 0, SANDBOX_USER);
    chmodSync(folder, 0o710);
  }
  return { id, path: folder };
}

/** Removes a run's folder, whatever the script has done to the modes in it. */
export function removeRunFolder(folder: string): void {
  openFolders(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes what runs of dead processes left: first their processes, then their folders. Returns the ids of the runs. */
export function cleanScratch(root: string): readonly string[] {
  const cleaned: string[] = [];
  for (const name of namesIn(root)) {
    const [, id, pid, startTime = ''] = RUN_NAME.exec(name) ?? [];
    if (id === undefined || isRunning({ pid: Number(pid), startTime })) continue;
    killMarked(id);
    removeRunFolder(path.join(root, name));
    cleaned.push(id);
  }
  return cleaned;
}

const KILL_ROUNDS_MAX = 20;

/** Kills every process that carries the mark of a run; again and again, because it may be forking meanwhile. */
function killMarked(id: string): void {
  for (let round = 0; round < KILL_ROUNDS_MAX; round++) {
    const found = processesMarked(`${RUN_MARK}=${id}`);
    if (found.length === 0) return;
    found.forEach(killProcess);
  }
}

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    return [];
  }
}

function requireReachable(root: string): void {
  for (let folder = path.resolve(root); ; folder = path.dirname(folder)) {
    if ((lstatSync(folder).mode & 0o001) === 0) {
      const message = `${folder} is closed to other users, and as root scripts run as user ${SANDBOX_USER}; name a scratch folder that all can reach, such as one in /tmp`;
      throw new ColibriError('SCRATCH_UNUSABLE', message, { root, folder });
    }
    if (folder === path.dirname(folder)) return;
  }
}

/** Without write permission on a folder its owner cannot empty it. Links are left alone. */
function openFolders(folder: string): void {
  const pending = [folder];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    try {
      if (!lstatSync(next).isDirectory()) continue;
      chmodSync(next, 0o700);
      for (const entry of entriesOf(next)) {
        if (entry.isDirectory()) pending.push(path.join(next, entry.name));
      }
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') throw new Error(`cannot open ${next}: ${messageOf(error)}`);
    }
  }
}

/** One at a time: a script may have left a million files. */
function* entriesOf(folder: string): Generator<Dirent> {
  const directory = opendirSync(folder);
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) yield entry;
  } finally {
    directory.closeSync();
  }
}
