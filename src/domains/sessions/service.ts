/** Sessions: open, look, load, read, close. Each change is one transaction with its events. */
import path from 'node:path';

import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { ColibriError } from '../../lib/errors.ts';
import type { Ids } from '../../lib/ids.ts';
import type { EventsService } from '../events/service.ts';
import type { PolicyService } from '../policy/service.ts';
import type { TrustMarks } from '../policy/trust.ts';
import type { AgentTier } from '../skills/schema.ts';
import type { SkillsService } from '../skills/service.ts';
import { callAsking } from './asking.ts';
import { createSessionCalls, type RunSessionCall } from './calls-service.ts';
import type { Catalog, CatalogFormat } from './catalog.ts';
import { type CommandText, parseCommandText } from './command-file.ts';
import type { CustomCommands } from './custom-commands.ts';
import type { World } from './engine.ts';
import {
  findLoads,
  findSessionPage,
  type SessionLine,
  type SessionPage,
  type SkillLoad,
} from './history-repository.ts';
import { createSessionRecords, NONE_PINNED, type SessionRecords } from './records-service.ts';
import {
  closeSession,
  insertSession,
  listSessions,
  moveSession,
  type SessionRecord,
  type SessionSchema,
  type SessionSummary,
} from './repository.ts';
import type { ScriptRuntime } from './run/probe.ts';
import { createScriptRuns, type RunSkillScript } from './run-service.ts';
import { type SessionRequest, type SessionState, sessionOptions } from './schema.ts';
import { type CatalogParts, openingSteps, sessionCatalog } from './session-catalog.ts';
import { closedEvent, OWN_ACCORD, openedEvent, refreshedEvent } from './session-events.ts';
import type { UsageStats } from './stats.ts';
import { type StatsRequest, usageStats } from './stats-service.ts';
import { taskOptions } from './task-options-service.ts';
import type { ViewSettings } from './view.ts';
import {
  catalogPartsOf,
  type Looking,
  loneViewer,
  type ViewerParts,
  viewNow,
  viewOf,
} from './viewer-service.ts';
import { liveWorld, NOT_ASKED, type WorldFacts } from './world.ts';

export interface SessionsService {
  /** `tier` is the caller's own; under `tiers: enforce` a request may lower it, never raise it. */
  open(request?: SessionRequest, tier?: AgentTier): Promise<SessionRecord>;
  /** Throws when there is no such session. */
  get(id: string): Promise<SessionRecord>;
  /** The same, but one that was closed is an error, too. */
  resume(id: string): Promise<SessionRecord>;
  list(limit?: number): Promise<readonly SessionSummary[]>;
  /** Newest first, with what they have loaded. */
  page(page: SessionPage): Promise<readonly SessionLine[]>;
  /** The newest loads of a skill. */
  loadsOf(name: string, limit?: number): Promise<readonly SkillLoad[]>;
  /** Takes the catalog as it is now instead of as it was at the start. */
  refresh(id: string): Promise<SessionRecord>;
  close(id: string): Promise<void>;
  /** The text for the stable part of a system prompt; empty when there are no skills. */
  catalog(id: string, format?: CatalogFormat): Promise<Catalog>;
  call: RunSessionCall;
  /** Runs a script of a loaded skill. */
  run: RunSkillScript;
  /** How skills were used, counted from the log. */
  stats(request?: StatsRequest): Promise<UsageStats>;
  /** What a person typed: `/skill:name arguments`; null for anything else. */
  parseCommand(text: string): CommandText | null;
  /** Calls a tool of the kernel, whose question is then put to a person. */
  readonly callAsking: typeof callAsking;
}

export interface SessionsParts {
  readonly db: ColibriDatabase;
  readonly skills: SkillsService;
  readonly events: EventsService;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The folder that the server works for. */
  readonly workspace?: string;
  readonly policy: Pick<PolicyService, 'facts' | 'marks' | 'recordUse' | 'judge' | 'record' | 'grants'>;
  readonly runtime: ScriptRuntime;
  readonly commands: CustomCommands;
  readonly view: ViewSettings;
  /** Which skills are switched off, for whoever names a profile or none. */
  readonly switches?: ViewerParts['switches'];
}

const SESSIONS_SHOWN = 50;
const LOADS_SHOWN = 50;
/** Who is asking when nobody said so. */
export const DOOR_TIER: AgentTier = 'T3';

