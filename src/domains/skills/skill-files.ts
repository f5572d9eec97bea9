/** The files of a skill, for somebody who may read them one by one. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';

import { sha256Hex } from '../../lib/digest.ts';
import { systemCodeOf } from '../../lib/errors.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import { TREE_BYTES_MAX, TREE_ENTRIES_MAX, TREE_FILES_MAX } from './skill-tree.ts';

export interface SkillFile {
  /** Relative to the skill's directory, with forward slashes. */
  readonly path: string;
  readonly size: number;
  /** sha256, hex; empty for what is no file, and for files beyond what a skill may weigh. */
  readonly digest: string;
  /** `large`: a script may use it, but it is too long to be read into a conversation. */
  readonly kind: 'file' | 'large' | 'link' | 'special';
}

/**
 * Lists everything but hidden files, by path; nothing is followed. A directory that is gone or closed gives an empty
 * list, and one without end is left where the limits are: always at the same place, because names are sorted.
 */
export function listSkillFiles(directory: string, bytesMax: number): readonly SkillFile[] {
  const files: SkillFile[] = [];
  const pending = [''];
  let entries = 0;
  let bytes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of entriesOf(`${directory}/${next}`)) {
      const path = next === '' ? entry.name : `${next}/${entry.name}`;
      if (++entries > TREE_ENTRIES_MAX || files.length >= TREE_FILES_MAX) return byPath(files);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile()) {
        const file = fileFact(`${directory}/${path}`, path, { bytesMax, left: TREE_BYTES_MAX - bytes });
        bytes += file.size;
        files.push(file);
      } else files.push({ path, size: 0, digest: '', kind: entry.isSymbolicLink() ? 'link' : 'special' });
    }
  }
  return byPath(files);
}

function byPath<T extends { readonly path: string }>(files: readonly T[]): readonly T[] {
  return [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function fileFact(
  file: string,
  path: string,
  { bytesMax, left }: { readonly bytesMax: number; readonly left: number },
): SkillFile {
  try {
    const read = readRegularFile(file, Math.max(bytesMax, left));
    if (!read.ok && read.reason === 'not-regular') return { path, size: 0, digest: '', kind: 'special' };
    if (!read.ok) return { path, size: lstatSync(file).size, digest: '', kind: 'large' };
    const { length: size } = read.bytes;
    return { path, size, digest: sha256Hex(read.bytes), kind: size > bytesMax ? 'large' : 'file' };
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return { path, size: 0, digest: '', kind: 'special' };
  }
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return [];
  }
}
