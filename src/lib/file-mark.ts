import { type BigIntStats, lstatSync } from 'node:fs';

/** Differs whenever the file may differ, and when it comes or goes. A link is looked at, not followed. */
export function fileMark(place: string): string {
  const stats = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '-' : markOf(stats);
}

export function markOf({ ctimeNs, mtimeNs, size, ino }: BigIntStats): string {
  return `${ctimeNs} ${mtimeNs} ${size} ${ino}`;
}

// What changed this shortly before it was looked at, or meanwhile, may change again without its times showing it.
const RACY_MS = 20;
/** On a file system that counts whole seconds, or every second one. */
const RACY_COARSE_MS = 2_000;

/** Every change sets ctime, and unlike mtime nobody can set it back. */
export function isRacy({ ctimeMs }: { readonly ctimeMs: number }, now: number): boolean {
  return ctimeMs > now - (ctimeMs % 1000 === 0 ? RACY_COARSE_MS : RACY_MS);
}
