/** Sessions: open, look, load, read, close. Each change is one transaction with its events. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { ColibriError } from '../../lib/errors.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Json } from '../../lib/json.ts';
import type { EventDraft } from '../events/schema.ts';
import type { EventsService } from '../events/service.ts';
import type { AgentTier } from '../skills/schema.ts';
import type { SkillsService } from '../skills/service.ts';
import type { SnapshotSkill } from '../skills/snapshot.ts';
import { availableSkillsXml, type Catalog, estimateTokens, renderCatalog } from './catalog.ts';
import {
  type FileFact,
  get,
  load,
  read,
  type SessionDraft,
  type Step,
  search,
  type World,
} from './engine.ts';
import { choosePreloads, preloadedBody } from './preload.ts';
import {
  closeSession,
  findSession,
  insertLoad,
  insertSession,
  listSessions,
  moveSession,
  type SessionRecord,
  type SessionSchema,
  type SessionSummary,
} from './repository.ts';
import { type SessionOptions, type SessionRequest, type SessionState, sessionOptions } from './schema.ts';
import { liveWorld } from './world.ts';

export type SessionCall =
  | {
      readonly tool: 'skill_search';
      readonly input: { readonly query: string; readonly limit?: number | undefined };
    }
  | { readonly tool: 'skill_load'; readonly input: { readonly name: string } }
  | { readonly tool: 'skill_read'; readonly input: { readonly name: string; readonly path: string } }
  | { readonly tool: 'skill_get'; readonly input: { readonly name: string } };

export interface CallContext {
  /** Null: stateless, without budget and without memory. */
  readonly session: string | null;
  readonly callId: string;
  readonly actor: string;
  /** The model's own id of the call, where it is known. */
  readonly toolUseId?: string | undefined;
}

export interface SessionsService {
  open(request?: SessionRequest, fallbackTier?: AgentTier): Promise<SessionRecord>;
  /** Throws when there is no such session. */
  get(id: string): Promise<SessionRecord>;
  list(limit?: number): Promise<readonly SessionSummary[]>;
  /** Takes the catalog as it is now instead of as it was at the start. */
  refresh(id: string): Promise<SessionRecord>;
  close(id: string): Promise<void>;
  /** The text for the stable part of a system prompt; empty when there are no skills. */
  catalog(id: string, format?: 'markdown' | 'xml'): Promise<Catalog>;
  call(call: SessionCall, context: CallContext): Promise<Step>;
}

export interface SessionsParts {
  readonly db: ColibriDatabase;
  readonly skills: SkillsService;
  readonly events: EventsService;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Whether a session may see a skill; hidden ones are in no catalog, search or load. */
  readonly isVisible: (skill: SnapshotSkill, options: SessionOptions) => boolean;
  /** More facts of a skill for its catalog line. */
  readonly facts?: (skill: SnapshotSkill) => readonly string[];
}

const SESSIONS_SHOWN = 50;

