import { lstatSync } from 'node:fs';

/** Differs whenever the file may differ, and when it comes or goes. A link is looked at, not followed. */
export function fileMark(place: string): string {
  const stats = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '-' : `${stats.ctimeNs} ${stats.mtimeNs} ${stats.size} ${stats.ino}`;
}
