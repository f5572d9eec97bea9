/** Sessions page by page, and where a skill was loaded. */
import type { Kysely } from 'kysely';

import type { SessionSchema, SessionSummary } from './repository.ts';
import type { LoadReason } from './schema.ts';

export interface SessionPage {
  /** Only sessions opened before this one. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface SessionLine extends SessionSummary {
  readonly loads: number;
  readonly tokens: number;
}

export interface SkillLoad {
  readonly session_id: string;
  readonly opened_at: string;
  readonly agent_id: string | null;
  readonly agent_tier: string;
  readonly reason: LoadReason;
  readonly tokens: number;
  readonly digest: string;
}

/** Newest first. */
export async function findSessionPage(
  db: Kysely<SessionSchema>,
  { before, limit }: SessionPage,
): Promise<readonly SessionLine[]> {
  let query = db
    .selectFrom('sessions')
    .leftJoin('session_loads', 'session_loads.session_id', 'sessions.id')
    .select([
      'sessions.id',
      'sessions.opened_at',
      'sessions.closed_at',
      'sessions.agent_tier',
      'sessions.agent_id',
      'sessions.generation',
    ])
    .select(({ fn, val }) => [
      fn.count<number>('session_loads.name').as('loads'),
      fn.coalesce(fn.sum<number>('session_loads.tokens'), val(0)).as('tokens'),
    ])
    .groupBy('sessions.id')
    .orderBy('sessions.id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('sessions.id', '<', before);
  return query.execute();
}

/** The newest loads of a skill. */
export function findLoads(
  db: Kysely<SessionSchema>,
  name: string,
  limit: number,
): Promise<readonly SkillLoad[]> {
  return db
    .selectFrom('session_loads')
    .innerJoin('sessions', 'sessions.id', 'session_loads.session_id')
    .select([
      'session_loads.session_id',
      'sessions.opened_at',
      'sessions.agent_id',
      'sessions.agent_tier',
      'session_loads.reason',
      'session_loads.tokens',
      'session_loads.digest',
    ])
    .where('session_loads.name', '=', name)
    .orderBy('session_loads.session_id', 'desc')
    .limit(limit)
    .execute();
}
