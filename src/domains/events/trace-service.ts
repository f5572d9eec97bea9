/** The kernel's audit sink for calls inside a session: their inputs and outcomes become the session's events. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { sha256Hex } from '../../lib/digest.ts';
import { createGroupCommit } from '../../lib/group-commit.ts';
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

/** Calls that end in one turn, or while a commit is under way, share the next one. An answer leaves only after its events are safe. */
export function createToolTrace({ db, events }: TraceParts): AuditSink {
  const record = async (transaction: RecordTransaction, entries: readonly Entry[]): Promise<void> => {
    for (const [session, artifacts] of artifactsBySession(entries)) {
      await events.storeArtifacts(transaction, session, [...artifacts.values()]);
    }
    await events.append(
      transaction,
      entries.map(({ draft }) => draft),
    );
  };
  const commits = createGroupCommit<Entry>(async (take) => {
    await db.transact((transaction) => record(transaction, take()));
    events.wake();
  });
  const starts = new Map<string, Promise<void>>();

  return {
    enter(entry) {
      // What a tool records itself must not come before its beginning, so that is queued first.
      const started = commits.add(startedEntry(entry), entry.start === 'with-end' ? 'later' : 'now');
      // Whoever waits for the end waits for the beginning, too.
      starts.set(entry.callId, started);
      return entry.start === 'durable' ? started : undefined;
    },
    exit(entry) {
      const started = starts.get(entry.callId);
      starts.delete(entry.callId);
      const ended = commits.add(endedEntry(entry), 'turn');
      // Most calls begin and end in one commit.
      return started === undefined || started === ended ? ended : bothOf(started, ended);
    },
  };
}

async function bothOf(started: Promise<void>, ended: Promise<void>): Promise<void> {
  await Promise.all([started, ended]);
}

/** Calls that end together often answer the same. */
function artifactsBySession(entries: readonly Entry[]): Map<string, Map<string, StoredArtifact>> {
  const sessions = new Map<string, Map<string, StoredArtifact>>();
  for (const { session, artifact } of entries) {
    if (artifact === null) continue;
    const known = sessions.get(session) ?? new Map<string, StoredArtifact>();
    sessions.set(session, known.set(artifact.digest, artifact));
  }
  return sessions;
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