export function createSessionsService(parts: SessionsParts): SessionsService {
  const { db, skills, events, clock, ids } = parts;
  const records = createSessionRecords(db, events);
  const worldOf = createWorlds(parts);
  /** One transaction with its events; whoever follows them hears at once. */
  const change = async <T>(work: (transaction: RecordTransaction) => Promise<T>): Promise<T> => {
    const result = await db.transact(work);
    events.wake();
    return result;
  };

  return {
    async open(request = {}, tier = DOOR_TIER) {
      refuseOtherWorkspace(parts.workspace, request.workspace);
      if (parts.view.tiers === 'enforce') refuseToRaise(tier, request.agent_tier ?? tier);
      const view = await viewNow(parts, request.profile);
      await skills.keep();
      const plain = { ...sessionOptions(request, tier), view };
      const options = { ...plain, ...(await taskOptions(skills, worldOf, { plain, task: request.task })) };
      const session = { id: ids.ulid(), options };
      const asks = options.preload !== null || options.auto_load === true;
      const policy = asks ? await parts.policy.facts(null, options) : NOT_ASKED;
      return change(async (transaction) => {
        const opening = { ...session, generation: skills.generation() };
        const world = worldOf(opening, { policy });
        await insertSession(transaction, opening, isoNow(clock));
        const catalogParts = catalogPartsOf(parts, view);
        await recordOpening(transaction, { opening, world }, { records, catalogParts });
        await parts.policy.recordUse(transaction, { session: opening.id, ...OWN_ACCORD });
        return records.find(opening.id, transaction);
      });
    },
    parseCommand: parseCommandText,
    stats: (request) => usageStats(parts, request),
    callAsking,
    run: createScriptRuns({ ...parts, records, worldOf }),
    get: (id) => records.find(id),
    resume: (id) => records.findOpen(id),
    list: async (limit = SESSIONS_SHOWN) => listSessions(await db.records<SessionSchema>(), limit),
    page: async (page) => findSessionPage(await db.records<SessionSchema>(), page),
    loadsOf: async (name, limit = LOADS_SHOWN) => findLoads(await db.records<SessionSchema>(), name, limit),
    refresh: async (id) =>
      change(moveToNow(parts, { id, records, worldOf, trust: await parts.policy.marks() })),
    close: (id) =>
      change(async (transaction) => {
        const { closedAt, loaded } = await records.find(id, transaction);
        if (closedAt !== null) return;
        await closeSession(transaction, id, isoNow(clock));
        await records.note(transaction, id, closedEvent(loaded));
      }),
    async catalog(id, format = 'markdown') {
      const session = await records.find(id);
      const catalogParts = catalogPartsOf(parts, viewOf(session.options, parts));
      return sessionCatalog(session, worldOf(session), { ...catalogParts, format });
    },
    call: createSessionCalls({
      db,
      events,
      records,
      worldOf,
      policy: parts.policy,
      prepare: skills.search.prepare,
      alone: async () => loneViewer(parts, DOOR_TIER),
      since: isoNow(clock),
    }),
  };
}

/** The event of the opening, and what the session is given with it. */
async function recordOpening(
  transaction: RecordTransaction,
  { opening, world }: { readonly opening: Omit<SessionState, 'loaded'>; readonly world: World },
  { records, catalogParts }: { readonly records: SessionRecords; readonly catalogParts: CatalogParts },
): Promise<void> {
  const seen = { generation: opening.generation, skills: world.skills().length };
  await records.note(transaction, opening.id, openedEvent(seen, opening.options));
  for (const step of openingSteps(world, { ...opening, loaded: [] }, catalogParts)) {
    const state = await records.find(opening.id, transaction);
    await records.record(transaction, state, { ...step, ...OWN_ACCORD });
  }
}

/** What somebody may look at. */
function createWorlds(parts: SessionsParts): (looking: Looking, facts?: WorldFacts) => World {
  const { skills, commands } = parts;
  return ({ generation, options }, { pinned = NONE_PINNED, policy = NOT_ASKED } = {}) => {
    const viewer = { ...options, view: viewOf(options, parts) };
    return liveWorld({ skills, generation, pinned, policy, custom: commands.find, viewer });
  };
}

/** The session as it was, with the skills and the trust of now. */
function moveToNow(
  parts: SessionsParts,
  {
    id,
    records,
    worldOf,
    trust,
  }: { id: string; records: SessionRecords; worldOf: (looking: Looking) => World; trust: TrustMarks },
): (transaction: RecordTransaction) => Promise<SessionRecord> {
  return async (transaction) => {
    const before = await records.findOpen(id, transaction);
    const options = { ...before.options, view: { ...viewOf(before.options, parts), trust } };
    const session = { ...before, options, generation: parts.skills.generation() };
    await moveSession(transaction, session);
    const seen = { generation: session.generation, skills: worldOf(session).skills().length };
    await records.note(transaction, id, refreshedEvent(seen, trust));
    return session;
  };
}

/** One server works for one folder; a client that means another would get the wrong skills. */
function refuseOtherWorkspace(served: string | undefined, asked: string | undefined): void {
  if (served === undefined || asked === undefined || path.resolve(asked) === path.resolve(served)) return;
  const message = `this server works for ${served}, not for ${asked}; start one there`;
  throw new ColibriError('INVALID_PARAMS', message, { workspace: served });
}

/** T0 may do most. */
function refuseToRaise(own: AgentTier, asked: AgentTier): void {
  if (asked >= own) return;
  const message = `agent_tier ${asked} is above this connection's ${own}; leave it out or ask for a lower one`;
  throw new ColibriError('INVALID_PARAMS', message, { asked, own });
}
