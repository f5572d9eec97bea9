/** What the times of a file or a folder tell, and when they tell nothing. */
import { type Stats, statfsSync } from 'node:fs';

import { systemCodeOf } from '../../../lib/errors.ts';
import { isRacy } from '../../../lib/file-mark.ts';
import { NEVER_LISTED } from './root-snapshot.ts';

/**
 * Local file systems of Linux that are known to set those times, by the number that the kernel gives them. Others, such
 * as the network's or those of shared folders, are not taken at their word.
 */
const FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

/**
 * To be stored with the names in a folder. Adding, removing or renaming an entry sets the times of the folder around it,
 * so a folder that has kept its times has kept its names. `stats` were taken before the names, and `now` before that.
 */
export function listingMark(folder: string, stats: Stats, now: number): Float64Array {
  return isRacy(stats, now) || !isTrusted(folder) ? NEVER_LISTED : marksOf(stats);
}

function isTrusted(folder: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return FILE_SYSTEMS.has(statfsSync(folder).type);
  } catch (error) {
    // Gone, or closed: whoever reads it will say so.
    if (systemCodeOf(error) === undefined) throw error;
    return false;
  }
}

export function isSameListing(mark: Float64Array, stats: Stats): boolean {
  return marksOf(stats).every((number, index) => mark[index] === number);
}

function marksOf({ mtimeMs, ctimeMs, ino, dev }: Stats): Float64Array {
  return Float64Array.of(mtimeMs, ctimeMs, ino, dev);
}
