/** How the bytes of a root's snapshot are laid out, and the part of them that says what was seen. */
import { FINGERPRINT_NUMBERS, LISTED_NUMBERS, type RootSnapshot } from './root-snapshot.ts';

export const FORMAT = 3;
/** Format, entries, bytes of directories, bytes of names, checksum. */
export const HEADER_BYTES = 20;
// NUL is the one character that no path and no name can hold.
export const SEPARATOR = '\0';

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** Where the parts end: header · listed · fingerprints · roles · directories · names. */
export interface Layout {
  readonly listedEnd: number;
  readonly fingerprintsEnd: number;
  readonly rolesEnd: number;
  readonly directoriesEnd: number;
}

/** Null when the bytes are of another format, or some are missing. */
export function layoutOf(bytes: Buffer): Layout | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== FORMAT) return null;
  const entries = bytes.readUInt32LE(4);
  const listedEnd = HEADER_BYTES + LISTED_NUMBERS * NUMBER_BYTES;
  const fingerprintsEnd = listedEnd + entries * FINGERPRINT_NUMBERS * NUMBER_BYTES;
  const rolesEnd = fingerprintsEnd + entries;
  const directoriesEnd = rolesEnd + bytes.readUInt32LE(8);
  if (directoriesEnd + bytes.readUInt32LE(12) !== bytes.length) return null;
  return { listedEnd, fingerprintsEnd, rolesEnd, directoriesEnd };
}

export type SeenDirectories = Omit<RootSnapshot, 'names'>;

/** A root as it is stored. */
export interface RootBytes {
  readonly path: string;
  readonly key: string;
  readonly snapshot: Uint8Array;
}

export interface SeenRoot extends SeenDirectories {
  readonly path: string;
  readonly key: string;
}

/** Those of another format are left out. */
export function seenRoots(roots: readonly RootBytes[]): readonly SeenRoot[] {
  return roots.flatMap(({ path, key, snapshot }) => {
    const bytes = Buffer.from(snapshot.buffer, snapshot.byteOffset, snapshot.byteLength);
    const layout = layoutOf(bytes);
    return layout === null ? [] : [{ path, key, ...seenIn(bytes, layout) }];
  });
}

export function seenIn(
  bytes: Buffer,
  { listedEnd, fingerprintsEnd, rolesEnd, directoriesEnd }: Layout,
): SeenDirectories {
  const directories = bytes.toString('utf8', rolesEnd, directoriesEnd);
  return {
    listed: numbersIn(bytes.subarray(HEADER_BYTES, listedEnd)),
    fingerprints: numbersIn(bytes.subarray(listedEnd, fingerprintsEnd)),
    roles: new Uint8Array(bytes.subarray(fingerprintsEnd, rolesEnd)),
    directories: directories === '' ? [] : directories.split(SEPARATOR),
  };
}

/** Copied: the driver's buffer need not be aligned for 8-byte numbers. */
function numbersIn(bytes: Buffer): Float64Array {
  const numbers = new Float64Array(bytes.length / NUMBER_BYTES);
  Buffer.from(numbers.buffer).set(bytes);
  return numbers;
}
