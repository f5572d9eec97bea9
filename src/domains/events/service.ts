/** The event log: append in a transaction, read by sequence, follow live, verify. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Json } from '../../lib/json.ts';
import {
  type ArtifactSchema,
  artifactsOf,
  collectArtifacts,
  findArtifact,
  putArtifacts,
} from './artifact-repository.ts';
import { type AuditRow, insertAudit } from './audit-repository.ts';
import { type ChainBreak, chainRow, createChainCheck, type SealedEvent, sealEvent } from './chain.ts';
import {
  type EventFilter,
  type EventSchema,
  insertEvents,
  lastEvent,
  lastHash,
  moveHead,
  readEvents,
  readHead,
} from './repository.ts';
import { checkPayload, type EventDraft, type EventRow, type StoredArtifact } from './schema.ts';

export interface EventsService {
  append(transaction: RecordTransaction, drafts: readonly EventDraft[]): Promise<readonly EventRow[]>;
  /** For whoever writes so many that checking each payload again would cost more than all else. */
  appendSealed(transaction: RecordTransaction, events: readonly SealedEvent[]): Promise<readonly EventRow[]>;
  /** One row of the audit log, beside the change that it is about. */
  audit(transaction: RecordTransaction, entry: AuditEntry): Promise<void>;
  /** Keeps content while the session's records are kept. */
  storeArtifacts(
    transaction: RecordTransaction,
    session: string,
    artifacts: readonly StoredArtifact[],
  ): Promise<void>;
  /** Inside a transaction, hand it over: anything else would wait for it to end. */
  artifact(digest: string, transaction?: RecordTransaction): Promise<Uint8Array | null>;
  artifactsOf(session: string): Promise<readonly StoredArtifact[]>;
  /** Deletes content that nothing refers to and says how much went. */
  collectArtifacts(): Promise<number>;
  /** Durable reading: what was acknowledged is there. */
  read(filter?: EventFilter): Promise<readonly EventRow[]>;
  /** Every event of a session, from the first to the last. */
  ofSession(id: string): Promise<readonly EventRow[]>;
  /** The sequence number of the last event; 0 when there is none. */
  last(): Promise<number>;
  /** Live: calls back with new events of this and other processes, from `after` on; the answer ends it. */
  follow(filter: EventFilter, listener: (rows: readonly EventRow[]) => void): () => void;
  /** Looks for new events at once instead of at the next poll; called after a commit. */
  wake(): void;
  /** The first event that was changed, removed or slipped in, or null; and how many were looked at. */
  verify(): Promise<{ readonly events: number; readonly broken: ChainBreak | null }>;
}

/** Who did what to whom, as the audit log keeps it. */
export interface AuditEntry {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** `ok`, or a code. */
  readonly outcome: string;
  readonly detail: Json;
}

/** Other processes give no signal, so followers also look on their own. */
const POLL_MS = 250;

export function createEventsService(
  db: ColibriDatabase,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): EventsService {
  const followers = new Set<() => void>();
  const read = async (filter: EventFilter = {}): Promise<readonly EventRow[]> =>
    readEvents(await db.records<EventSchema>(), filter);

  return {
    read,
    append: (transaction, drafts) => appendEvents(transaction, drafts.map(checkedEvent), { clock, ids }),
    appendSealed: (transaction, sealed) => appendEvents(transaction, sealed, { clock, ids }),
    audit: (transaction, entry) =>
      insertAudit(transaction, auditRow(entry, { id: ids.ulid(), at: isoNow(clock) })),
    storeArtifacts: (transaction, session, artifacts) =>
      putArtifacts(transaction, session, { artifacts, at: isoNow(clock) }),
    artifact: async (digest, transaction) =>
      findArtifact(transaction ?? (await db.records<ArtifactSchema>()), digest),
    artifactsOf: async (session) => artifactsOf(await db.records<ArtifactSchema>(), session),
    collectArtifacts: () => db.transact(collectArtifacts),
    last: async () => (await readHead(await db.records<EventSchema>())).seq,
    wake: () => {
      for (const look of followers) look();
    },
    follow(filter, listener) {
      const tail = followTail((after) => read({ ...filter, after }), filter.after ?? 0, listener);
      followers.add(tail.look);
      return () => {
        followers.delete(tail.look);
        tail.end();
      };
    },
    async ofSession(session) {
      const all: EventRow[] = [];
      for (;;) {
        const page = await read({ session, after: all.at(-1)?.seq });
        if (page.length === 0) return all;
        all.push(...page);
      }
    },
    async verify() {
      const chain = createChainCheck();
      let events = 0;
      let after: number | undefined;
      for (;;) {
        // Before the pages: what is written while they are read must not look like too much.
        const head = await readHead(await db.records<EventSchema>());
        const rows = await read({ after });
        const broken = chain.check(rows);
        events += rows.length;
        after = rows.at(-1)?.seq;
        if (broken !== null) return { events, broken };
        if (rows.length === 0) return { events, broken: chain.end(head) };
      }
    },
  };
}

/** Each follows the one before it in its stream, and all of them the last of the log. */
async function appendEvents(
  transaction: RecordTransaction,
  events: readonly SealedEvent[],
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): Promise<readonly EventRow[]> {
  let { seq } = await lastEvent(transaction);
  const at = isoNow(clock);
  const hashes = new Map<string, string>();
  const rows: EventRow[] = [];
  for (const event of events) {
    seq++;
    const prevHash = hashes.get(event.stream) ?? (await lastHash(transaction, event.stream));
    const row = chainRow(event, { seq, id: event.id ?? ids.ulid(), at, prevHash });
    hashes.set(event.stream, row.hash);
    rows.push(row);
  }
  await insertEvents(transaction, rows);
  const last = rows.at(-1);
  if (last !== undefined) await moveHead(transaction, last);
  return rows;
}

function checkedEvent(draft: EventDraft): SealedEvent {
  checkPayload(draft);
  return sealEvent(draft);
}

function auditRow(
  { detail, ...entry }: AuditEntry,
  facts: { readonly id: string; readonly at: string },
): AuditRow {
  return { ...entry, ...facts, duration_ms: null, detail: JSON.stringify(detail) };
}

/** Reads from where it left off whenever it is told to look, one read at a time. */
function followTail(
  read: (after: number) => Promise<readonly EventRow[]>,
  from: number,
  listener: (rows: readonly EventRow[]) => void,
): { look(): void; end(): void } {
  let after = from;
  let busy = false;
  let again = false;
  let ended = false;
  const run = async (): Promise<void> => {
    busy = true;
    do {
      again = false;
      const rows = await read(after);
      if (ended) return;
      if (rows.length > 0) {
        after = rows.at(-1)?.seq ?? after;
        again = true;
        listener(rows);
      }
    } while (again && !ended);
    busy = false;
  };
  const look = (): void => {
    again = true;
    // A read that fails, for example because the database closes, is tried again at the next look.
    if (!busy && !ended) run().catch(() => (busy = false));
  };
  const timer = setInterval(look, POLL_MS);
  look();
  return {
    look,
    end() {
      ended = true;
      clearInterval(timer);
    },
  };
}
