/** Appends to the event log inside a synchronous transaction, such as the index's. */
import type Database from 'better-sqlite3';

import { type Clock, isoNow } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { chainRow, sealEvent } from './chain.ts';
import type { EventDraft, EventLog, EventRow } from './schema.ts';

export interface EventLogParts {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Throws when a payload does not fit its type: `checkPayload`, but where its schemas cost more than they tell. */
  readonly check: (draft: EventDraft) => void;
}

export function createEventLog(db: Database.Database, { clock, ids, check }: EventLogParts): EventLog {
  const lastSeq = db.prepare('SELECT max(seq) FROM events').pluck();
  const lastHash = db.prepare('SELECT hash FROM events WHERE stream = ? ORDER BY seq DESC LIMIT 1').pluck();
  const insert = db.prepare(
    `INSERT INTO events (seq, id, stream, session_id, type, at, actor, parent_id, payload, sensitivity, prev_hash, hash)
     VALUES (:seq, :id, :stream, :session_id, :type, :at, :actor, :parent_id, :payload, :sensitivity, :prev_hash, :hash)`,
  );
  const moveHead = db.prepare('UPDATE event_head SET seq = :seq, hash = :hash');
  const append = (drafts: readonly EventDraft[]): readonly EventRow[] => {
    if (!db.inTransaction) throw new Error('events are appended inside a transaction');
    let seq = Number(lastSeq.get() ?? 0);
    const at = isoNow(clock);
    const rows = drafts.map((draft) => {
      check(draft);
      seq++;
      const prevHash = String(lastHash.get(draft.stream) ?? '');
      const row = chainRow(sealEvent(draft), { seq, id: draft.id ?? ids.ulid(), at, prevHash });
      insert.run(row);
      return row;
    });
    const last = rows.at(-1);
    if (last !== undefined) moveHead.run({ seq: last.seq, hash: last.hash });
    return rows;
  };
  const alone = db.transaction(append);
  return { append, appendAlone: (drafts) => alone.immediate(drafts) };
}
