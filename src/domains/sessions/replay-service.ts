/** Replays a session from its records, or against today's disk, and says where it first differs. */
import { ColibriError } from '../../lib/errors.ts';
import type { EventRow, StoredArtifact } from '../events/schema.ts';
import type { EventsService } from '../events/service.ts';
import { toolOutput } from '../events/trace-service.ts';
import { changed, type World } from './engine.ts';
import {
  type ComparedEvent,
  checkArtifacts,
  comparedEvent,
  type Difference,
  firstDifference,
} from './replay.ts';
import { findSession, type SessionSchema } from './repository.ts';
import type { SessionOptions, SessionState } from './schema.ts';
import { closedEvent, preloadSteps, runCall, type SessionCall, type SessionsParts } from './service.ts';
import { liveWorld, recordedWorld } from './world.ts';

export interface ReplayReport {
  readonly session: string;
  /** `recorded`: from the session's own records. `live`: against the skills of today. */
  readonly mode: 'recorded' | 'live';
  readonly events: number;
  readonly equal: boolean;
  readonly difference: Difference | null;
  /** Calls of tools that look at more than the session; their recorded outcome was taken as given. */
  readonly taken: readonly string[];
}

export type ReplayParts = Pick<SessionsParts, 'db' | 'skills' | 'isVisible' | 'facts'> & {
  readonly events: EventsService;
};

export async function replaySession(
  parts: ReplayParts,
  id: string,
  { live }: { readonly live: boolean },
): Promise<ReplayReport> {
  const { db, events } = parts;
  const session = await findSession(await db.records<SessionSchema>(), id);
  if (session === null)
    throw new ColibriError('SESSION_NOT_FOUND', `no session ${JSON.stringify(id)} is recorded`, { id });
  const artifacts = await events.artifactsOf(id);
  const calls = groupCalls(await allEvents(events, id));
  const report = {
    session: id,
    mode: live ? 'live' : 'recorded',
    events: calls.reduce((sum, { rows }) => sum + rows.length, 0),
  } as const;
  try {
    checkArtifacts(artifacts);
    const replay = startReplay(parts, session, { live, artifacts });
    for (const call of calls) replayCall(replay, call);
    const difference = explain(replay, firstDifference(replay.recorded, replay.replayed));
    return { ...report, equal: difference === null, difference, taken: replay.taken };
  } catch (error) {
    if (!(error instanceof ColibriError) || !error.code.startsWith('ARTIFACT_')) throw error;
    const difference: Difference = {
      event: 0,
      type: 'artifact',
      where: String(error.details?.['digest']),
      recorded: String(error.details?.['digest']),
      replayed: String(error.details?.['found'] ?? '(gone)'),
    };
    return { ...report, equal: false, difference, taken: [] };
  }
}

/** An event and those that it caused. */
interface RecordedCall {
  readonly first: EventRow;
  readonly rows: readonly EventRow[];
}

/** Calls that overlapped in time are put one after the other, each with its own events. */
function groupCalls(rows: readonly EventRow[]): readonly RecordedCall[] {
  const children = new Map<string, EventRow[]>();
  for (const row of rows) {
    if (row.parent_id !== null) children.set(row.parent_id, [...(children.get(row.parent_id) ?? []), row]);
  }
  const ids = new Set(rows.map(({ id }) => id));
  return rows
    .filter(({ parent_id }) => parent_id === null || !ids.has(parent_id))
    .map((first) => ({ first, rows: [first, ...(children.get(first.id) ?? [])] }));
}

