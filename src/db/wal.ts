/**
 * Looks for damage in a write-ahead log. SQLite itself reads a damaged log up to the first bad frame and silently
 * drops every commit behind it, acknowledged or not; then the next write overwrites them.
 */
import { closeSync, openSync, readSync } from 'node:fs';

import { systemCodeOf } from '../lib/errors.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC_LITTLE_ENDIAN = 0x377f0682;
const MAGIC_BIG_ENDIAN = 0x377f0683;
const SCAN_BYTES_MAX = 67_108_864;
// A power cut can tear the commit that was being written, and no other: each earlier one was synced before.
const TORN_COMMITS_MAX = 1;
const ATTEMPTS = 3;
const ATTEMPT_PAUSE_MS = 20;

/** What is wrong with the log, or nothing. `frames: false` reads the header only. */
export function findWalDamage(walPath: string, options: { readonly frames: boolean }): string | undefined {
  let finding: string | undefined;
  // Another process may be writing just now; damage is what stays.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ATTEMPT_PAUSE_MS);
    const log = readStart(walPath, options.frames ? SCAN_BYTES_MAX : HEADER_BYTES);
    finding = headerDamage(log) ?? (options.frames ? frameDamage(log) : undefined);
    if (finding === undefined) return undefined;
  }
  return finding;
}

function headerDamage(log: Buffer): string | undefined {
  // Shorter than a header or all zeros: the first write never got there, which is how a power cut leaves it.
  if (log.length < HEADER_BYTES) return undefined;
  const header = log.subarray(0, HEADER_BYTES);
  if (header.every((byte) => byte === 0)) return undefined;
  const magic = header.readUInt32BE(0);
  if (magic !== MAGIC_LITTLE_ENDIAN && magic !== MAGIC_BIG_ENDIAN) return 'its write-ahead log is not one';
  const sum = checksum(header.subarray(0, 24), [0, 0], magic);
  if (matches(sum, header, 24)) return undefined;
  return 'the header of its write-ahead log does not match its checksum';
}

function frameDamage(log: Buffer): string | undefined {
  if (log.length < HEADER_BYTES + FRAME_HEADER_BYTES) return undefined;
  const magic = log.readUInt32BE(0);
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let sum: Sum = [log.readUInt32BE(24), log.readUInt32BE(28)];
  let good = true;
  let commitsBehind = 0;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    // Other salts mark what is left of an earlier round of the log.
    const current = salts.equals(log.subarray(at + 8, at + 16));
    if (good && current) {
      sum = checksum(log.subarray(at, at + 8), sum, magic);
      sum = checksum(log.subarray(at + FRAME_HEADER_BYTES, at + frameBytes), sum, magic);
    }
    good &&= current && matches(sum, log, at + 16);
    if (!good && current && log.readUInt32BE(at + 4) > 0) commitsBehind++;
  }
  if (commitsBehind <= TORN_COMMITS_MAX) return undefined;
  return `its write-ahead log is damaged in front of ${commitsBehind} commits`;
}

type Sum = readonly [number, number];

function matches([first, second]: Sum, log: Buffer, at: number): boolean {
  return log.readUInt32BE(at) === first && log.readUInt32BE(at + 4) === second;
}

/** SQLite's running checksum over pairs of 32-bit words, in the byte order that the magic number names. */
function checksum(data: Buffer, start: Sum, magic: number): Sum {
  const littleEndian = magic === MAGIC_LITTLE_ENDIAN;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let [first, second] = start;
  for (let at = 0; at + 8 <= data.byteLength; at += 8) {
    first = (first + view.getUint32(at, littleEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, littleEndian) + first) >>> 0;
  }
  return [first, second];
}

function readStart(path: string, bytesMax: number): Buffer {
  const file = openIfThere(path);
  if (file === undefined) return Buffer.alloc(0);
  try {
    const chunks: Buffer[] = [];
    for (let left = bytesMax; left > 0; ) {
      const chunk = Buffer.allocUnsafe(Math.min(left, 1_048_576));
      const count = readSync(file, chunk);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      left -= count;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(file);
  }
}

/** The last process to close the database deletes the log, maybe just now. */
function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
