/** Compares a recorded session with its repetition, event by event. Pure: everything it looks at is handed in. */
import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError } from '../../lib/errors.ts';
import { canonicalJson } from '../events/chain.ts';
import type { EventRow, StoredArtifact } from '../events/schema.ts';

export interface Difference {
  /** Which event, counted from 1 in the order of the recording. */
  readonly event: number;
  readonly type: string;
  /** Where inside it, for example `payload.digest`, or `answer, line 3`. */
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

/** An event and those that it caused. */
export interface RecordedCall {
  readonly first: EventRow;
  readonly rows: readonly EventRow[];
}

/**
 * Calls that overlapped in time are put one after the other, each with its own events, in the order in which they
 * ended: that is the order in which they saw each other's effects.
 */
export function groupCalls(rows: readonly EventRow[]): readonly RecordedCall[] {
  const children = new Map<string, EventRow[]>();
  for (const row of rows) {
    if (row.parent_id === null) continue;
    const siblings = children.get(row.parent_id) ?? [];
    siblings.push(row);
    children.set(row.parent_id, siblings);
  }
  const ids = new Set(rows.map(({ id }) => id));
  const lastSeq = ({ rows: own }: RecordedCall) => own.at(-1)?.seq ?? 0;
  return rows
    .filter(({ parent_id }) => parent_id === null || !ids.has(parent_id))
    .map((first) => ({ first, rows: [first, ...(children.get(first.id) ?? [])] }))
    .sort((a, b) => lastSeq(a) - lastSeq(b));
}

export interface Found extends Pick<Difference, 'where' | 'recorded' | 'replayed'> {
  /** Position in the two streams, from 0. */
  readonly index: number;
}

/** The first difference, or null when the two streams are equal. */
export function firstDifference(
  recorded: readonly ComparedEvent[],
  replayed: readonly ComparedEvent[],
): Found | null {
  const length = Math.max(recorded.length, replayed.length);
  for (let index = 0; index < length; index++) {
    const found = differenceIn(recorded[index], replayed[index]);
    if (found !== null) return { index, ...found };
  }
  return null;
}

function differenceIn(
  before: ComparedEvent | undefined,
  now: ComparedEvent | undefined,
): Omit<Found, 'index'> | null {
  if (before === undefined || now === undefined) {
    return { where: 'event', recorded: before?.type ?? '(none)', replayed: now?.type ?? '(none)' };
  }
  if (before.type !== now.type) return { where: 'type', recorded: before.type, replayed: now.type };
  return differenceAt('payload', before.payload, now.payload);
}

function differenceAt(where: string, before: unknown, now: unknown): Omit<Found, 'index'> | null {
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

/** What a call answered: the text that a model reads, and the data beside it. */
export interface Answer {
  readonly text?: string | undefined;
  readonly data?: unknown;
}

/** Two digests tell a person nothing; the first line that differs does. */
export function firstDifferentLine(before: Answer, now: Answer): Omit<Found, 'index'> | null {
  const read = (answer: Answer) => answer.text ?? JSON.stringify(answer.data, null, 2);
  const pairs = [
    ['answer', read(before), read(now)],
    ['data', JSON.stringify(before.data, null, 2), JSON.stringify(now.data, null, 2)],
  ] as const;
  const [what, old, fresh] = pairs.find(([, a, b]) => a !== b) ?? [];
  if (what === undefined) return null;
  const oldLines = old?.split('\n') ?? [];
  const freshLines = fresh?.split('\n') ?? [];
  let index = 0;
  while (oldLines[index] === freshLines[index]) index++;
  return {
    where: `${what}, line ${index + 1}`,
    recorded: oldLines[index] ?? '(none)',
    replayed: freshLines[index] ?? '(none)',
  };
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
