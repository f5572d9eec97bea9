import type { Json } from '../../../lib/json.ts';

const HALF_SURROGATE = /\p{Surrogate}/u;

/** The first text with NUL or half a surrogate pair: databases and other readers mangle both. */
export function findInvalidText(value: Json): string | null {
  if (typeof value === 'string') return value.includes('\0') || HALF_SURROGATE.test(value) ? value : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, entry] of Object.entries(value)) {
    const found = findInvalidText(key) ?? findInvalidText(entry);
    if (found !== null) return found;
  }
  return null;
}

/** Freezes a tree in place, so that no caller can change what another one sees. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const entry of Object.values(value)) deepFreeze(entry);
  return Object.freeze(value);
}
