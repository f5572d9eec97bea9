/** Runs the calls of agents, inside their session or without one, and records what they leave. */
import type { ColibriDatabase } from '../../db/database.ts';
import type { EventsService } from '../events/service.ts';
import { type CallFacts, runCall, type SessionCall } from './calls.ts';
import { wasCutOff } from './delivery.ts';
import type { Step, World } from './engine.ts';
import { NONE_PINNED, type PinnedFiles, type SessionRecords } from './records-service.ts';
import type { SessionState } from './schema.ts';
import { loneEvent } from './session-events.ts';

export interface CallContext extends Omit<CallFacts, 'lost'> {
  /** Null: stateless, without budget and without memory. */
  readonly session: string | null;
  readonly actor: string;
}

export type RunSessionCall = (call: SessionCall, context: CallContext) => Promise<Step>;

export interface CallsParts {
  readonly db: ColibriDatabase;
  readonly events: EventsService;
  readonly records: SessionRecords;
  /** What a session may look at; null for a call without one. */
  readonly worldOf: (state: SessionState | null, pinned: PinnedFiles) => World;
  /** When this process began. */
  readonly since: string;
}

export function createSessionCalls(parts: CallsParts): RunSessionCall {
  return async (call, context) => {
    const step = await (context.session === null
      ? callAlone(parts, call, context)
      : callInSession(parts, call, { ...context, session: context.session }));
    if (step.drafts.length > 0) parts.events.wake();
    return step;
  };
}

/** Outside of sessions, too, every body that is given leaves its event. */
async function callAlone(
  { db, events, worldOf }: CallsParts,
  call: SessionCall,
  context: CallContext,
): Promise<Step> {
  const step = runCall(call, worldOf(null, NONE_PINNED), null, context);
  const drafts = step.drafts.map((draft) => loneEvent(draft, context.actor));
  if (drafts.length > 0) await db.transact((transaction) => events.append(transaction, drafts));
  return step;
}

async function callInSession(
  { db, events, records, worldOf, since }: CallsParts,
  call: SessionCall,
  context: CallContext & { readonly session: string },
): Promise<Step> {
  const session = await records.findOpen(context.session);
  if (call.tool === 'skill_search' || call.tool === 'skill_get') {
    return runCall(call, worldOf(session, NONE_PINNED), session, context);
  }
  const { name } = call.input;
  const again = call.tool === 'skill_load' && session.loaded.some((load) => load.name === name);
  const lost = again && wasCutOff(await events.ofSession(session.id), name, { since });
  return db.transact(async (transaction) => {
    // Read again inside: another call of this session may have spent its budget meanwhile.
    const state = await records.findOpen(session.id, transaction);
    // A load that is made anew looks at the files anew.
    const fresh = call.tool === 'skill_load' && !lost;
    const pinned = fresh ? NONE_PINNED : await records.pinned(transaction, state, name);
    const step = runCall(call, worldOf(state, pinned), state, { ...context, lost });
    await records.record(transaction, state, { ...step, parentId: context.callId, actor: context.actor });
    return step;
  });
}
