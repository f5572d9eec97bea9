import { hash } from 'node:crypto';

/** sha256 as 64 lower-case hex digits. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}
