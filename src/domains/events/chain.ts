/** The hash chain of a stream. Pure. */
import { sha256Hex } from '../../lib/digest.ts';
import type { EventDraft, EventRow } from './schema.ts';

export interface ChainPlace {
  readonly seq: number;
  readonly id: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  /** Hash of the stream's event before, '' for the first. */
  readonly prevHash: string;
}

/** A draft whose payload was checked and is written down already. */
export interface SealedEvent extends Omit<EventDraft, 'payload'> {
  /** Canonical JSON. */
  readonly payload: string;
}

export function sealEvent(draft: EventDraft): SealedEvent {
  return { ...draft, payload: canonicalJson(draft.payload) };
}

/** The event becomes the row that follows in its stream. */
export function chainRow(event: SealedEvent, { seq, id, at, prevHash }: ChainPlace): EventRow {
  const row = {
    seq,
    id,
    stream: event.stream,
    session_id: sessionOfStream(event.stream),
    type: event.type,
    at,
    actor: event.actor,
    parent_id: event.parentId ?? null,
    payload: event.payload,
    sensitivity: event.sensitivity,
    prev_hash: prevHash,
    hash: '',
  };
  row.hash = eventHash(row);
  return row;
}

const SESSION_STREAM = 'session:';

/** Every event of a session is in this stream, so that its chain covers them all. */
export function sessionStream(session: string): string {
  return `${SESSION_STREAM}${session}`;
}

function sessionOfStream(stream: string): string | null {
  return stream.startsWith(SESSION_STREAM) ? stream.slice(SESSION_STREAM.length) : null;
}

/** Covers the previous hash and every column of the row, so that neither can change unseen. */
export function eventHash(row: Omit<EventRow, 'hash'>): string {
  const { actor, at, id, parent_id, payload, sensitivity, seq, session_id, stream, type } = row;
  // Canonical JSON by hand: these are its members in order, and none of them has members of its own.
  const facts = { actor, at, id, parent_id, payload, sensitivity, seq, session_id, stream, type };
  return sha256Hex(row.prev_hash + JSON.stringify(facts));
}

export interface ChainBreak {
  readonly seq: number;
  readonly stream: string;
  readonly problem: string;
}

/** The last event that was written, as the database itself noted it. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

export interface ChainCheck {
  check(rows: readonly EventRow[]): ChainBreak | null;
  /** After the last page: whether the log ends where it was last seen to end. */
  end(head: ChainHead): ChainBreak | null;
}

/** Follows all streams through the log in order; one `check` per page. */
export function createChainCheck(): ChainCheck {
  const hashes = new Map<string, string>();
  let last: ChainHead & { readonly stream: string } = { seq: 0, hash: '', stream: '' };
  return {
    check(rows) {
      for (const row of rows) {
        const gap = row.seq === last.seq + 1 ? null : `event ${last.seq + 1} is missing`;
        const problem = gap ?? brokenLink(row, hashes.get(row.stream) ?? '');
        if (problem !== null) return { seq: row.seq, stream: row.stream, problem };
        hashes.set(row.stream, row.hash);
        last = row;
      }
      return null;
    },
    end(head) {
      if (head.seq === last.seq && head.hash === last.hash) return null;
      const problem =
        head.seq > last.seq
          ? `events ${last.seq + 1} to ${head.seq} are missing`
          : "it was added behind the log's back";
      return { seq: Math.max(head.seq, last.seq), stream: last.stream, problem };
    },
  };
}

/** The same for one stream alone, whose sequence numbers have gaps. */
export function streamBreak(rows: readonly EventRow[]): ChainBreak | null {
  let before = '';
  for (const row of rows) {
    const problem = brokenLink(row, before);
    if (problem !== null) return { seq: row.seq, stream: row.stream, problem };
    before = row.hash;
  }
  return null;
}

function brokenLink({ hash, ...facts }: EventRow, before: string): string | null {
  if (facts.prev_hash !== before) return 'it does not follow the event before it in its stream';
  return eventHash(facts) === hash ? null : 'its content does not match its hash';
}

/** JSON with sorted keys: the same value always gives the same text. */
export function canonicalJson(value: unknown): string {
  // Most of what comes here is in order already; looking first is cheaper than writing it ourselves.
  if (isInOrder(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // Only an object or a list can be out of order.
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

function isInOrder(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every(isInOrder);
  const members = value as Readonly<Record<string, unknown>>;
  let before = '';
  for (const key of Object.keys(members)) {
    if (key < before || !isInOrder(members[key])) return false;
    before = key;
  }
  return true;
}
