/** Folders of this machine: as sources, and as the places where installed skills lie. Links are never followed. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { readRegularFile } from '../../../lib/regular-file.ts';
import { printable } from '../../../lib/text.ts';
import { TREE_BYTES_MAX } from '../../skills/skill-tree.ts';
import type { BundleFile } from './bundle.ts';
import { ENTRIES_MAX } from './limits.ts';
import type { SourceEntry, SourceTree } from './source-tree.ts';

/** Never part of a skill: the version control of whoever wrote it, and what a package manager put there. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export function folderTree(folder: string): SourceTree {
  return {
    entries: listFolder(folder, SKIPPED),
    commit: null,
    artifact: () => null,
    read: async (paths) => new Map(paths.map((file) => [file, readOne(folder, file).bytes])),
  };
}

/** Every file of an installed skill; null when there is no folder. A link or a pipe is told as what it is. */
export function readInstalled(folder: string): InstalledTree | null {
  return readTree(folder, new Set());
}

/** The same of the folder that it came from, without what is never installed. */
export function readSource(folder: string): InstalledTree | null {
  return readTree(folder, SKIPPED);
}

function readTree(folder: string, skipped: ReadonlySet<string>): InstalledTree | null {
  let entries: readonly SourceEntry[];
  try {
    entries = listFolder(folder, skipped);
  } catch (error) {
    if (error instanceof ColibriError && error.details?.['cause'] === 'ENOENT') return null;
    throw error;
  }
  const odd = entries.filter(({ kind }) => kind !== 'file').map((entry) => entry.path);
  const files = entries
    .filter(({ kind }) => kind === 'file')
    .map((entry): BundleFile => ({ path: entry.path, ...readOne(folder, entry.path) }));
  return { files, odd };
}

export interface InstalledTree {
  readonly files: readonly BundleFile[];
  /** Links and special files. */
  readonly odd: readonly string[];
}

function listFolder(folder: string, skipped: ReadonlySet<string>): readonly SourceEntry[] {
  const entries: SourceEntry[] = [];
  const pending = [''];
  let seen = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of directoryEntries(folder, next)) {
      if (skipped.has(entry.name)) continue;
      if (++seen > ENTRIES_MAX)
        throw unreadable(folder, `it has more than ${ENTRIES_MAX} entries; name a folder inside with --path`);
      const name = next === '' ? entry.name : `${next}/${entry.name}`;
      if (entry.isDirectory()) pending.push(name);
      else entries.push({ path: name, ...factsOf(path.join(folder, name)) });
    }
  }
  return entries;
}

function factsOf(file: string): Omit<SourceEntry, 'path'> {
  const stats = lstatSync(file);
  const kind = stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'special';
  return { kind, size: stats.size, executable: (stats.mode & 0o111) !== 0 };
}

function directoryEntries(folder: string, below: string): readonly Dirent[] {
  try {
    return readdirSync(path.join(folder, below), { withFileTypes: true });
  } catch (error) {
    throw unreadable(path.join(folder, below), messageOf(error), systemCodeOf(error));
  }
}

function readOne(folder: string, file: string): Omit<BundleFile, 'path'> {
  try {
    const read = readRegularFile(path.join(folder, file), TREE_BYTES_MAX);
    if (!read.ok) throw unreadable(path.join(folder, file), `it is ${read.reason}`);
    return { bytes: read.bytes, executable: (read.stats.mode & 0o111) !== 0 };
  } catch (error) {
    if (error instanceof ColibriError) throw error;
    throw unreadable(path.join(folder, file), messageOf(error), systemCodeOf(error));
  }
}

function unreadable(place: string, why: string, cause?: string): ColibriError {
  const message = `${printable(place)} cannot be read: ${printable(why)}`;
  return new ColibriError('SOURCE_UNREACHABLE', message, { path: place, cause });
}
