/** Keeps the beginning and the end of a stream, however long it gets. */
import { sha256Hex } from '../../../lib/digest.ts';

export interface Captured {
  /** What was kept; where something is missing in the middle, a line says how much. */
  readonly bytes: Buffer;
  /** sha256 of `bytes`, hex. */
  readonly digest: string;
  /** Bytes that were written, kept or not. */
  readonly total: number;
  readonly truncated: boolean;
}

export interface Capture {
  push(chunk: Buffer): void;
  total(): number;
  result(): Captured;
}

export function createCapture(bytesMax: number): Capture {
  const headMax = Math.ceil(bytesMax / 2);
  const tailMax = bytesMax - headMax;
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let total = 0;
  return {
    push(chunk) {
      total += chunk.length;
      const first = chunk.subarray(0, headMax - headBytes);
      if (first.length > 0) head.push(first);
      headBytes += first.length;
      const rest = chunk.subarray(first.length);
      if (rest.length === 0) return;
      tail.push(rest);
      tailBytes += rest.length;
      for (let oldest = tail[0]; oldest !== undefined; oldest = tail[0]) {
        if (tailBytes - oldest.length < tailMax) break;
        tailBytes -= oldest.length;
        tail.shift();
      }
    },
    total: () => total,
    result() {
      const kept = Buffer.concat(tail);
      const end = kept.subarray(Math.max(0, kept.length - tailMax));
      const missing = total - headBytes - end.length;
      const gap = missing > 0 ? [Buffer.from(`\n[${missing} bytes left out]\n`)] : [];
      const bytes = Buffer.concat([...head, ...gap, end]);
      return { bytes, digest: sha256Hex(bytes), total, truncated: missing > 0 };
    },
  };
}
