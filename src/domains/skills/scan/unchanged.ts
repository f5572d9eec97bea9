/**
 * Whether every root is as the last scan saw it, told at the price of one look at each skill. Made for roots as they
 * nearly always are, folders with skills in them; of anything else it says that it cannot tell, and a scan has to.
 */
import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';

import { systemCodeOf } from '../../../lib/errors.ts';
import { isSameListing } from './file-times.ts';
import { FINGERPRINT_NUMBERS, isPassedOver } from './root-snapshot.ts';
import { rootKey, type SkillRoot } from './roots.ts';
import type { SeenDirectories, SeenRoot } from './snapshot-layout.ts';

/** False: something has changed, or it takes a scan to tell. */
export function looksUnchanged(seen: readonly SeenRoot[], roots: readonly SkillRoot[]): boolean {
  return (
    seen.length === roots.length &&
    roots.every((root, position) => {
      const before = seen[position];
      // Deeper down, folders come and go that the snapshot does not name.
      if (before?.path !== root.path || before.key !== rootKey(root) || root.depth !== 1) return false;
      return isAsSeen(root.path, before);
    })
  );
}

function isAsSeen(root: string, { directories, fingerprints, listed }: SeenDirectories): boolean {
  if (!hasKeptItsNames(root, listed) && !isSameList(foldersIn(root), directories)) return false;
  for (let index = 0; index < directories.length; index++) {
    const name = directories[index];
    // Without a SKILL.md the folder's own times were kept. A file and a folder never share an inode.
    const stats = statsOf(`${root}/${name}/SKILL.md`) ?? statsOf(`${root}/${name}`);
    if (stats === undefined || !hasFingerprint(stats, fingerprints, index)) return false;
  }
  return true;
}

const IF_THERE = { throwIfNoEntry: false } as const;

function hasKeptItsNames(root: string, listed: SeenDirectories['listed']): boolean {
  // The root itself may be a link.
  const stats = statsOf(root, statSync);
  return stats !== undefined && isSameListing(listed, stats);
}

function isSameList(names: readonly string[] | null, directories: readonly string[]): boolean {
  if (names?.length !== directories.length) return false;
  return names.every((name, index) => name === directories[index]);
}

function hasFingerprint(
  { mtimeMs, ctimeMs, size, ino }: Stats,
  fingerprints: Float64Array,
  index: number,
): boolean {
  const at = index * FINGERPRINT_NUMBERS;
  return (
    mtimeMs === fingerprints[at] &&
    ctimeMs === fingerprints[at + 1] &&
    size === fingerprints[at + 2] &&
    ino === fingerprints[at + 3]
  );
}

/** In the order of a walk; null when there is a link among them, or the root cannot be read. */
function foldersIn(root: string): string[] | null {
  const entries = entriesOf(root);
  if (entries === null) return null;
  const names: string[] = [];
  for (const entry of entries) {
    const { name } = entry;
    if (isPassedOver(name)) continue;
    if (entry.isSymbolicLink()) return null;
    if (entry.isDirectory()) names.push(name);
  }
  return names.sort();
}

function entriesOf(root: string): readonly Dirent[] | null {
  try {
    return readdirSync(root, { withFileTypes: true });
  } catch (error) {
    // A root that is not there is an empty one.
    if (systemCodeOf(error) === 'ENOENT') return [];
    if (systemCodeOf(error) !== undefined) return null;
    throw error;
  }
}

function statsOf(place: string, look: typeof statSync = lstatSync): Stats | undefined {
  try {
    return look(place, IF_THERE);
  } catch (error) {
    // Closed to us: what its owner did about that shows only in a scan.
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}
