/** How the bytes of a root's snapshot are laid out, and the part of them that says what was seen. */
import { FINGERPRINT_NUMBERS, type RootSnapshot } from './root-snapshot.ts';

export const FORMAT = 2;
/** Format, entries, bytes of directories, bytes of names, checksum. */
export const HEADER_BYTES = 20;
// NUL is the one character that no path and no name can hold.
export const SEPARATOR = '\0';

/** Where the parts end: fingerprints · roles · directories · names. */
export interface Layout {
  readonly entries: number;
  readonly fingerprintsEnd: number;
  readonly rolesEnd: number;
  readonly directoriesEnd: number;
}

/** Null when the bytes are of another format, or some are missing. */
export function layoutOf(bytes: Buffer): Layout | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== FORMAT) return null;
  const entries = bytes.readUInt32LE(4);
  const fingerprintsEnd = HEADER_BYTES + entries * FINGERPRINT_NUMBERS * Float64Array.BYTES_PER_ELEMENT;
  const rolesEnd = fingerprintsEnd + entries;
  const directoriesEnd = rolesEnd + bytes.readUInt32LE(8);
  if (directoriesEnd + bytes.readUInt32LE(12) !== bytes.length) return null;
  return { entries, fingerprintsEnd, rolesEnd, directoriesEnd };
}

export type SeenDirectories = Omit<RootSnapshot, 'names'>;

export function seenIn(
  bytes: Buffer,
  { entries, fingerprintsEnd, rolesEnd, directoriesEnd }: Layout,
): SeenDirectories {
  const fingerprints = new Float64Array(entries * FINGERPRINT_NUMBERS);
  // Copied: the driver's buffer need not be aligned for 8-byte numbers.
  Buffer.from(fingerprints.buffer).set(bytes.subarray(HEADER_BYTES, fingerprintsEnd));
  return {
    fingerprints,
    roles: new Uint8Array(bytes.subarray(fingerprintsEnd, rolesEnd)),
    directories: entries === 0 ? [] : bytes.toString('utf8', rolesEnd, directoriesEnd).split(SEPARATOR),
  };
}
