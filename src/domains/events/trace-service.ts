/** The kernel's audit sink for calls inside a session: their inputs and outcomes become the session's events. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { sha256Hex } from '../../lib/digest.ts';
import { createGroupCommit } from '../../lib/group-commit.ts';
import { oncePerObject } from '../../lib/per-object.ts';
import type { AuditEnter, AuditExit, AuditSink, Caller } from '../../server.ts';
import { canonicalJson, type SealedEvent, sessionStream } from './chain.ts';
import type { EventPayloads, StoredArtifact } from './schema.ts';
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
  readonly event: SealedEvent;
  readonly artifact: StoredArtifact | null;
}

/** Calls that end in one turn, or while a commit is under way, share the next one. An answer leaves only after its events are safe. */
export function createToolTrace({ db, events }: TraceParts): AuditSink {
  const record = async (transaction: RecordTransaction, entries: readonly Entry[]): Promise<void> => {
    for (const [session, artifacts] of artifactsBySession(entries)) {
      await events.storeArtifacts(transaction, session, [...artifacts.values()]);
    }
    await events.appendSealed(
      transaction,
      entries.map(({ event }) => event),
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
  const recorded = text.length <= INPUT_CHARS_MAX ? text : JSON.stringify({ digest: sha256Hex(text) });
  const session = sessionOf(caller);
  const event: SealedEvent = {
    type: 'tool.started',
    id: callId,
    stream: sessionStream(session),
    actor: caller.id,
    sensitivity: 'private',
    // The input is JSON already; the members are in the order that canonical JSON has them.
    payload: `{"call_id":${JSON.stringify(callId)},"input":${recorded},"tool":${JSON.stringify(tool)}}`,
  };
  return { session, event, artifact: null };
}

function endedEntry(entry: AuditExit): Entry {
  const { callId, caller, error, result, text } = entry;
  const output = error === undefined ? toolOutput(result, text) : null;
  const session = sessionOf(caller);
  const event: SealedEvent = {
    type: error === undefined ? 'tool.finished' : 'tool.failed',
    stream: sessionStream(session),
    actor: caller.id,
    parentId: callId,
    sensitivity: 'pseudonymous',
    payload: canonicalJson(endedPayload(entry, output)),
  };
  const artifact = output !== null && output.bytes.length <= OUTPUT_BYTES_MAX ? output : null;
  return { session, event, artifact };
}

function endedPayload(
  { callId, tool, durationMs, error }: AuditExit,
  output: StoredArtifact | null,
): EventPayloads['tool.finished' | 'tool.failed'] {
  if (error === undefined) {
    return { call_id: callId, duration_ms: durationMs, result_digest: output?.digest ?? '', tool };
  }
  return { call_id: callId, code: error.code, duration_ms: durationMs, message: error.message, tool };
}

/** What a call answered, in the one form that is stored and compared. */
export function toolOutput(data: unknown, text: string | undefined): StoredArtifact {
  return typeof data === 'object' && data !== null && text === undefined
    ? dataOutput(data)
    : outputOf({ data, text });
}

/** Some answers are given again and again. */
const dataOutput = oncePerObject((data) => outputOf({ data }));

function outputOf(answer: { readonly data: unknown; readonly text?: string | undefined }): StoredArtifact {
  const bytes = Buffer.from(canonicalJson(answer));
  return { digest: sha256Hex(bytes), bytes };
}

function sessionOf({ sessionId }: Caller): string {
  if (sessionId === null) throw new Error('the trace is for calls inside a session');
  return sessionId;
}
