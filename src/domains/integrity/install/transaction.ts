/**
 * Changes several skills and the lock file as one: all of it or nothing, also when the process is killed in between.
 *
 * New folders and the new lock are written beside the state; then a journal says what is to be moved where, and from
 * that moment on the change is finished by whoever comes next. Without a journal, what lies there is thrown away.
 */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

import { syncPath, writeDurably } from '../../../lib/durable-file.ts';
import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { leadsOut } from '../../../lib/inside.ts';
import { readRegularFile } from '../../../lib/regular-file.ts';
import type { BundleFile } from './bundle.ts';
import { skillFolder } from './lock.ts';
import type { Place } from './place.ts';

export interface Change {
  readonly name: string;
  /** Null removes the skill. */
  readonly files: readonly BundleFile[] | null;
}

// Its names become paths, and a workspace may bring one along.
const journalSchema = z.strictObject({
  version: z.literal(1),
  changes: z.array(z.strictObject({ name: skillFolder, put: z.boolean() })),
});

type Journal = z.output<typeof journalSchema>;

/** Far more than the names of all skills that anybody installs at once. */
const JOURNAL_BYTES_MAX = 1024 * 1024;

export function applyChanges(place: Place, changes: readonly Change[], lockText: string): void {
  const { moving, journal } = partsOf(place);
  guardRoot(place, changes);
  translated(place, () => {
    mkdirSync(path.join(moving, 'old'), { recursive: true });
    for (const { name, files } of changes)
      if (files !== null) writeTree(path.join(moving, 'new', name), files);
    writeDurably(path.join(moving, 'lock.json'), lockText);
    syncPath(moving);
    const plan: Journal = {
      version: 1,
      changes: changes.map(({ name, files }) => ({ name, put: files !== null })),
    };
    // Written under another name first: a journal that is there is whole.
    writeDurably(`${journal}.tmp`, JSON.stringify(plan));
    renameSync(`${journal}.tmp`, journal);
    syncPath(place.state);
    finish(place, plan);
  });
}

/** Ends what another process has left half done. Says whether there was anything. */
export function recover(place: Place): boolean {
  const { moving, journal, scratch } = partsOf(place);
  const isOpen = existsSync(journal);
  if (isOpen) {
    const plan = readJournal(journal);
    guardRoot(place, plan.changes);
    translated(place, () => finish(place, plan));
  }
  for (const left of [moving, scratch, `${journal}.tmp`]) rmSync(left, REMOVE);
  return isOpen;
}

/** The installer writes it only whole, so one that cannot be understood is not the installer's. */
function readJournal(journal: string): Journal {
  try {
    const read = readRegularFile(journal, JOURNAL_BYTES_MAX);
    return journalSchema.parse(JSON.parse(read.ok ? read.bytes.toString('utf8') : ''));
  } catch (error) {
    const message = `${journal} was not written by the installer; look at it, and delete it`;
    throw new ColibriError('INSTALL_PLACE', message, { file: journal }, { cause: error });
  }
}

/** A new, empty folder for what is fetched. */
export function makeScratch(place: Place): string {
  const { scratch } = partsOf(place);
  rmSync(scratch, REMOVE);
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  return scratch;
}

export function removeScratch(place: Place): void {
  rmSync(partsOf(place).scratch, REMOVE);
}

/** A git that outlived its parent may still be writing there. */
const REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 } as const;

function partsOf({ state }: Place) {
  return {
    moving: path.join(state, 'moving'),
    journal: path.join(state, 'journal.json'),
    scratch: path.join(state, 'scratch'),
  };
}

/** Every step looks whether it was done already, so that it can be repeated from any point. */
function finish(place: Place, { changes }: Journal): void {
  const { moving, journal } = partsOf(place);
  mkdirSync(place.root, { recursive: true });
  for (const { name, put } of changes) {
    const [fresh, old, target] = [
      path.join(moving, 'new', name),
      path.join(moving, 'old', name),
      path.join(place.root, name),
    ];
    const isPending = put ? existsSync(fresh) : !existsSync(old);
    if (!isPending) continue;
    if (existsSync(target) && !existsSync(old)) renameSync(target, old);
    if (put) renameSync(fresh, target);
  }
  syncPath(place.root);
  const lock = path.join(moving, 'lock.json');
  if (existsSync(lock)) renameSync(lock, place.lockFile);
  syncPath(place.base);
  rmSync(journal, { force: true });
  syncPath(place.state);
  rmSync(moving, { recursive: true, force: true });
}

/** A link on the way would let a workspace from anybody choose where files are written and removed. */
function guardRoot({ base, root }: Place, changes: readonly Pick<Change, 'name'>[]): void {
  if (leadsOut(root, base)) throw unusable(root, 'it leads out of the workspace through a link');
  mkdirSync(root, { recursive: true });
  for (const { name } of changes) {
    const stats = lstatSync(path.join(root, name), { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isDirectory())
      throw unusable(path.join(root, name), 'it is a link or a file where the folder of a skill is to be');
  }
}

function writeTree(folder: string, files: readonly BundleFile[]): void {
  const folders = new Set([folder]);
  for (const { path: name, bytes, executable } of files) {
    const file = path.join(folder, name);
    for (let parent = path.dirname(file); parent !== folder; parent = path.dirname(parent))
      folders.add(parent);
    mkdirSync(path.dirname(file), { recursive: true });
    // Not left to the mask of the process: the mode is part of what is pinned.
    writeDurably(file, bytes, executable ? 0o755 : 0o644);
  }
  for (const each of folders) syncPath(each);
}

function translated(place: Place, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (systemCodeOf(error) === 'EXDEV')
      throw unusable(place.root, `it lies on another file system than ${place.state}`, error);
    if (systemCodeOf(error) === undefined) throw error;
    throw unusable(place.root, messageOf(error), error);
  }
}

function unusable(folder: string, why: string, cause?: unknown): ColibriError {
  const message = `${folder} cannot be used for installed skills: ${why}`;
  return new ColibriError('INSTALL_PLACE', message, { folder }, { cause });
}
