/** Makes the events of a recorded session once more, call by call. Everything it looks at is handed in. */
import { ColibriError, type ErrorCode } from '../../lib/errors.ts';
import type { EventRow, StoredArtifact } from '../events/schema.ts';
import { toolOutput } from '../events/trace-service.ts';
import type { EffectiveTool } from '../policy/effective-tools.ts';
import type { OverrideDecision } from '../policy/overrides.ts';
import type { TrustMarks } from '../policy/trust.ts';
import type { RankedSkill } from '../skills/search/search.ts';
import type { SkillsService } from '../skills/service.ts';
import type { AskedRun } from './approval.ts';
import { runCall, type SessionCall } from './calls.ts';
import { changed, type FileFact, type World } from './engine.ts';
import {
  type Answer,
  type ComparedEvent,
  comparedEvent,
  type Difference,
  firstDifference,
  firstDifferentLine,
  type RecordedCall,
} from './replay.ts';
import type { Rerun, RerunRequest } from './rerun-service.ts';
import type { Loaded, SessionOptions, SessionState } from './schema.ts';
import { type CatalogParts, openingSteps } from './session-catalog.ts';
import { closedEvent } from './session-events.ts';
import type { SessionView } from './view.ts';
import {
  liveWorld,
  NOT_ASKED,
  recordedFiles,
  recordedWorld,
  type WorldFacts,
  type WorldParts,
} from './world.ts';

type RunInput = AskedRun['input'];

export interface Replay {
  readonly skills: SkillsService;
  /** What the session saw, or sees today. */
  readonly viewOf: (options: SessionOptions) => SessionView;
  readonly catalogOf: (view: SessionView) => CatalogParts;
  readonly live: boolean;
  /** What the policy says today. */
  readonly policy: WorldParts['policy'];
  readonly custom: WorldParts['custom'];
  /** Runs a script again; null where nothing may run. */
  readonly rerun: ((run: RerunRequest) => Promise<Rerun>) | null;
  readonly artifacts: ReadonlyMap<string, StoredArtifact>;
  readonly recorded: { readonly row: EventRow; readonly event: ComparedEvent }[];
  readonly replayed: ComparedEvent[];
  /** What calls answered then and now, with the place of their first event, to explain a difference. */
  readonly answers: { readonly from: number; readonly before: Answer; readonly now: Answer }[];
  readonly taken: string[];
  /** Skills whose body was recorded as given in a call that never ended. */
  readonly lost: Set<string>;
  /** The session as it stands now, with all its loads. */
  readonly session: SessionState;
  /** The session as it was at the call that is being repeated. */
  state: SessionState;
}

/** `later` are the calls from this one on. */
export async function replayCall(replay: Replay, later: readonly RecordedCall[]): Promise<void> {
  const [call] = later;
  if (call === undefined) return;
  const { first, rows } = call;
  const from = replay.recorded.length;
  replay.recorded.push(...rows.map((row) => ({ row, event: comparedEvent(row) })));
  const payload = payloadOf(first);
  switch (first.type) {
    case 'session.opened':
      replayOpening(replay, payload, later);
      return;
    case 'session.refreshed':
      replay.state = refreshed(replay.state, payload);
      replay.replayed.push({
        type: first.type,
        payload: { ...payload, skills: worldOf(replay).skills().length },
      });
      return;
    case 'session.closed':
      replay.replayed.push(plain(closedEvent(replay.state.loaded)));
      return;
    case 'tool.started':
      if (replay.rerun !== null && isWholeRun(payload)) await replayRun(replay, { first, rows }, from);
      else replayTool(replay, { first, rows }, from);
      return;
    case 'skill.loaded':
      // A body that came with the opening, which has made it again already.
      return;
    case 'skill.invoked':
      if (payload['mode'] !== 'auto') replay.replayed.push(...rows.map(comparedEvent));
      return;
    default:
      replay.replayed.push(...rows.map(comparedEvent));
  }
}

/** The first difference in words for a person; null when all events came out the same. */
export function differenceOf(replay: Replay, rows: readonly EventRow[]): Difference | null {
  const found = firstDifference(
    replay.recorded.map(({ event }) => event),
    replay.replayed,
  );
  if (found === null) return null;
  const { index, ...values } = found;
  const row = replay.recorded[index]?.row;
  const call = replay.answers.findLast(({ from }) => from <= index);
  const line = call === undefined ? null : firstDifferentLine(call.before, call.now);
  return {
    event: row === undefined ? rows.length + 1 : rows.indexOf(row) + 1,
    type: row?.type ?? replay.replayed[index]?.type ?? '',
    ...(line ?? values),
  };
}

