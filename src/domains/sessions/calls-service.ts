/** Runs the calls of agents, inside their session or without one, and records what they leave. */
import type { ColibriDatabase } from '../../db/database.ts';
import type { EventsService } from '../events/service.ts';
import type { PolicyService } from '../policy/service.ts';
import { type CallFacts, runCall, type SessionCall } from './calls.ts';
import { wasCutOff } from './delivery.ts';
import type { Step, World } from './engine.ts';
import { NONE_PINNED, type SessionRecords } from './records-service.ts';
import { loneEvent } from './session-events.ts';
import type { Looking } from './viewer-service.ts';
import type { WorldFacts } from './world.ts';

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
  readonly worldOf: (looking: Looking, facts?: WorldFacts) => World;
  readonly policy: Pick<PolicyService, 'facts'>;
  /** Brings the index of texts up to date before a search. */
  readonly prepare: () => Promise<void>;
  /** Whoever calls without a session. */
  readonly alone: () => Promise<Looking>;
  /** When this process began. */
  readonly since: string;
}

export function createSessionCalls(parts: CallsParts): RunSessionCall {
  return async (call, context) => {
    if (isSearch(call)) await parts.prepare();
    const step = await (context.session === null
      ? callAlone(parts, call, context)
      : callInSession(parts, call, { ...context, session: context.session }));
    if (step.drafts.length > 0) parts.events.wake();
    return step;
  };
}

/** Outside of sessions, too, every body that is given leaves its event. */
async function callAlone(parts: CallsParts, call: SessionCall, context: CallContext): Promise<Step> {
  const { db, events, worldOf } = parts;
  const looking = await parts.alone();
  const policy = await policyFor(parts, call, looking);
  const step = runCall(call, worldOf(looking, { policy }), null, context);
  const drafts = step.drafts.map((draft) => loneEvent(draft, context.actor));
  if (drafts.length > 0) await db.transact((transaction) => events.append(transaction, drafts));
  return step;
}

async function callInSession(
  parts: CallsParts,
  call: SessionCall,
  context: CallContext & { readonly session: string },
): Promise<Step> {
  const { db, events, records, worldOf, since } = parts;
  const session = await records.findOpen(context.session);
  const policy = await policyFor(parts, call, session);
  if (leavesNothing(call, session)) {
    return runCall(call, worldOf(session, { policy }), session, context);
  }
  const name = 'name' in call.input ? call.input.name : '';
  const again = call.tool === 'skill_load' && session.loaded.some((load) => load.name === name);
  const lost = again && wasCutOff(await events.ofSession(session.id), name, { since });
  return db.transact(async (transaction) => {
    // Read again inside: another call of this session may have spent its budget meanwhile.
    const state = await records.findOpen(session.id, transaction);
    // A load that is made anew looks at the files anew.
    const fresh = call.tool !== 'skill_read' && !lost;
    const pinned = fresh ? NONE_PINNED : await records.pinned(transaction, state, name);
    const step = runCall(call, worldOf(state, { pinned, policy }), state, { ...context, lost });
    await records.record(transaction, state, { ...step, parentId: context.callId, actor: context.actor });
    return step;
  });
}

/** Asked before the transaction, which the policy would wait for. */
async function policyFor(
  { policy, worldOf }: CallsParts,
  call: SessionCall,
  looking: Looking,
): Promise<WorldFacts['policy']> {
  if (call.tool === 'skill_search' || call.tool === 'skill_read') return undefined;
  const world = worldOf(looking);
  const name = call.tool === 'skill_match' ? winnerOf(world, call, looking) : call.input.name;
  const skill = name === undefined ? null : world.command(name);
  return skill === null ? undefined : policy.facts([skill], looking.options);
}

function leavesNothing({ tool }: SessionCall, { options }: Looking): boolean {
  return tool === 'skill_search' || tool === 'skill_get' || (tool === 'skill_match' && !options.auto_load);
}

function isSearch({ tool }: SessionCall): boolean {
  return tool === 'skill_search' || tool === 'skill_match';
}

/** The skill that the match will load; none where nothing is loaded. */
function winnerOf(
  world: World,
  { input }: SessionCall & { readonly tool: 'skill_match' },
  { options }: Looking,
): string | undefined {
  return options.auto_load === true ? world.match(input.task, 1).hits[0]?.name : undefined;
}
