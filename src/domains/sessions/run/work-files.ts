/** What a script left in its working folder. The script chose every name and kind there, so nothing is followed. */
import { lstatSync, opendirSync } from 'node:fs';

import { sha256Hex } from '../../../lib/digest.ts';
import { messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { readRegularFile } from '../../../lib/regular-file.ts';
import { hasHiddenCharacters, printable } from '../../../lib/text.ts';
import type { RunLimits } from './limits.ts';

export interface WorkFile {
  /** Relative to the working folder, with forward slashes. */
  readonly path: string;
  readonly bytes: Buffer;
  /** sha256, hex. */
  readonly digest: string;
}

export interface SkippedFile {
  /** Made safe to print, so not always the real name. */
  readonly path: string;
  readonly reason: 'link' | 'special' | 'name' | 'depth' | 'too-large' | 'too-many' | 'unreadable';
}

export interface WorkFiles {
  /** By path. */
  readonly files: readonly WorkFile[];
  /** What was there but is not handed out, as far as it was looked at. */
  readonly skipped: readonly SkippedFile[];
}

const DEPTH_MAX = 16;
const ENTRIES_MAX = 5_000;
const SKIPPED_MAX = 100;

/** Call it only when no process of the run is left: a living one could swap a folder for a link under our feet. */
export function collectWorkFiles(folder: string, limits: RunLimits): WorkFiles {
  const files: WorkFile[] = [];
  const skipped: SkippedFile[] = [];
  const skip = (path: string, reason: SkippedFile['reason']): void => {
    if (skipped.length < SKIPPED_MAX) skipped.push({ path: printable(path), reason });
  };
  let bytes = 0;
  for (const { path, kind } of walk(folder)) {
    if (kind !== 'file') {
      skip(path, kind);
      continue;
    }
    if (files.length >= limits.resultFilesMax) {
      skip(path, 'too-many');
      continue;
    }
    const read = readWorkFile(`${folder}/${path}`, limits.resultBytesMax - bytes);
    if (typeof read === 'string') {
      skip(path, read);
      continue;
    }
    bytes += read.length;
    files.push({ path, bytes: read, digest: sha256Hex(read) });
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), skipped };
}

/** Bytes that a folder takes on the disk, counted until they pass the limit. */
export function measureWork(folder: string, bytesMax: number): number {
  let bytes = 0;
  for (const { path, kind } of walk(folder)) {
    if (kind === 'file') bytes += blocksOf(`${folder}/${path}`);
    if (bytes > bytesMax) break;
  }
  return bytes;
}

interface Found {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'special' | 'name' | 'depth' | 'too-many' | 'unreadable';
}

function* walk(folder: string): Generator<Found> {
  const pending: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }];
  let entries = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, depth } = next;
    for (const found of entriesIn(folder, path)) {
      if (++entries > ENTRIES_MAX) {
        yield { path: found.path, kind: 'too-many' };
        return;
      }
      if (found.kind !== 'folder') yield { path: found.path, kind: found.kind };
      else if (depth + 1 >= DEPTH_MAX) yield { path: found.path, kind: 'depth' };
      else pending.push({ path: found.path, depth: depth + 1 });
    }
  }
}

interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'special' | 'name' | 'unreadable';
}

/** One at a time, because a script can leave a million entries. */
function* entriesIn(folder: string, path: string): Generator<Entry> {
  try {
    const directory = opendirSync(`${folder}/${path}`);
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        const inside = path === '' ? entry.name : `${path}/${entry.name}`;
        // A name that is not UTF-8 comes with replacement characters and cannot be opened by them.
        if (hasHiddenCharacters(inside) || /[\n\t\\\ufffd]/.test(inside))
          yield { path: inside, kind: 'name' };
        else if (entry.isDirectory()) yield { path: inside, kind: 'folder' };
        else if (entry.isFile()) yield { path: inside, kind: 'file' };
        else yield { path: inside, kind: entry.isSymbolicLink() ? 'link' : 'special' };
      }
    } finally {
      directory.closeSync();
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    yield { path: path === '' ? messageOf(error) : path, kind: 'unreadable' };
  }
}

function readWorkFile(file: string, bytesMax: number): Buffer | 'too-large' | 'special' | 'unreadable' {
  try {
    const read = readRegularFile(file, bytesMax);
    if (read.ok) return read.bytes;
    return read.reason === 'too-large' ? 'too-large' : 'special';
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return 'unreadable';
  }
}

function blocksOf(file: string): number {
  return (lstatSync(file, { throwIfNoEntry: false })?.blocks ?? 0) * 512;
}