export function createSessionsService(parts: SessionsParts): SessionsService {
  const { db, skills, events, clock, ids } = parts;

  const require = async (transaction: RecordTransaction | null, id: string): Promise<SessionRecord> => {
    const session = await findSession(transaction ?? (await db.records<SessionSchema>()), id);
    if (session !== null) return session;
    throw new ColibriError(
      'SESSION_NOT_FOUND',
      `no session ${JSON.stringify(id)}; open one with session_open`,
      { id },
    );
  };
  const requireOpen = async (transaction: RecordTransaction | null, id: string): Promise<SessionRecord> => {
    const session = await require(transaction, id);
    if (session.closedAt === null) return session;
    throw new ColibriError(
      'SESSION_CLOSED',
      `session ${id} was closed at ${session.closedAt}; open a new one`,
      { id },
    );
  };
  const pinnedFiles = async (session: SessionState): Promise<ReadonlyMap<string, readonly FileFact[]>> => {
    const pinned = new Map<string, readonly FileFact[]>();
    for (const { name, files } of session.loaded) {
      const bytes = await events.artifact(files);
      // A list that `load` stored as JSON.
      if (bytes !== null) pinned.set(name, JSON.parse(Buffer.from(bytes).toString('utf8')) as FileFact[]);
    }
    return pinned;
  };
  const worldOf = (
    options: SessionOptions,
    generation: number,
    pinned: ReadonlyMap<string, readonly FileFact[]>,
  ): World =>
    liveWorld({ skills, generation, pinned, isVisible: (skill) => parts.isVisible(skill, options) });
  const record = async (
    transaction: RecordTransaction,
    session: SessionState,
    step: RecordedStep,
  ): Promise<void> => {
    if (step.loaded !== undefined) {
      await insertLoad(transaction, session.id, { position: session.loaded.length, loaded: step.loaded });
    }
    await events.storeArtifacts(transaction, session.id, step.artifacts);
    await events.append(
      transaction,
      step.drafts.map((draft) => sessionEvent(session.id, draft, step)),
    );
  };

  const callInSession = async (call: SessionCall, id: string, context: CallContext): Promise<Step> => {
    const session = await requireOpen(null, id);
    const pinned = await pinnedFiles(session);
    if (call.tool === 'skill_search' || call.tool === 'skill_get') {
      return runCall(call, worldOf(session.options, session.generation, pinned), session, context);
    }
    const step = await db.transact(async (transaction) => {
      // Read again inside: another call of this session may have spent its budget meanwhile.
      const state = await requireOpen(transaction, id);
      const made = runCall(call, worldOf(state.options, state.generation, pinned), state, context);
      await record(transaction, state, { ...made, parentId: context.callId, actor: context.actor });
      return made;
    });
    events.wake();
    return step;
  };

  return {
    async open(request = {}, fallbackTier = 'T3') {
      const options = sessionOptions(request, fallbackTier);
      const id = ids.ulid();
      const opened = await db.transact(async (transaction) => {
        const generation = skills.generation();
        await insertSession(transaction, { id, generation, options }, isoNow(clock));
        const world = worldOf(options, generation, new Map());
        const visible = world.skills() ?? [];
        const first: SessionDraft = {
          type: 'session.opened',
          sensitivity: 'pseudonymous',
          // The options are plain values.
          payload: { generation, options: options as unknown as Json, skills: visible.length },
        };
        await events.append(transaction, [sessionEvent(id, first, SYSTEM)]);
        for (const step of preloadSteps(world, options, visible, parts)) {
          await record(transaction, await require(transaction, id), { ...step, ...SYSTEM });
        }
        return require(transaction, id);
      });
      events.wake();
      return opened;
    },
    get: (id) => require(null, id),
    list: async (limit = SESSIONS_SHOWN) => listSessions(await db.records<SessionSchema>(), limit),
    refresh: (id) =>
      db.transact(async (transaction) => {
        const { options } = await requireOpen(transaction, id);
        const generation = skills.generation();
        await moveSession(transaction, id, generation);
        const visible = worldOf(options, generation, new Map()).skills() ?? [];
        const payload = { generation, skills: visible.length };
        const draft: SessionDraft = { type: 'session.refreshed', sensitivity: 'pseudonymous', payload };
        await events.append(transaction, [sessionEvent(id, draft, SYSTEM)]);
        return require(transaction, id);
      }),
    async close(id) {
      await db.transact(async (transaction) => {
        const { closedAt, loaded } = await require(transaction, id);
        if (closedAt !== null) return;
        await closeSession(transaction, id, isoNow(clock));
        await events.append(transaction, [sessionEvent(id, closedEvent(loaded), SYSTEM)]);
      });
      events.wake();
    },
    async catalog(id, format = 'markdown') {
      const session = await require(null, id);
      const world = worldOf(session.options, session.generation, new Map());
      return catalogOf(session, world, { format, parts });
    },
    async call(call, context) {
      if (context.session !== null) return callInSession(call, context.session, context);
      const options = sessionOptions({}, 'T3');
      return runCall(call, worldOf(options, skills.generation(), new Map()), null, context);
    },
  };
}

