/** Reads what the security scan looks at: every file of a folder, hidden ones too, and the accept-list. */
import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';

import { sha256Hex } from '../../../lib/digest.ts';
import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { readRegularFile } from '../../../lib/regular-file.ts';
import { TREE_BYTES_MAX, TREE_ENTRIES_MAX, TREE_FILES_MAX } from '../../skills/skill-tree.ts';
import { ACCEPT_FILE } from './accept.ts';
import type { ScanFile } from './scan-rule.ts';

/** Larger files are named as unread. */
const FILE_BYTES_MAX = 1024 * 1024;
const ACCEPT_BYTES_MAX = 256 * 1024;
/** Other people's code, in bulk. It is named, not read. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__']);

export interface FolderContent {
  readonly files: readonly ScanFile[];
  /** What was left out, and why: `assets/big.bin (too-large)`. */
  readonly unread: readonly string[];
  /** sha256 over the names and contents of all that was read, and the names of the rest. */
  readonly digest: string;
}

export function readFolder(folder: string): FolderContent {
  const files: ScanFile[] = [];
  const unread: string[] = [];
  const pending = [''];
  let entries = 0;
  let bytes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of entriesOf(path.join(folder, next))) {
      const relative = next === '' ? entry.name : `${next}/${entry.name}`;
      if (++entries > TREE_ENTRIES_MAX || files.length >= TREE_FILES_MAX || bytes > TREE_BYTES_MAX) {
        unread.push(`${relative} and what follows (too-many)`);
        return withDigest(files, unread);
      }
      if (SKIPPED.has(entry.name)) unread.push(`${relative} (skipped)`);
      else if (entry.isDirectory()) pending.push(relative);
      else if (entry.isFile()) bytes += take(folder, relative, { files, unread });
      else unread.push(`${relative} (${entry.isSymbolicLink() ? 'link' : 'not-regular'})`);
    }
  }
  return withDigest(files, unread);
}

/** The text of the accept-list; null when there is none. */
export function readAcceptFile(workspace: string): string | null {
  try {
    const read = readRegularFile(path.join(workspace, ACCEPT_FILE), ACCEPT_BYTES_MAX);
    if (!read.ok)
      throw new ColibriError('CONFIG_INVALID', `${ACCEPT_FILE} cannot be read: it is ${read.reason}`);
    return read.bytes.toString('utf8');
  } catch (error) {
    if (error instanceof ColibriError) throw error;
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw new ColibriError('CONFIG_INVALID', `${ACCEPT_FILE} cannot be read: ${messageOf(error)}`);
  }
}

function take(
  folder: string,
  relative: string,
  into: { readonly files: ScanFile[]; readonly unread: string[] },
): number {
  try {
    const read = readRegularFile(path.join(folder, relative), FILE_BYTES_MAX);
    if (read.ok) {
      into.files.push({ path: relative, bytes: read.bytes });
      return read.bytes.length;
    }
    into.unread.push(`${relative} (${read.reason})`);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    into.unread.push(`${relative} (${code})`);
  }
  return 0;
}

function withDigest(found: readonly ScanFile[], unread: readonly string[]): FolderContent {
  const files = [...found].sort((a, b) => (a.path < b.path ? -1 : 1));
  const lines = [...files.map(({ path: name, bytes }) => `${name}\0${sha256Hex(bytes)}`), ...unread];
  return { files, unread, digest: sha256Hex(lines.join('\n')) };
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return [];
  }
}
