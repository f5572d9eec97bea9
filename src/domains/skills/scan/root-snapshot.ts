/** What one scan saw of one root, packed into bytes: a rescan of 100 000 unchanged skills then reads one value. */
import { crc32 } from 'node:zlib';

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
}

export const FINGERPRINT_NUMBERS = 4;

export const EMPTY_SNAPSHOT: RootSnapshot = {
  directories: [],
  fingerprints: new Float64Array(),
  roles: new Uint8Array(),
  names: new Map(),
};

export function skillNameAt(snapshot: RootSnapshot, index: number): string {
  const renamed = snapshot.names.get(index);
  if (renamed !== undefined) return renamed;
  const directory = snapshot.directories[index] ?? '';
  return directory.slice(directory.lastIndexOf('/') + 1);
}

export function sameFingerprint(a: Float64Array, indexA: number, b: Float64Array, indexB: number): boolean {
  const startA = indexA * FINGERPRINT_NUMBERS;
  const startB = indexB * FINGERPRINT_NUMBERS;
  for (let offset = 0; offset < FINGERPRINT_NUMBERS; offset++) {
    if (a[startA + offset] !== b[startB + offset]) return false;
  }
  return true;
}

const FORMAT = 2;
const HEADER_BYTES = 20;
// NUL is the one character that no path and no name can hold.
const SEPARATOR = '\0';

/** Header (format, entries, bytes of directories, bytes of names, checksum) · fingerprints · roles · directories · names. */
export function encodeSnapshot(snapshot: RootSnapshot): Buffer {
  const { directories, fingerprints, roles, names } = snapshot;
  const directoryBytes = Buffer.from(directories.join(SEPARATOR));
  const nameBytes = Buffer.from(JSON.stringify([...names]));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(FORMAT, 0);
  header.writeUInt32LE(directories.length, 4);
  header.writeUInt32LE(directoryBytes.length, 8);
  header.writeUInt32LE(nameBytes.length, 12);
  const numbers = Buffer.from(fingerprints.buffer, fingerprints.byteOffset, fingerprints.byteLength);
  const bytes = Buffer.concat([header, numbers, roles, directoryBytes, nameBytes]);
  bytes.writeUInt32LE(checksum(bytes), 16);
  return bytes;
}

/** Null when the bytes are of another format or damaged: the root is then simply read anew. */
export function decodeSnapshot(bytes: Uint8Array): RootSnapshot | null {
  if (bytes.length < HEADER_BYTES) return null;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.readUInt32LE(4);
  const numbersEnd = HEADER_BYTES + count * FINGERPRINT_NUMBERS * Float64Array.BYTES_PER_ELEMENT;
  const rolesEnd = numbersEnd + count;
  const directoriesEnd = rolesEnd + view.readUInt32LE(8);
  if (view.readUInt32LE(0) !== FORMAT || directoriesEnd + view.readUInt32LE(12) !== bytes.length) return null;
  if (view.readUInt32LE(16) !== checksum(view)) return null;
  const fingerprints = new Float64Array(count * FINGERPRINT_NUMBERS);
  // Copied: the driver's buffer need not be aligned for 8-byte numbers.
  Buffer.from(fingerprints.buffer).set(view.subarray(HEADER_BYTES, numbersEnd));
  return {
    fingerprints,
    roles: Uint8Array.from(view.subarray(numbersEnd, rolesEnd)),
    directories: count === 0 ? [] : view.toString('utf8', rolesEnd, directoriesEnd).split(SEPARATOR),
    // The checksum vouches for these being the bytes that `encodeSnapshot` wrote.
    names: new Map(JSON.parse(view.toString('utf8', directoriesEnd)) as [number, string][]),
  };
}

// SQLite does not notice most damage; a wrong name in here would leave rows of skills that are gone.
function checksum(bytes: Buffer): number {
  return crc32(bytes.subarray(HEADER_BYTES), crc32(bytes.subarray(0, HEADER_BYTES - 4)));
}
