/** The kernel's audit sink for calls inside a session: their inputs and outcomes become the session's events. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { sha256Hex } from '../../lib/digest.ts';
import type { Json } from '../../lib/json.ts';
import type { AuditEnter, AuditExit, AuditSink, Caller } from '../../server.ts';
import { canonicalJson } from './chain.ts';
import type { EventDraft, StoredArtifact } from './schema.ts';
import type { EventsService } from './service.ts';

export interface TraceParts {
  readonly db: ColibriDatabase;
  readonly events: EventsService;
}

/** Larger inputs are recorded by digest only; such a call cannot be replayed. */
const INPUT_CHARS_MAX = 64 * 1024;
/** Larger answers are recorded by digest only. */
const OUTPUT_BYTES_MAX = 1024 * 1024;

interface Entry {
  readonly session: string;
  readonly draft: EventDraft;
  readonly artifact: StoredArtifact | null;
}

/** Calls that end while a commit is under way share the next one. An answer leaves only after its events are safe. */
export function createToolTrace({ db, events }: TraceParts): AuditSink {
  let pending: Entry[] = [];
  let commit: Promise<void> | null = null;

  /** Only when it is a commit's turn: whatever came while it waited goes along. */
  const take = (): readonly Entry[] => {
    const entries = pending;
    pending = [];
    commit = null;
    return entries;
  };
  const flush = async (): Promise<void> => {
    let entries: readonly Entry[] | null = null;
    try {
      await db.transact(async (transaction) => {
        entries = take();
        await record(transaction, entries);
      });
    } catch (error) {
      // It never had its turn: whoever waits for it is told, and the next call starts a commit of its own.
      if (entries === null) take();
      throw error;
    }
    events.wake();
  };
  const record = async (transaction: RecordTransaction, entries: readonly Entry[]): Promise<void> => {
    for (const { session, artifact } of entries) {
      if (artifact !== null) await events.storeArtifacts(transaction, session, [artifact]);
    }
    await events.append(
      transaction,
      entries.map(({ draft }) => draft),
    );
  };
  const add = (entry: Entry): Promise<void> => {
    pending.push(entry);
    commit ??= flush();
    return commit;
  };
  const starts = new Map<string, Promise<void>>();

  return {
    enter(entry) {
      const started = add(startedEntry(entry));
      // Whoever waits for the end waits for the beginning, too; until then a failure belongs to nobody.
      started.catch(() => undefined);
      starts.set(entry.callId, started);
      return entry.durable ? started : undefined;
    },
    async exit(entry) {
      const started = starts.get(entry.callId);
      starts.delete(entry.callId);
      await Promise.all([started, add(endedEntry(entry))]);
    },
  };
}

/** Calls inside a session are its events; the others leave a row in the audit log. */
export function routeBySession(trace: AuditSink, log: AuditSink): AuditSink {
  const sinkOf = ({ sessionId }: Caller) => (sessionId === null ? log : trace);
  return {
    enter: (entry) => sinkOf(entry.caller).enter(entry),
    exit: (entry) => sinkOf(entry.caller).exit(entry),
  };
}

function startedEntry({ callId, tool, caller, input }: AuditEnter): Entry {
  const text = canonicalJson(input);
  // What passed a tool's schema came from JSON.
  const recorded = text.length <= INPUT_CHARS_MAX ? (JSON.parse(text) as Json) : { digest: sha256Hex(text) };
  const draft: EventDraft = {
    ...sessionEvent(caller),
    type: 'tool.started',
    id: callId,
    sensitivity: 'private',
    payload: { call_id: callId, tool, input: recorded },
  };
  return { session: sessionOf(caller), draft, artifact: null };
}

function endedEntry({ callId, tool, caller, durationMs, result, text, error }: AuditExit): Entry {
  const common = { ...sessionEvent(caller), parentId: callId, sensitivity: 'pseudonymous' } as const;
  const payload = { call_id: callId, tool, duration_ms: durationMs };
  const output = error === undefined ? toolOutput(result, text) : null;
  const draft: EventDraft =
    error === undefined
      ? { ...common, type: 'tool.finished', payload: { ...payload, result_digest: output?.digest ?? '' } }
      : { ...common, type: 'tool.failed', payload: { ...payload, code: error.code, message: error.message } };
  const artifact = output !== null && output.bytes.length <= OUTPUT_BYTES_MAX ? output : null;
  return { session: sessionOf(caller), draft, artifact };
}

/** What a call answered, in the one form that is stored and compared. */
export function toolOutput(data: unknown, text: string | undefined): StoredArtifact {
  const bytes = Buffer.from(canonicalJson({ data, text }));
  return { digest: sha256Hex(bytes), bytes };
}

function sessionEvent(caller: Caller): { stream: string; sessionId: string; actor: string } {
  const sessionId = sessionOf(caller);
  return { stream: `session:${sessionId}`, sessionId, actor: caller.id };
}

function sessionOf({ sessionId }: Caller): string {
  if (sessionId === null) throw new Error('the trace is for calls inside a session');
  return sessionId;
}
