/** Reads what trust is bound to: every file of a skill, or one file of the workspace. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { sha256Hex } from '../../lib/digest.ts';
import { messageOf, systemCodeOf } from '../../lib/errors.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import { TREE_BYTES_MAX, TREE_FILES_MAX } from '../skills/skill-tree.ts';
import { type TrustedFile, type TrustSubject, type TrustTree, treeDigest } from './trust.ts';

/** Folders, mostly; a tree of empty ones must end, too. */
const ENTRIES_MAX = 10_000;

/** What cannot be read as a whole cannot be vouched for as a whole. */
export function readTrustTree({ kind, path: place }: Pick<TrustSubject, 'kind' | 'path'>): TrustTree {
  try {
    const files =
      kind === 'file' ? [contentOnly(readOne(path.dirname(place), path.basename(place)))] : readFolder(place);
    return { ok: true, files, digest: treeDigest(files) };
  } catch (error) {
    if (!(error instanceof UnfitTree) && systemCodeOf(error) === undefined) throw error;
    return { ok: false, reason: messageOf(error) };
  }
}

/** Nobody executes a settings file, so its mode says nothing. */
function contentOnly({ path: name, digest }: TrustedFile): TrustedFile {
  return { path: name, digest, executable: false };
}

class UnfitTree extends Error {}

function readFolder(folder: string): readonly TrustedFile[] {
  const files: TrustedFile[] = [];
  const pending = [''];
  let entries = 0;
  let bytes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of readdirSync(path.join(folder, next), { withFileTypes: true })) {
      const relative = next === '' ? entry.name : `${next}/${entry.name}`;
      if (++entries > ENTRIES_MAX) throw new UnfitTree(`it has more than ${ENTRIES_MAX} entries`);
      if (entry.isDirectory()) {
        pending.push(relative);
        continue;
      }
      if (!entry.isFile())
        throw new UnfitTree(`${relative} is a link or a special file; replace it by a file`);
      const file = readOne(folder, relative);
      bytes += file.size;
      if (files.push(file) > TREE_FILES_MAX) throw new UnfitTree(`it has more than ${TREE_FILES_MAX} files`);
      if (bytes > TREE_BYTES_MAX) throw new UnfitTree(`it has more than ${TREE_BYTES_MAX} bytes`);
    }
  }
  return files.map(({ path: name, digest, executable }) => ({ path: name, digest, executable }));
}

function readOne(folder: string, relative: string): TrustedFile & { readonly size: number } {
  const read = readRegularFile(path.join(folder, relative), TREE_BYTES_MAX);
  if (!read.ok) throw new UnfitTree(`${relative} cannot be read: ${read.reason}`);
  const executable = (read.stats.mode & 0o111) !== 0;
  return { path: relative, digest: sha256Hex(read.bytes), executable, size: read.bytes.length };
}
