/** A root's snapshot packed into bytes: a rescan of 100 000 unchanged skills then reads one value. */
import { crc32 } from 'node:zlib';

import type { RootSnapshot } from './root-snapshot.ts';
import { FORMAT, HEADER_BYTES, layoutOf, SEPARATOR, seenIn } from './snapshot-layout.ts';

export function encodeSnapshot(snapshot: RootSnapshot): Buffer {
  const { directories, fingerprints, roles, names, listed } = snapshot;
  const directoryBytes = Buffer.from(directories.join(SEPARATOR));
  const nameBytes = Buffer.from(JSON.stringify([...names]));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(FORMAT, 0);
  header.writeUInt32LE(directories.length, 4);
  header.writeUInt32LE(directoryBytes.length, 8);
  header.writeUInt32LE(nameBytes.length, 12);
  const parts = [header, bytesOf(listed), bytesOf(fingerprints), roles, directoryBytes, nameBytes];
  const bytes = Buffer.concat(parts);
  bytes.writeUInt32LE(checksum(bytes), 16);
  return bytes;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Null when the bytes are of another format or damaged: the root is then simply read anew. */
export function decodeSnapshot(bytes: Uint8Array): RootSnapshot | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const layout = layoutOf(view);
  if (layout === null || view.readUInt32LE(16) !== checksum(view)) return null;
  return {
    ...seenIn(view, layout),
    // The checksum vouches for these being the bytes that `encodeSnapshot` wrote.
    names: new Map(JSON.parse(view.toString('utf8', layout.directoriesEnd)) as [number, string][]),
  };
}

// SQLite does not notice most damage; a wrong name in here would leave rows of skills that are gone.
function checksum(bytes: Buffer): number {
  return crc32(bytes.subarray(HEADER_BYTES), crc32(bytes.subarray(0, HEADER_BYTES - 4)));
}
