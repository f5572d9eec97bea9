/** Replays a session from its records, or against today's disk, and says where it first differs. */
import { ColibriError } from '../../lib/errors.ts';
import { streamBreak } from '../events/chain.ts';
import type { EventRow, StoredArtifact } from '../events/schema.ts';
import type { EventsService } from '../events/service.ts';
import { checkArtifacts, type Difference, groupCalls } from './replay.ts';
import { differenceOf, type Replay, replayCall } from './replay-run.ts';
import { findSession, type SessionRecord, type SessionSchema } from './repository.ts';
import { type RerunParts, rerunScript } from './rerun-service.ts';
import type { SessionsParts } from './service.ts';
import { catalogPartsOf, viewNow, viewOf } from './viewer-service.ts';
import { NOT_ASKED } from './world.ts';

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

export type ReplayParts = Pick<
  SessionsParts,
  'db' | 'skills' | 'view' | 'switches' | 'policy' | 'commands' | 'runtime'
> & {
  readonly events: EventsService;
};

export interface ReplayOptions {
  /** Against the skills, the files and the policy of today; scripts run again. */
  readonly live: boolean;
  /** Puts a question of the policy to a person. Without it what has to be asked is refused. */
  readonly ask?: RerunParts['ask'];
}

export async function replaySession(
  parts: ReplayParts,
  id: string,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const { live } = options;
  const { db, events } = parts;
  const session = await findSession(await db.records<SessionSchema>(), id);
  if (session === null)
    throw new ColibriError('SESSION_NOT_FOUND', `no session ${JSON.stringify(id)} is recorded`, { id });
  const rows = await events.ofSession(id);
  const report = { session: id, mode: live ? 'live' : 'recorded', events: rows.length } as const;
  const tampered = chainDifference(rows);
  if (tampered !== null) return { ...report, equal: false, difference: tampered, taken: [] };
  const artifacts = await events.artifactsOf(id);
  if (live) await parts.skills.search.prepare();
  try {
    checkArtifacts(artifacts);
    const recorded = startReplay(parts, session, artifacts);
    const replay = live ? await goLive(recorded, parts, options) : recorded;
    const calls = groupCalls(rows);
    for (const index of calls.keys()) await replayCall(replay, calls.slice(index));
    const difference = differenceOf(replay, rows);
    return { ...report, equal: difference === null, difference, taken: replay.taken };
  } catch (error) {
    if (!(error instanceof ColibriError) || !error.code.startsWith('ARTIFACT_')) throw error;
    return { ...report, equal: false, difference: artifactDifference(error), taken: [] };
  }
}

function startReplay(
  parts: ReplayParts,
  session: SessionRecord,
  artifacts: readonly StoredArtifact[],
): Replay {
  return {
    skills: parts.skills,
    viewOf: (options) => viewOf(options, parts),
    catalogOf: (view) => catalogPartsOf(parts, view),
    live: false,
    policy: NOT_ASKED,
    rerun: null,
    custom: parts.commands.find,
    artifacts: new Map(artifacts.map((artifact) => [artifact.digest, artifact])),
    recorded: [],
    replayed: [],
    answers: [],
    taken: [],
    lost: new Set(),
    session,
    state: { ...session, loaded: [] },
  };
}

async function goLive(replay: Replay, parts: ReplayParts, { ask }: ReplayOptions): Promise<Replay> {
  const view = await viewNow(parts);
  return {
    ...replay,
    live: true,
    viewOf: () => view,
    policy: await parts.policy.facts(null, replay.session.options),
    rerun: (run) => rerunScript({ ...parts, ask }, run),
  };
}

/** Events that were changed or removed are no recording to compare with. */
function chainDifference(rows: readonly EventRow[]): Difference | null {
  const broken = streamBreak(rows);
  if (broken === null) return null;
  const index = rows.findIndex(({ seq }) => seq === broken.seq);
  return {
    event: index + 1,
    type: rows[index]?.type ?? '',
    where: 'chain',
    recorded: `event ${broken.seq} of the log`,
    replayed: broken.problem,
  };
}

function artifactDifference({ details }: ColibriError): Difference {
  const digest = String(details?.['digest']);
  return {
    event: 0,
    type: 'artifact',
    where: digest,
    recorded: digest,
    replayed: String(details?.['found'] ?? '(gone)'),
  };
}