function worldOf(
  replay: Replay,
  { pinned = new Map(), policy = NOT_ASKED, ranking }: WorldFacts = {},
): World {
  const { skills, live, state, session } = replay;
  const parts = {
    skills,
    generation: live ? skills.generation() : state.generation,
    pinned: live ? new Map() : pinned,
    policy: live ? replay.policy : policy,
    ranking,
    // Commands of the user's own are on the disk alone; in a recording their outcome is taken as given.
    custom: live ? replay.custom : () => null,
    viewer: { ...state.options, view: replay.viewOf(state.options) },
  };
  if (live) return liveWorld(parts);
  const made = state.loaded.length;
  // The loads that are still to come first: the same skill may have been loaded before with other files.
  const loaded = [...session.loaded.slice(made), ...session.loaded.slice(0, made)];
  return recordedWorld(parts, { ...session, loaded }, replay.artifacts);
}

function refreshed(state: SessionState, payload: Readonly<Record<string, unknown>>): SessionState {
  const { view, ...options } = state.options;
  // Recorded by `refresh` from the same type; older records have none.
  const trust = payload['trust'] as TrustMarks | undefined;
  const seen = view === undefined || trust === undefined ? view : { ...view, trust };
  return {
    ...state,
    generation: Number(payload['generation']),
    options: seen === undefined ? options : { ...options, view: seen },
  };
}

function replayOpening(
  replay: Replay,
  payload: Readonly<Record<string, unknown>>,
  later: readonly RecordedCall[],
): void {
  replay.state = {
    ...replay.state,
    generation: Number(payload['generation']),
    // Recorded by `open` from the same type.
    options: payload['options'] as SessionOptions,
  };
  const world = worldOf(replay, { policy: policyOfPreloads(later) });
  replay.replayed.push({ type: 'session.opened', payload: { ...payload, skills: world.skills().length } });
  const catalog = replay.catalogOf(replay.viewOf(replay.state.options));
  for (const step of openingSteps(world, { ...replay.state, loaded: [] }, catalog)) {
    keep(replay, step.loaded);
    replay.replayed.push(...step.drafts.map(plain));
  }
}

/** Who was trusted then is known by what the opening has given. */
function policyOfPreloads(later: readonly RecordedCall[]): WorldFacts['policy'] {
  const recorded = new Map<string, EffectiveTool[]>();
  for (const { first } of later) {
    const { name, load_reason, effective_allowed_tools } = payloadOf(first);
    if (first.type === 'skill.loaded' && (load_reason === 'always' || load_reason === 'auto_suggested'))
      recorded.set(String(name), toolsOf(effective_allowed_tools));
  }
  return ({ name }) => ({
    trusted: recorded.has(name),
    tools: recorded.get(name) ?? [],
    overrides: [],
  });
}

/** What the policy said at that moment is known by the answer alone. */
function policyOfAnswer(answer: Answer | null): WorldFacts['policy'] {
  const data = (answer?.data ?? {}) as Readonly<Record<string, unknown>>;
  const facts = (data['skill'] ?? data['auto_loaded'] ?? data) as Readonly<Record<string, unknown>>;
  const tools = toolsOf(facts['effective_allowed_tools']);
  // Written by the engine from the same type.
  const overrides = (facts['overrides'] ?? []) as readonly OverrideDecision[];
  return () => ({ trusted: facts['trusted'] === true, tools, overrides });
}

/** The order that the index gave then. Weights may have changed since, and an index may lag behind; what was found stays. */
function rankingOfAnswer(answer: Answer | null): WorldFacts['ranking'] {
  const { results, total_count } = (answer?.data ?? {}) as Readonly<Record<string, unknown>>;
  // Written by the engine from the same type.
  return { hits: Array.isArray(results) ? (results as RankedSkill[]) : [], total: Number(total_count ?? 0) };
}

function toolsOf(recorded: unknown): EffectiveTool[] {
  // Written by the engine from the same type.
  return Array.isArray(recorded) ? (recorded as EffectiveTool[]) : [];
}

