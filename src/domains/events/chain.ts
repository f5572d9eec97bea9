/** The hash chain of a stream. Pure. */
import { sha256Hex } from '../../lib/digest.ts';
import { checkPayload, type EventDraft, type EventRow } from './schema.ts';

export interface ChainPlace {
  readonly seq: number;
  readonly id: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  /** Hash of the stream's event before, '' for the first. */
  readonly prevHash: string;
}

/** A checked draft becomes the row that follows in its stream. */
export function chainRow(draft: EventDraft, { seq, id, at, prevHash }: ChainPlace): EventRow {
  const facts = {
    seq,
    id,
    stream: draft.stream,
    session_id: draft.sessionId ?? null,
    type: draft.type,
    at,
    actor: draft.actor,
    parent_id: draft.parentId ?? null,
    payload: canonicalJson(checkPayload(draft)),
    sensitivity: draft.sensitivity,
    prev_hash: prevHash,
  };
  return { ...facts, hash: eventHash(facts) };
}

/** Covers the previous hash and every column of the row, so that neither can change unseen. */
export function eventHash(row: Omit<EventRow, 'hash'>): string {
  const { prev_hash, ...facts } = row;
  return sha256Hex(prev_hash + canonicalJson(facts));
}

export interface ChainBreak {
  readonly seq: number;
  readonly stream: string;
  readonly problem: string;
}

/** Follows all streams through the log in order; one `check` per page. */
export function createChainCheck(): { check(rows: readonly EventRow[]): ChainBreak | null } {
  const hashes = new Map<string, string>();
  let lastSeq = 0;
  return {
    check(rows) {
      for (const row of rows) {
        const { hash, ...facts } = row;
        const before = hashes.get(row.stream) ?? '';
        const problem =
          row.seq !== lastSeq + 1
            ? `event ${lastSeq + 1} is missing`
            : row.prev_hash !== before
              ? 'it does not follow the event before it in its stream'
              : eventHash(facts) !== hash
                ? 'its content does not match its hash'
                : null;
        if (problem !== null) return { seq: row.seq, stream: row.stream, problem };
        hashes.set(row.stream, hash);
        lastSeq = row.seq;
      }
      return null;
    },
  };
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
