import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

import { systemCodeOf } from './errors.ts';

export type RegularFile =
  | { readonly ok: true; readonly bytes: Buffer; readonly stats: Stats }
  | { readonly ok: false; readonly reason: 'not-regular' | 'too-large' | 'changed' };

// Non-blocking, so that a pipe without writer opens at once; no link, no controlling terminal.
export const SAFE_READ: number =
  constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Reads a file without ever waiting; every decision is made on the open file, because the path may lead elsewhere a moment later. */
export function readRegularFile(file: string, bytesMax: number): RegularFile {
  const fd = openSync(file, SAFE_READ);
  try {
    return readOpenFile(fd, bytesMax);
  } finally {
    closeSync(fd);
  }
}

/** Its bytes, for whom nothing else matters: null when it is not there, or is no file that may be read. */
export function regularBytes(file: string, bytesMax: number): Buffer | null {
  try {
    const read = readRegularFile(file, bytesMax);
    return read.ok ? read.bytes : null;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
}

/** `into` saves a buffer of its own: the bytes are then good until the caller's next read into it. */
export function readOpenFile(fd: number, bytesMax: number, into?: Buffer): RegularFile {
  const stats = fstatSync(fd);
  if (!stats.isFile()) return { ok: false, reason: 'not-regular' };
  if (stats.size > bytesMax) return { ok: false, reason: 'too-large' };
  // The spare byte shows in the same call whether the file has grown.
  const buffer = into !== undefined && into.length > stats.size ? into : Buffer.allocUnsafe(stats.size + 1);
  let length = readSync(fd, buffer, 0, stats.size + 1, null);
  // A short read is rare on a disk but allowed; only an empty one means the end.
  for (let more = length; more > 0 && length < stats.size; length += more) {
    more = readSync(fd, buffer, length, stats.size + 1 - length, null);
  }
  if (length > stats.size) return { ok: false, reason: 'changed' };
  return { ok: true, bytes: buffer.subarray(0, length), stats };
}