const REPLAYED_TOOLS: readonly string[] = [
  'skill_search',
  'skill_match',
  'skill_load',
  'skill_read',
  'skill_get',
  'skill_invoke',
];
/** Their answers say what the policy said or what the index found, so that they can be made again only from the answer. */
const ANSWER_TOOLS: readonly string[] = [
  'skill_search',
  'skill_match',
  'skill_load',
  'skill_get',
  'skill_invoke',
];
/** Failures that follow from the session alone; any other came from outside, such as a session that was closed. */
const REPLAYED_FAILURES: readonly ErrorCode[] = [
  'SKILL_NOT_FOUND',
  'SKILLS_NOT_CONFIGURED',
  'SKILL_NOT_LOADED',
  'SKILL_NOT_INVOCABLE',
  'BUDGET_EXHAUSTED',
  'PATH_INVALID',
  'PATH_ABSOLUTE',
  'PATH_OUTSIDE',
  'FILE_NOT_FOUND',
  'FILE_IS_LINK',
  'FILE_NOT_REGULAR',
  'FILE_TOO_LARGE',
  'FILE_CHANGED',
];

function replayTool(replay: Replay, { first, rows }: RecordedCall, from: number): void {
  const started = comparedEvent(first);
  const { tool, input } = started.payload as { tool: string; input: Readonly<Record<string, unknown>> };
  const end = rows.find(({ type }) => type === 'tool.finished' || type === 'tool.failed');
  const answer = end === undefined ? null : answerOf(replay, end);
  if (end === undefined || !mayReplay(replay, { tool, input, end, answer })) {
    take(replay, tool, rows);
    return;
  }
  // The tool's name and its input were checked before they were recorded.
  const call = { tool, input } as unknown as SessionCall;
  const name = typeof input['name'] === 'string' ? input['name'] : '';
  const lost = tool === 'skill_load' && replay.lost.has(name);
  // Like the live service: a load that is made anew looks at the files anew.
  const fresh = (tool === 'skill_load' && !lost) || tool === 'skill_invoke';
  const facts = {
    pinned: fresh ? undefined : pinnedFiles(replay, name),
    policy: policyOfAnswer(answer),
    ranking: rankingOfAnswer(answer),
  };
  replay.replayed.push(started);
  try {
    const made = { callId: first.id, toolUseId: toolUseIdOf(rows), lost };
    const step = runCall(call, worldFor(replay, end, facts), replay.state, made);
    if (tool === 'skill_load') replay.lost.delete(name);
    keep(replay, step.loaded);
    const text = step.text === '' ? undefined : step.text;
    replay.replayed.push(...step.drafts.map(plain));
    const { digest } = toolOutput(step.data, text);
    replay.replayed.push({ type: 'tool.finished', payload: { tool, result_digest: digest } });
    explain(replay, { from, end, now: { text, data: step.data } });
  } catch (error) {
    if (!(error instanceof ColibriError) || error.code.startsWith('ARTIFACT_')) throw error;
    const { code, message } = error;
    replay.replayed.push({ type: 'tool.failed', payload: { tool, code, message } });
    explain(replay, { from, end, now: { text: `${code}: ${message}` } });
  }
}

/** A run whose input was recorded as a whole. */
function isWholeRun({ tool, input }: Readonly<Record<string, unknown>>): boolean {
  return tool === 'skill_run' && typeof input === 'object' && input !== null && 'script' in input;
}

async function replayRun(replay: Replay, { first, rows }: RecordedCall, from: number): Promise<void> {
  const started = comparedEvent(first);
  const end = rows.find(({ type }) => type === 'tool.finished' || type === 'tool.failed');
  // Checked by the tool before it was recorded.
  const { session_id: _, ...input } = started.payload['input'] as RunInput & { session_id?: string };
  const endedAsking = end?.type === 'tool.failed' && payloadOf(end)['code'] === 'ASK_REQUIRED';
  const run = { world: worldOf(replay), state: replay.state, input, endedAsking };
  const { decision, outcome } = (await replay.rerun?.(run)) ?? { decision: null, outcome: null };
  if (end === undefined || outcome === null) {
    take(replay, 'skill_run', rows);
    return;
  }
  replay.replayed.push(started);
  if (decision !== null) replay.replayed.push(plain({ type: 'policy.decision', payload: decision }));
  if (outcome instanceof ColibriError) {
    const { code, message } = outcome;
    replay.replayed.push({ type: 'tool.failed', payload: { tool: 'skill_run', code, message } });
    explain(replay, { from, end, now: { text: `${code}: ${message}` } });
    return;
  }
  const { digest } = toolOutput(outcome.data, outcome.text);
  replay.replayed.push({ type: 'tool.finished', payload: { tool: 'skill_run', result_digest: digest } });
  explain(replay, { from, end, now: { text: outcome.text, data: outcome.data } });
}

