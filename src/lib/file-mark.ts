import { type BigIntStats, lstatSync } from 'node:fs';

/** Differs whenever the file may differ, and when it comes or goes. A link is looked at, not followed. */
export function fileMark(place: string): string {
  const stats = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '-' : markOf(stats);
}

export function markOf({ ctimeNs, mtimeNs, size, ino }: BigIntStats): string {
  return `${ctimeNs} ${mtimeNs} ${size} ${ino}`;
}
