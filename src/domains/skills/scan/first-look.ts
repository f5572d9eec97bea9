/** Reads a directory of which a first scan knows the name alone, and makes up for the look that the walk has saved. */
import { lstatSync, type Stats } from 'node:fs';

import { systemCodeOf } from '../../../lib/errors.ts';
import { readSkillBytes, type SkillBytes } from '../skill-file.ts';
import type { PlannedDirectory } from './scan-plan.ts';
import type { Scan } from './scan-state.ts';
import { noteSeen, type WalkedRoot } from './walk.ts';

/** Something is a link, or has several names, or is closed: the scan has to begin with a walk. */
export class WalkNeeded extends Error {}

export interface FirstLook {
  readonly directory: PlannedDirectory;
  readonly read: SkillBytes;
}

export function lookFirst(scan: Scan, walked: WalkedRoot, index: number): FirstLook {
  const directory = newDirectory(walked, index);
  const file = `${directory.readFrom}/SKILL.md`;
  const read = readSkillBytes(file, { links: 'refuse', into: scan.buffer });
  const now = scan.began;
  if (read.ok) {
    if (read.stats.nlink > 1) throw new WalkNeeded();
    noteSeen(walked, index, { stats: read.stats, now });
    return { directory, read };
  }
  const stats = statsOf(file);
  if (stats === undefined) {
    noteSeen(walked, index, { stats: statsOf(directory.readFrom), now });
    return { directory: { ...directory, kind: 'absent' }, read };
  }
  if (stats.isSymbolicLink() || (stats.isFile() && stats.nlink > 1)) throw new WalkNeeded();
  noteSeen(walked, index, { stats, now });
  return { directory, read };
}

/** What a plan would say of it: nothing is known from before, and there are no links. */
function newDirectory({ root, directories }: WalkedRoot, index: number): PlannedDirectory {
  const relative = directories[index] ?? '';
  const readFrom = `${root.path}/${relative}`;
  return { relative, kind: 'skill', readFrom, inode: null, before: null, changed: true, stirred: true };
}

function statsOf(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    throw new WalkNeeded();
  }
}