interface EndedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly end: EventRow;
  readonly answer: Answer | null;
}

function mayReplay({ live }: Replay, { tool, input, end, answer }: EndedCall): boolean {
  // An input that was too large is known by its digest alone.
  if (!REPLAYED_TOOLS.includes(tool) || 'digest' in input) return false;
  if (!live && end.type === 'tool.finished' && ANSWER_TOOLS.includes(tool)) {
    const kind = (answer?.data as { readonly kind?: unknown } | undefined)?.kind;
    if (answer === null || kind === 'command') return false;
  }
  return end.type === 'tool.finished' || REPLAYED_FAILURES.includes(payloadOf(end)['code'] as ErrorCode);
}

/** A call that never ended, or that looks beyond the session, is taken as it was recorded, with what it did. */
function take(replay: Replay, tool: string, rows: readonly EventRow[]): void {
  replay.taken.push(tool);
  replay.replayed.push(...rows.map(comparedEvent));
  for (const row of rows.filter(({ type }) => type === 'skill.loaded')) {
    const { name, digest } = payloadOf(row);
    const made = replay.state.loaded.length;
    keep(
      replay,
      replay.session.loaded.slice(made).find((load) => load.name === name && load.digest === digest),
    );
    if (!rows.some(({ type }) => type === 'tool.finished')) replay.lost.add(String(name));
  }
}

function pinnedFiles(replay: Replay, name: string): ReadonlyMap<string, readonly FileFact[]> | undefined {
  const load = replay.state.loaded.findLast((candidate) => candidate.name === name);
  if (load === undefined || replay.live) return undefined;
  return new Map([[name, recordedFiles(load, replay.artifacts)]]);
}

/** What the disk held at that moment is known only by the outcome: if the file was another, it is another again. */
function worldFor(replay: Replay, end: EventRow, facts: WorldFacts): World {
  const world = worldOf(replay, facts);
  const failedOnFile = end.type === 'tool.failed' && payloadOf(end)['code'] === 'FILE_CHANGED';
  if (replay.live || !failedOnFile) return world;
  return {
    ...world,
    read: (skill, path) => {
      throw changed(skill, path);
    },
  };
}

/** Keeps both answers, where the recorded one is still there. */
function explain(
  replay: Replay,
  { from, end, now }: { readonly from: number; readonly end: EventRow; readonly now: Answer },
): void {
  const before = answerOf(replay, end);
  if (before !== null) replay.answers.push({ from, before, now });
}

/** What the call answered then; null when it was too large to be kept. */
function answerOf({ artifacts }: Replay, end: EventRow): Answer | null {
  const { code, message, result_digest } = payloadOf(end);
  if (end.type === 'tool.failed') return { text: `${code}: ${message}` };
  const stored = artifacts.get(String(result_digest));
  // Stored by the trace in the form that `toolOutput` gives.
  return stored === undefined ? null : (JSON.parse(Buffer.from(stored.bytes).toString('utf8')) as Answer);
}

function toolUseIdOf(rows: readonly EventRow[]): string | undefined {
  const loaded = rows.find(({ type }) => type === 'skill.loaded');
  const id = loaded === undefined ? undefined : payloadOf(loaded)['triggered_by_tool_use_id'];
  return typeof id === 'string' ? id : undefined;
}

function keep(replay: Replay, loaded: Loaded | undefined): void {
  if (loaded !== undefined) replay.state = { ...replay.state, loaded: [...replay.state.loaded, loaded] };
}

function plain({ type, payload }: { readonly type: string; readonly payload: object }): ComparedEvent {
  return comparedEvent({ type, payload: JSON.stringify(payload) });
}

function payloadOf({ payload }: EventRow): Readonly<Record<string, unknown>> {
  return JSON.parse(payload) as Record<string, unknown>;
}
