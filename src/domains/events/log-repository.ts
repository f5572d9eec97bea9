/** Appends to the event log inside a synchronous transaction, such as the index's. */
import type Database from 'better-sqlite3';

import { type Clock, isoNow } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { canonicalJson, eventHash } from './chain.ts';
import { checkPayload, type EventDraft, type EventLog, type EventRow } from './schema.ts';

export function createEventLog(
  db: Database.Database,
  parts: { readonly clock: Clock; readonly ids: Ids },
): EventLog {
  const lastSeq = db.prepare('SELECT max(seq) FROM events').pluck();
  const lastHash = db.prepare('SELECT hash FROM events WHERE stream = ? ORDER BY seq DESC LIMIT 1').pluck();
  const insert = db.prepare(
    `INSERT INTO events (seq, id, stream, session_id, type, at, actor, parent_id, payload, sensitivity, prev_hash, hash)
     VALUES (:seq, :id, :stream, :session_id, :type, :at, :actor, :parent_id, :payload, :sensitivity, :prev_hash, :hash)`,
  );
  const append = (drafts: readonly EventDraft[]): readonly EventRow[] => {
    if (!db.inTransaction) throw new Error('events are appended inside a transaction');
    let seq = Number(lastSeq.get() ?? 0);
    return drafts.map((draft) => {
      seq++;
      const facts = {
        seq,
        id: parts.ids.ulid(),
        stream: draft.stream,
        session_id: draft.sessionId ?? null,
        type: draft.type,
        at: isoNow(parts.clock),
        actor: draft.actor,
        parent_id: draft.parentId ?? null,
        payload: canonicalJson(checkPayload(draft)),
        sensitivity: draft.sensitivity,
        prev_hash: String(lastHash.get(draft.stream) ?? ''),
      };
      const row: EventRow = { ...facts, hash: eventHash(facts) };
      insert.run(row);
      return row;
    });
  };
  const alone = db.transaction(append);
  return { append, appendAlone: (drafts) => alone.immediate(drafts) };
}
