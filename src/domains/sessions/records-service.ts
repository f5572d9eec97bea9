/** Finds sessions and records what they did, in whatever transaction is at hand. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { ColibriError } from '../../lib/errors.ts';
import type { EventsService } from '../events/service.ts';
import type { FileFact, SessionDraft, Step } from './engine.ts';
import { findSession, insertLoad, type SessionRecord, type SessionSchema } from './repository.ts';
import type { SessionState } from './schema.ts';
import { type EventOrigin, OWN_ACCORD, sessionEvent } from './session-events.ts';
import { parseFiles } from './world.ts';

/** Files of skills as they were pinned, by skill. */
export type PinnedFiles = ReadonlyMap<string, readonly FileFact[]>;

export const NONE_PINNED: PinnedFiles = new Map();

export interface SessionRecords {
  /** Throws when there is no such session. Without a transaction it reads what was committed. */
  find(id: string, transaction?: RecordTransaction): Promise<SessionRecord>;
  /** The same, but one that was closed is an error, too. */
  findOpen(id: string, transaction?: RecordTransaction): Promise<SessionRecord>;
  /** The skill's files as they were when it was last loaded. */
  pinned(transaction: RecordTransaction, session: SessionState, name: string): Promise<PinnedFiles>;
  /** An event of the session's own life. */
  note(transaction: RecordTransaction, id: string, draft: SessionDraft): Promise<void>;
  /** Everything that a step leaves behind. */
  record(transaction: RecordTransaction, session: SessionState, step: RecordedStep): Promise<void>;
}

export interface RecordedStep extends Pick<Step, 'loaded' | 'drafts' | 'artifacts'>, EventOrigin {}

export function createSessionRecords(db: ColibriDatabase, events: EventsService): SessionRecords {
  const find = async (id: string, transaction?: RecordTransaction): Promise<SessionRecord> => {
    const session = await findSession(transaction ?? (await db.records<SessionSchema>()), id);
    if (session !== null) return session;
    const message = `no session ${JSON.stringify(id)}; open one with session_open`;
    throw new ColibriError('SESSION_NOT_FOUND', message, { id });
  };
  return {
    find,
    async findOpen(id, transaction) {
      const session = await find(id, transaction);
      if (session.closedAt !== null) throw closedError(session);
      return session;
    },
    async pinned(transaction, { loaded }, name) {
      const load = loaded.findLast((candidate) => candidate.name === name);
      const bytes = load === undefined ? null : await events.artifact(load.files, transaction);
      return bytes === null ? NONE_PINNED : new Map([[name, parseFiles(bytes)]]);
    },
    async note(transaction, id, draft) {
      await events.append(transaction, [sessionEvent(id, draft, OWN_ACCORD)]);
    },
    async record(transaction, session, step) {
      if (step.loaded !== undefined) {
        await insertLoad(transaction, session.id, { position: session.loaded.length, loaded: step.loaded });
      }
      await events.storeArtifacts(transaction, session.id, step.artifacts);
      await events.append(
        transaction,
        step.drafts.map((draft) => sessionEvent(session.id, draft, step)),
      );
    },
  };
}

function closedError({ id, closedAt }: Pick<SessionRecord, 'id' | 'closedAt'>): ColibriError {
  return new ColibriError('SESSION_CLOSED', `session ${id} was closed at ${closedAt}; open a new one`, {
    id,
  });
}
