/** Runs a recorded session again and compares, event by event. Pure: everything it looks at is handed in. */
import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError } from '../../lib/errors.ts';
import { canonicalJson } from '../events/chain.ts';
import type { EventRow, StoredArtifact } from '../events/schema.ts';

export interface Difference {
  /** Which event, counted from 1 in the order of the recording. */
  readonly event: number;
  readonly type: string;
  /** Where inside it, for example `payload.digest`. */
  readonly where: string;
  readonly recorded: string;
  readonly replayed: string;
}

/** What of an event must be the same again; ids and times are left aside. */
export interface ComparedEvent {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const VOLATILE = ['call_id', 'duration_ms'];

export function comparedEvent({ type, payload }: Pick<EventRow, 'type' | 'payload'>): ComparedEvent {
  const members = Object.entries(JSON.parse(payload) as Record<string, unknown>);
  return { type, payload: Object.fromEntries(members.filter(([name]) => !VOLATILE.includes(name))) };
}

/** The first difference, or null when the two streams are equal. */
export function firstDifference(
  recorded: readonly ComparedEvent[],
  replayed: readonly ComparedEvent[],
): Difference | null {
  const length = Math.max(recorded.length, replayed.length);
  for (let index = 0; index < length; index++) {
    const before = recorded[index];
    const now = replayed[index];
    const found = differenceIn(before, now);
    if (found !== null) return { event: index + 1, type: (before ?? now)?.type ?? '', ...found };
  }
  return null;
}

type Found = Pick<Difference, 'where' | 'recorded' | 'replayed'>;

function differenceIn(before: ComparedEvent | undefined, now: ComparedEvent | undefined): Found | null {
  if (before === undefined || now === undefined) {
    return { where: 'event', recorded: before?.type ?? '(none)', replayed: now?.type ?? '(none)' };
  }
  if (before.type !== now.type) return { where: 'type', recorded: before.type, replayed: now.type };
  return differenceAt('payload', before.payload, now.payload);
}

function differenceAt(where: string, before: unknown, now: unknown): Found | null {
  if (canonicalJson(before) === canonicalJson(now)) return null;
  if (isMap(before) && isMap(now)) {
    for (const key of [...new Set([...Object.keys(before), ...Object.keys(now)])].sort()) {
      const found = differenceAt(`${where}.${key}`, before[key], now[key]);
      if (found !== null) return found;
    }
  }
  return { where, recorded: shown(before), replayed: shown(now) };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined ? '(none)' : typeof value === 'string' ? value : canonicalJson(value);
}

/** Throws on the first artifact whose content is not what its digest says. */
export function checkArtifacts(artifacts: readonly StoredArtifact[]): void {
  for (const { digest, bytes } of artifacts) {
    const found = sha256Hex(bytes);
    if (found === digest) continue;
    const message = `artifact ${digest} was changed: its content now hashes to ${found}`;
    throw new ColibriError('ARTIFACT_DAMAGED', message, { digest, found });
  }
}
