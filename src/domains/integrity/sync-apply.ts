/**
 * Puts whole skills in place. A skill is written beside its place and then moved there, so that a reader, and whoever
 * looks after a crash, sees the old skill, the new one or none, but never a part of one.
 */
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

import { sha256Hex } from '../../lib/digest.ts';
import { syncPath, writeDurably } from '../../lib/durable-file.ts';
import { ColibriError, systemCodeOf } from '../../lib/errors.ts';
import { leadsOut } from '../../lib/inside.ts';
import { readRegularFile, regularBytes } from '../../lib/regular-file.ts';
import type { SkillTree } from './drift-manifest.ts';
import { standsAt } from './drift-reader.ts';

/** Begins with a dot, so that no scan of any host takes what is in it for a skill. */
const STAGING = '.colibri-sync';
/** The longest path of a skill, and more than a number of a process. */
const NOTE_BYTES_MAX = 4_096;

/** The right to change one root; held by one process at a time. */
export interface RootWriter {
  /** Puts a copy of the tree to `relative` in the root, in place of what stands there. */
  put(relative: string, tree: SkillTree): void;
  remove(relative: string): void;
  close(): void;
}

/** Makes the root if need be, and first puts right what a process that died here has left. */
export function openRoot(root: string): RootWriter {
  mkdirSync(root, { recursive: true });
  const staging = path.join(root, STAGING);
  claim(staging);
  let count = 0;
  const nextJob = (relative: string): string => {
    const job = path.join(staging, String(count++));
    mkdirSync(job);
    // Written before anything moves: it says where `old` belongs.
    writeDurably(path.join(job, 'place'), relative, 0o600);
    return job;
  };
  return {
    put(relative, tree) {
      const job = nextJob(relative);
      const fresh = path.join(job, 'new');
      writeTree(tree, fresh);
      const place = path.join(root, relative);
      mkdirSync(path.dirname(place), { recursive: true });
      if (standsAt(place)) renameSync(place, path.join(job, 'old'));
      renameSync(fresh, place);
      syncPath(path.dirname(place));
      rmSync(job, { recursive: true, force: true });
    },
    remove(relative) {
      const job = nextJob(relative);
      renameSync(path.join(root, relative), path.join(job, 'old'));
      syncPath(root);
      rmSync(job, { recursive: true, force: true });
    },
    close: () => rmSync(staging, { recursive: true, force: true }),
  };
}

function claim(staging: string): void {
  try {
    mkdirSync(staging);
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    const owner = ownerOf(staging);
    if (owner !== null && isAlive(owner)) {
      const message = `process ${owner} is changing ${path.dirname(staging)}; wait for it, or remove ${staging} if it is another program`;
      throw new ColibriError('SYNC_BUSY', message, { root: path.dirname(staging), process: owner });
    }
    restore(staging);
    mkdirSync(staging);
  }
  writeDurably(path.join(staging, 'owner'), String(process.pid), 0o600);
}

function ownerOf(staging: string): number | null {
  const text = readOptional(path.join(staging, 'owner'));
  return text !== null && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null;
}

function isAlive(pid: number): boolean {
  // Only a number of our own is our own: a crash of an earlier process may have left it.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}

/** A skill that was taken out and not replaced goes back to its place; all else in there is waste. */
function restore(staging: string): void {
  const root = path.dirname(staging);
  for (const job of foldersIn(staging)) {
    const relative = readOptional(path.join(job, 'place'));
    const old = path.join(job, 'old');
    if (relative === null || !isPlain(relative) || !standsAt(old)) continue;
    const place = path.join(root, relative);
    if (!standsAt(place) && !leadsOut(place, root)) renameSync(old, place);
  }
  rmSync(staging, { recursive: true, force: true });
}

/** Sync makes no links: what is behind one that lies here is somebody else's. */
function foldersIn(staging: string): readonly string[] {
  if (!lstatSync(staging).isDirectory()) return [];
  return readdirSync(staging, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(staging, entry.name));
}

/** The file may have come with a workspace, so it must not name a place elsewhere. */
function isPlain(relative: string): boolean {
  return (
    relative !== '' &&
    !path.isAbsolute(relative) &&
    relative.split(/[/\\]/).every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

function readOptional(file: string): string | null {
  return regularBytes(file, NOTE_BYTES_MAX)?.toString('utf8') ?? null;
}

/** Copies exactly the bytes that were compared; anything else on the disk by now stops it. */
function writeTree({ real, entries }: SkillTree, target: string): void {
  const folders = new Set([target]);
  mkdirSync(target);
  for (const entry of entries) {
    if (entry.kind !== 'file') throw changed(`${real}/${entry.path}`);
    const read = readRegularFile(path.join(real, entry.path), entry.size);
    if (!read.ok || sha256Hex(read.bytes) !== entry.digest) throw changed(`${real}/${entry.path}`);
    const file = path.join(target, entry.path);
    mkdirSync(path.dirname(file), { recursive: true });
    for (let up = path.dirname(file); up !== target; up = path.dirname(up)) folders.add(up);
    writeDurably(file, read.bytes, entry.mode);
  }
  for (const folder of folders) syncPath(folder);
}

function changed(file: string): ColibriError {
  return new ColibriError('FILE_CHANGED', `${file} changed while it was copied; sync again`, { file });
}
