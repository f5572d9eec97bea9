/** What one scan saw of one root, and what became of it. */

/** What became of a directory. The numbers are stored. `refused`: a link that leads to where nothing is read. */
export const Role = { none: 0, winner: 1, shadowed: 2, rejected: 3, alias: 4, refused: 5 } as const;
export type Role = (typeof Role)[keyof typeof Role];

export interface RootSnapshot {
  /** Relative to the root, with forward slashes, in the order of the walk. */
  readonly directories: readonly string[];
  /** Four numbers a directory: mtime and ctime in ms, size, inode. NaN never equals, so such an entry is read again. */
  readonly fingerprints: Float64Array;
  readonly roles: Uint8Array;
  /** Skill names by index, where they differ from the directory's own name. */
  readonly names: ReadonlyMap<number, string>;
  /** What the root's own folder looked like when its names were read, see `file-times.ts`. */
  readonly listed: Float64Array;
}

export const FINGERPRINT_NUMBERS = 4;
/** Numbers in `listed`: mtime and ctime in ms, inode, device. */
export const LISTED_NUMBERS = 4;

/** The root has to be listed again. */
export const NEVER_LISTED: Float64Array = new Float64Array([Number.NaN, 0, 0, 0]);

export const EMPTY_SNAPSHOT: RootSnapshot = {
  directories: [],
  fingerprints: new Float64Array(),
  roles: new Uint8Array(),
  names: new Map(),
  listed: NEVER_LISTED,
};

export function skillNameAt(snapshot: RootSnapshot, index: number): string {
  const renamed = snapshot.names.get(index);
  if (renamed !== undefined) return renamed;
  return baseName(snapshot.directories[index] ?? '');
}

/** Names of folders that no scan looks into, so that no snapshot names them. */
export function isPassedOver(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** The last part of a path with forward slashes. */
export function baseName(relative: string): string {
  const slash = relative.lastIndexOf('/');
  return slash === -1 ? relative : relative.slice(slash + 1);
}

export function countWinners({ roles }: Pick<RootSnapshot, 'roles'>): number {
  let winners = 0;
  for (const role of roles) if (role === Role.winner) winners++;
  return winners;
}

export function sameFingerprint(a: Float64Array, indexA: number, b: Float64Array, indexB: number): boolean {
  const startA = indexA * FINGERPRINT_NUMBERS;
  const startB = indexB * FINGERPRINT_NUMBERS;
  for (let offset = 0; offset < FINGERPRINT_NUMBERS; offset++) {
    if (a[startA + offset] !== b[startB + offset]) return false;
  }
  return true;
}
