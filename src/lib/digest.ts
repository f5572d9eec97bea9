import type { hash as hashOf } from 'node:crypto';

/** sha256 as 64 lower-case hex digits. */
export function sha256Hex(content: string | Uint8Array): string {
  // Loaded with the first use: it takes as long as all else of a command that finds nothing changed.
  hash ??= process.getBuiltinModule('node:crypto').hash;
  return hash('sha256', content, 'hex');
}

let hash: typeof hashOf | undefined;
