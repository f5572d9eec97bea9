/** The hash chain of a stream. */
import { sha256Hex } from '../../lib/digest.ts';
import type { EventRow } from './schema.ts';

/** Covers the previous hash and every column of the row, so that neither can change unseen. */
export function eventHash(row: Omit<EventRow, 'hash'>): string {
  const { prev_hash, ...facts } = row;
  return sha256Hex(prev_hash + canonicalJson(facts));
}

/** JSON with sorted keys: the same value always gives the same text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