async function allEvents(events: EventsService, session: string): Promise<readonly EventRow[]> {
  const all: EventRow[] = [];
  for (;;) {
    const page = await events.read({ session, after: all.at(-1)?.seq ?? 0 });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

interface Replay {
  readonly parts: ReplayParts;
  readonly live: boolean;
  readonly artifacts: ReadonlyMap<string, StoredArtifact>;
  readonly recorded: ComparedEvent[];
  readonly replayed: ComparedEvent[];
  /** Answers of the replay by their digest, to explain a difference. */
  readonly outputs: Map<string, string>;
  readonly taken: string[];
  readonly session: SessionState;
  state: SessionState;
}

function startReplay(
  parts: ReplayParts,
  session: SessionState,
  { live, artifacts }: { readonly live: boolean; readonly artifacts: readonly StoredArtifact[] },
): Replay {
  return {
    parts,
    live,
    artifacts: new Map(artifacts.map((artifact) => [artifact.digest, artifact])),
    recorded: [],
    replayed: [],
    outputs: new Map(),
    taken: [],
    session,
    state: { ...session, loaded: [] },
  };
}

function worldOf(replay: Replay): World {
  const { parts, live, state, session } = replay;
  const generation = live ? parts.skills.generation() : state.generation;
  const world = {
    skills: parts.skills,
    generation,
    pinned: new Map(),
    isVisible: (skill: Parameters<ReplayParts['isVisible']>[0]) => parts.isVisible(skill, state.options),
  };
  return live ? liveWorld(world) : recordedWorld(world, session, replay.artifacts);
}

function replayCall(replay: Replay, { first, rows }: RecordedCall): void {
  replay.recorded.push(...rows.map(comparedEvent));
  const payload = JSON.parse(first.payload) as Record<string, unknown>;
  switch (first.type) {
    case 'session.opened':
      replayOpening(replay, payload);
      return;
    case 'session.refreshed':
      replay.state = { ...replay.state, generation: Number(payload['generation']) };
      replay.replayed.push({
        type: first.type,
        payload: { ...payload, skills: worldOf(replay).skills()?.length ?? 0 },
      });
      return;
    case 'session.closed':
      replay.replayed.push(plain(closedEvent(replay.state.loaded)));
      return;
    case 'tool.started':
      replayTool(replay, first, rows);
      return;
    case 'skill.loaded':
      // A body that was preloaded; the opening has made it again already.
      return;
    default:
      replay.replayed.push(...rows.map(comparedEvent));
  }
}

function replayOpening(replay: Replay, payload: Record<string, unknown>): void {
  replay.state = {
    ...replay.state,
    generation: Number(payload['generation']),
    // Recorded by `open` from the same type.
    options: payload['options'] as SessionOptions,
  };
  const world = worldOf(replay);
  const visible = world.skills() ?? [];
  replay.replayed.push({ type: 'session.opened', payload: { ...payload, skills: visible.length } });
  for (const step of preloadSteps(world, replay.state.options, visible, replay.parts)) {
    keep(replay, step.loaded);
    replay.replayed.push(...step.drafts.map(plain));
  }
}

const REPLAYED_TOOLS = ['skill_search', 'skill_load', 'skill_read', 'skill_get'];

function replayTool(replay: Replay, first: EventRow, rows: readonly EventRow[]): void {
  const started = comparedEvent(first);
  const { tool, input } = started.payload as { tool: string; input: Record<string, unknown> };
  const end = rows.find(({ type }) => type === 'tool.finished' || type === 'tool.failed');
  // A call that never ended, or that looks beyond the session, is taken as it was recorded.
  if (end === undefined || !REPLAYED_TOOLS.includes(tool) || 'digest' in input) {
    replay.taken.push(tool);
    replay.replayed.push(...rows.map(comparedEvent));
    return;
  }
  replay.replayed.push(started);
  const call = { tool, input } as unknown as SessionCall;
  try {
    const step = runCall(call, worldFor(replay, end), replay.state, {
      callId: first.id,
      toolUseId: toolUseIdOf(rows),
    });
    keep(replay, step.loaded);
    const output = toolOutput(step.data, step.text === '' ? undefined : step.text);
    replay.outputs.set(output.digest, Buffer.from(output.bytes).toString('utf8'));
    replay.replayed.push(...step.drafts.map(plain));
    replay.replayed.push({ type: 'tool.finished', payload: { tool, result_digest: output.digest } });
  } catch (error) {
    if (!(error instanceof ColibriError) || error.code.startsWith('ARTIFACT_')) throw error;
    replay.replayed.push({
      type: 'tool.failed',
      payload: { tool, code: error.code, message: error.message },
    });
  }
}

/** What the disk held at that moment is known only by the outcome: if the file was another, it is another again. */
function worldFor(replay: Replay, end: EventRow): World {
  const world = worldOf(replay);
  const failedOnFile = end.type === 'tool.failed' && JSON.parse(end.payload).code === 'FILE_CHANGED';
  if (replay.live || !failedOnFile) return world;
  return {
    ...world,
    read: (skill, path) => {
      throw changed(skill, path);
    },
  };
}

function toolUseIdOf(rows: readonly EventRow[]): string | undefined {
  const loaded = rows.find(({ type }) => type === 'skill.loaded');
  const id = loaded === undefined ? undefined : JSON.parse(loaded.payload).triggered_by_tool_use_id;
  return typeof id === 'string' ? id : undefined;
}

function keep(replay: Replay, loaded: SessionState['loaded'][number] | undefined): void {
  if (loaded !== undefined) replay.state = { ...replay.state, loaded: [...replay.state.loaded, loaded] };
}

function plain({ type, payload }: { readonly type: string; readonly payload: object }): ComparedEvent {
  return comparedEvent({ type, payload: JSON.stringify(payload) });
}

/** Two digests tell a person nothing; the first line that differs does. */
function explain(replay: Replay, difference: Difference | null): Difference | null {
  if (difference?.where !== 'payload.result_digest') return difference;
  const before = replay.artifacts.get(difference.recorded);
  const now = replay.outputs.get(difference.replayed);
  if (before === undefined || now === undefined) return difference;
  const lines = [Buffer.from(before.bytes).toString('utf8'), now].map((text) =>
    JSON.stringify(JSON.parse(text), null, 2).replaceAll('\\n', '\n').split('\n'),
  );
  const [old = [], fresh = []] = lines;
  const index = old.findIndex((line, at) => line !== fresh[at]);
  return {
    ...difference,
    where: `answer, line ${index + 1}`,
    recorded: old[index] ?? '(none)',
    replayed: fresh[index] ?? '(none)',
  };
}
