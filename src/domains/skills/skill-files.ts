/** The files of a skill, for somebody who may read them one by one. */
import { type Dirent, readdirSync } from 'node:fs';

import { sha256Hex } from '../../lib/digest.ts';
import { systemCodeOf } from '../../lib/errors.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import { TREE_FILES_MAX } from './skill-tree.ts';

export interface SkillFile {
  /** Relative to the skill's directory, with forward slashes. */
  readonly path: string;
  readonly size: number;
  /** sha256, hex; empty for anything but a file that may be read. */
  readonly digest: string;
  readonly kind: 'file' | 'large' | 'link' | 'special';
}

/** Lists everything but hidden files; nothing is followed. A directory that is gone or closed gives an empty list. */
export function listSkillFiles(directory: string, bytesMax: number): readonly SkillFile[] {
  const files: SkillFile[] = [];
  const pending = [''];
  for (let next = pending.pop(); next !== undefined && files.length < TREE_FILES_MAX; next = pending.pop()) {
    for (const entry of entriesOf(`${directory}/${next}`)) {
      const path = next === '' ? entry.name : `${next}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile()) files.push(fileFact(directory, path, bytesMax));
      else files.push({ path, size: 0, digest: '', kind: entry.isSymbolicLink() ? 'link' : 'special' });
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, TREE_FILES_MAX);
}

function fileFact(directory: string, path: string, bytesMax: number): SkillFile {
  try {
    const read = readRegularFile(`${directory}/${path}`, bytesMax);
    if (read.ok) return { path, size: read.bytes.length, digest: sha256Hex(read.bytes), kind: 'file' };
    return { path, size: 0, digest: '', kind: read.reason === 'not-regular' ? 'special' : 'large' };
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return { path, size: 0, digest: '', kind: 'special' };
  }
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return [];
  }
}
