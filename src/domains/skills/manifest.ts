/** Every file of a skill with size and digest. */
import { lstatSync, readdirSync } from 'node:fs';

import { sha256Hex } from '../../lib/digest.ts';
import { messageOf, systemCodeOf } from '../../lib/errors.ts';
import { type RegularFile, readRegularFile } from '../../lib/regular-file.ts';
import { TREE_BYTES_MAX, TREE_ENTRIES_MAX, TREE_FILES_MAX } from './skill-tree.ts';

export interface ManifestFile {
  /** Relative to the skill's directory, with forward slashes. */
  readonly path: string;
  readonly size: number;
  /** sha256, hex. */
  readonly digest: string;
}

export type Tree =
  | { readonly ok: true; readonly files: readonly string[]; readonly fingerprint: string }
  | { readonly ok: false; readonly reason: string };

export type Manifest =
  | { readonly ok: true; readonly files: readonly ManifestFile[] }
  | { readonly ok: false; readonly reason: string };

/** Names and times only. Hidden files are never published; a link or a special file makes the whole skill unfit. */
export function walkTree(directory: string): Tree {
  const files: string[] = [];
  const marks: string[] = [];
  const pending = [''];
  let entries = 0;
  try {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const entry of readdirSync(`${directory}/${next}`, { withFileTypes: true })) {
        if (entry.name.startsWith('.')) continue;
        const relative = next === '' ? entry.name : `${next}/${entry.name}`;
        if (++entries > TREE_ENTRIES_MAX)
          return { ok: false, reason: `more than ${TREE_ENTRIES_MAX} entries` };
        if (entry.isDirectory()) {
          pending.push(relative);
          continue;
        }
        if (!entry.isFile()) return { ok: false, reason: `${relative} is a link or a special file` };
        files.push(relative);
        if (files.length > TREE_FILES_MAX) return { ok: false, reason: `more than ${TREE_FILES_MAX} files` };
        const { mtimeMs, ctimeMs, size, ino } = lstatSync(`${directory}/${relative}`);
        marks.push(`${relative}\0${mtimeMs} ${ctimeMs} ${size} ${ino}`);
      }
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return { ok: false, reason: messageOf(error) };
  }
  return { ok: true, files: files.sort(), fingerprint: marks.sort().join('\0\0') };
}

/** Reads every file once. `paths` come from `walkTree`. */
export function hashFiles(directory: string, paths: readonly string[]): Manifest {
  const files: ManifestFile[] = [];
  let bytes = 0;
  for (const path of paths) {
    const read = readFile(`${directory}/${path}`);
    if (!read.ok) return { ok: false, reason: `${path} is ${read.reason}` };
    bytes += read.bytes.length;
    if (bytes > TREE_BYTES_MAX) return { ok: false, reason: `more than ${TREE_BYTES_MAX} bytes` };
    files.push({ path, size: read.bytes.length, digest: sha256Hex(read.bytes) });
  }
  return { ok: true, files };
}

/** A file that went or changed its kind since the walk is no error of ours. */
function readFile(file: string): RegularFile | { readonly ok: false; readonly reason: string } {
  try {
    return readRegularFile(file, TREE_BYTES_MAX);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return { ok: false, reason: messageOf(error) };
  }
}
