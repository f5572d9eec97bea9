/** Sessions and what they have loaded. */
import type { Kysely } from 'kysely';

import { builtQuery } from '../../db/built-query.ts';
import type { RecordTransaction } from '../../db/database.ts';
import type { Loaded, LoadReason, SessionOptions, SessionState } from './schema.ts';

export interface SessionSchema {
  readonly sessions: {
    readonly id: string;
    readonly opened_at: string;
    readonly closed_at: string | null;
    readonly generation: number;
    readonly agent_tier: string;
    readonly agent_id: string | null;
    /** JSON. */
    readonly options: string;
  };
  readonly session_loads: {
    readonly session_id: string;
    readonly name: string;
    readonly position: number;
    readonly reason: LoadReason;
    readonly tokens: number;
    readonly digest: string;
    readonly body_artifact: string;
    readonly files_artifact: string;
    readonly counted: number;
  };
}

export interface SessionRecord extends SessionState {
  readonly openedAt: string;
  readonly closedAt: string | null;
}

export async function insertSession(
  transaction: RecordTransaction,
  { id, generation, options }: Omit<SessionState, 'loaded'>,
  at: string,
): Promise<void> {
  await records(transaction)
    .insertInto('sessions')
    .values({
      id,
      opened_at: at,
      closed_at: null,
      generation,
      agent_tier: options.agent_tier,
      agent_id: options.agent_id,
      options: JSON.stringify(options),
    })
    .execute();
}

export async function insertLoad(
  transaction: RecordTransaction,
  session: string,
  { position, loaded }: { readonly position: number; readonly loaded: Loaded },
): Promise<void> {
  const { name, reason, tokens, digest, body, files, counted } = loaded;
  await records(transaction)
    .insertInto('session_loads')
    .values({
      session_id: session,
      name,
      position,
      reason,
      tokens,
      digest,
      body_artifact: body,
      files_artifact: files,
      counted: counted ? 1 : 0,
    })
    .execute();
}

export async function closeSession(transaction: RecordTransaction, id: string, at: string): Promise<void> {
  await records(transaction).updateTable('sessions').set({ closed_at: at }).where('id', '=', id).execute();
}

export async function moveSession(
  transaction: RecordTransaction,
  { id, generation, options }: Pick<SessionState, 'id' | 'generation' | 'options'>,
): Promise<void> {
  await records(transaction)
    .updateTable('sessions')
    .set({ generation, options: JSON.stringify(options) })
    .where('id', '=', id)
    .execute();
}

/** Works on the database and inside a transaction alike. */
export async function findSession(
  db: Kysely<SessionSchema> | RecordTransaction,
  id: string,
): Promise<SessionRecord | null> {
  const [row] = (await SESSION(records(db), [id])).rows;
  if (row === undefined) return null;
  const { rows: loads } = await SESSION_LOADS(records(db), [id]);
  return {
    id,
    generation: row.generation,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
    // Written by `insertSession` from the same type.
    options: JSON.parse(row.options) as SessionOptions,
    loaded: loads.map(({ body_artifact, files_artifact, counted, ...load }) => ({
      name: load.name,
      reason: load.reason,
      tokens: load.tokens,
      digest: load.digest,
      body: body_artifact,
      files: files_artifact,
      counted: counted === 1,
    })),
  };
}

// Every call of a session begins with these two.
const SESSION = builtQuery((db: Kysely<SessionSchema>) =>
  db.selectFrom('sessions').selectAll().where('id', '=', ''),
);

const SESSION_LOADS = builtQuery((db: Kysely<SessionSchema>) =>
  db.selectFrom('session_loads').selectAll().where('session_id', '=', '').orderBy('position'),
);

export interface SessionSummary {
  readonly id: string;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly agent_tier: string;
  readonly agent_id: string | null;
  readonly generation: number;
}

/** Newest first. */
export function listSessions(db: Kysely<SessionSchema>, limit: number): Promise<SessionSummary[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'opened_at', 'closed_at', 'agent_tier', 'agent_id', 'generation'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

function records(db: Kysely<SessionSchema> | RecordTransaction): Kysely<SessionSchema> {
  return db as unknown as Kysely<SessionSchema>;
}
