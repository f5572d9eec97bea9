/** The events of a session's own life. Pure. */
import type { Json } from '../../lib/json.ts';
import { sessionStream } from '../events/chain.ts';
import type { EventDraft } from '../events/schema.ts';
import type { TrustMarks } from '../policy/trust.ts';
import type { SessionDraft } from './engine.ts';
import type { SessionOptions, SessionState } from './schema.ts';

/** Who caused an event, and in which call. */
export interface EventOrigin {
  readonly actor: string;
  readonly parentId?: string | undefined;
}

/** What a session does of its own accord. */
export const OWN_ACCORD: EventOrigin = { actor: 'session' };

export function sessionEvent(id: string, draft: SessionDraft, { actor, parentId }: EventOrigin): EventDraft {
  // A draft and its payload are of one type; TypeScript loses that when it takes a union apart.
  return { ...draft, stream: sessionStream(id), actor, parentId } as EventDraft;
}

/** For a call without a session. */
export function loneEvent(draft: SessionDraft, actor: string): EventDraft {
  return { ...draft, stream: 'catalog', actor } as EventDraft;
}

interface Seen {
  readonly generation: number;
  /** How many skills may be seen. */
  readonly skills: number;
}

export function openedEvent({ generation, skills }: Seen, options: SessionOptions): SessionDraft {
  // The options are plain values.
  const payload = { generation, options: options as unknown as Json, skills };
  return { type: 'session.opened', sensitivity: 'pseudonymous', payload };
}

export function refreshedEvent({ generation, skills }: Seen, trust: TrustMarks): SessionDraft {
  return { type: 'session.refreshed', sensitivity: 'pseudonymous', payload: { generation, skills, trust } };
}

export function closedEvent(loaded: SessionState['loaded']): SessionDraft {
  return {
    type: 'session.closed',
    sensitivity: 'pseudonymous',
    payload: { loads: loaded.length, tokens: loaded.reduce((sum, { tokens }) => sum + tokens, 0) },
  };
}