interface EventOrigin {
  readonly actor: string;
  readonly parentId?: string | undefined;
}

interface RecordedStep extends Pick<Step, 'loaded' | 'drafts' | 'artifacts'>, EventOrigin {}

const SYSTEM: EventOrigin = { actor: 'session' };

function sessionEvent(id: string, draft: SessionDraft, { actor, parentId }: EventOrigin): EventDraft {
  // A draft and its payload are of one type; TypeScript loses that when it takes a union apart.
  return { ...draft, stream: `session:${id}`, sessionId: id, actor, parentId } as EventDraft;
}

/** The one way from a call to the engine, live and in replay. */
export function runCall(
  call: SessionCall,
  world: World,
  state: SessionState | null,
  { callId, toolUseId }: Pick<CallContext, 'callId' | 'toolUseId'>,
): Step {
  switch (call.tool) {
    case 'skill_search':
      return search(world, call.input);
    case 'skill_load':
      return load(world, state, { ...call.input, reason: 'on_demand', toolUseId: toolUseId ?? callId });
    case 'skill_read':
      return read(world, state, call.input);
    case 'skill_get':
      return get(world, call.input);
  }
}

/** One load per body that goes into the stable prefix. */
export function preloadSteps(
  world: World,
  options: SessionOptions,
  visible: readonly SnapshotSkill[],
  parts: CatalogParts,
): readonly Step[] {
  if (options.preload === null) return [];
  const { text } = renderCatalog(catalogEntries(visible, new Set(), parts), {
    tokens: options.budget.catalog_tokens,
  });
  const chosen = choosePreloads(bodiesOf(world, visible), options.preload, {
    catalogTokens: estimateTokens(text),
    estimate: estimateTokens,
  });
  return chosen.map(({ name }) => load(world, null, { name, reason: 'always', toolUseId: null }));
}

/** Bodies one by one: most prefixes are full after a few. */
function* bodiesOf(
  world: World,
  visible: readonly SnapshotSkill[],
): Iterable<{ name: string; body: string }> {
  for (const { name } of visible) {
    const skill = world.skill(name);
    if (skill !== null) yield skill;
  }
}

type CatalogParts = Pick<SessionsParts, 'skills' | 'facts'>;

function catalogEntries(
  visible: readonly SnapshotSkill[],
  preloaded: ReadonlySet<string>,
  { skills, facts }: CatalogParts,
): Parameters<typeof renderCatalog>[0] {
  const order = new Map(skills.roots.map((root, position) => [root.display, position]));
  return visible.map((skill) => ({
    name: skill.name,
    description: skill.description,
    precedence: order.get(skill.root) ?? skills.roots.length,
    facts: facts?.(skill) ?? [],
    preloaded: preloaded.has(skill.name),
  }));
}

interface CatalogRequest {
  readonly format: 'markdown' | 'xml';
  readonly parts: CatalogParts;
}

export function catalogOf(session: SessionState, world: World, { format, parts }: CatalogRequest): Catalog {
  const visible = world.skills() ?? [];
  const preloaded = session.loaded.filter(({ reason }) => reason === 'always').map(({ name }) => name);
  const entries = catalogEntries(visible, new Set(preloaded), parts);
  const catalog = renderCatalog(entries, { tokens: session.options.budget.catalog_tokens });
  if (format === 'xml') {
    const located = visible.map(({ name, description }) => ({
      name,
      description,
      location: world.skill(name)?.path ?? '',
    }));
    return { ...catalog, text: located.length === 0 ? '' : availableSkillsXml(located) };
  }
  const bodies = preloaded.map((name) => preloadedBody({ name, body: world.skill(name)?.body ?? '' }));
  return { ...catalog, text: [catalog.text, ...bodies].join('\n') };
}

export function closedEvent(loaded: SessionState['loaded']): SessionDraft {
  return {
    type: 'session.closed',
    sensitivity: 'pseudonymous',
    payload: { loads: loaded.length, tokens: loaded.reduce((sum, { tokens }) => sum + tokens, 0) },
  };
}
