/** `skill_run`: a script of a loaded skill, once the policy or a person has said yes. */
import type { ColibriDatabase } from '../../db/database.ts';
import { ColibriError } from '../../lib/errors.ts';
import type { EventsService } from '../events/service.ts';
import type { JudgedCall, PolicyService } from '../policy/service.ts';
import type { SkillsService } from '../skills/service.ts';
import type { SnapshotDetail } from '../skills/snapshot.ts';
import { type Answers, type AskedRun, approve } from './approval.ts';
import { skillNotFound, type World } from './engine.ts';
import type { SessionRecords } from './records-service.ts';
import { checkScriptPath, type PinnedSkill } from './run/pinned-files.ts';
import type { ScriptRuntime } from './run/probe.ts';
import { type RunResult, runScript } from './run/run-script.ts';
import { type RunAnswer, runAnswer } from './run-answer.ts';
import type { Loaded, SessionState } from './schema.ts';
import { parseFiles } from './world.ts';

type RunInput = AskedRun['input'];

interface RunContext extends Answers {
  readonly session: string | null;
  readonly callId: string;
  readonly actor: string;
  readonly signal?: AbortSignal | undefined;
}

interface RunParts {
  readonly db: ColibriDatabase;
  readonly skills: SkillsService;
  readonly events: EventsService;
  readonly records: SessionRecords;
  readonly policy: Pick<PolicyService, 'judge' | 'record' | 'grants'>;
  readonly runtime: ScriptRuntime;
  readonly worldOf: (state: SessionState | null) => World;
}

export type RunSkillScript = (input: RunInput, context: RunContext) => Promise<RunAnswer>;

export function createScriptRuns(parts: RunParts): RunSkillScript {
  return async (input, context) => {
    const session = await requireOpenSession(parts, context.session);
    const { skill, load, pinned } = await requireLoaded(parts, session, input);
    const judged = await parts.policy.judge({
      tool: 'skill_run',
      argument: [input.script, ...input.args].map(shellWord).join(' '),
      skill,
      agent_tier: session.options.agent_tier,
      profile: session.options.profile,
    });
    await recordDecision(parts, judged, { ...context, session: session.id });
    const asked = approve(judged, { session: session.id, load, input }, context);
    const result = await run(parts, pinned, { input, signal: context.signal });
    const answer = runAnswer(input, result, { asked });
    await parts.db.transact((transaction) =>
      parts.events.storeArtifacts(transaction, session.id, answer.artifacts),
    );
    return answer;
  };
}

async function requireOpenSession({ records }: RunParts, id: string | null): Promise<SessionState> {
  if (id !== null) return records.findOpen(id);
  const message = 'skill_run works in a session only; open one with session_open and load the skill in it';
  throw new ColibriError('SESSION_NOT_FOUND', message);
}

interface LoadedSkill {
  readonly skill: SnapshotDetail;
  readonly load: Loaded;
  readonly pinned: PinnedSkill;
}

/** The skill as it was loaded in this session: its files of then, wherever it lies now. */
async function requireLoaded(
  { skills, events, worldOf }: RunParts,
  session: SessionState,
  { name, script }: RunInput,
): Promise<LoadedSkill> {
  const world = worldOf(session);
  const load = session.loaded.findLast((candidate) => candidate.name === name);
  if (load === undefined && world.skill(name) === null) throw skillNotFound(world, name);
  const skill = world.command(name);
  if (load === undefined || skill === null) {
    const message = `load ${name} with skill_load before running its scripts`;
    throw new ColibriError('SKILL_NOT_LOADED', message, { name });
  }
  const listing = await events.artifact(load.files);
  const directory = skills.placeOf(skill.directory);
  if (listing === null || directory === null) {
    const message = `${name} is not where it was when it was loaded; open a new session and load it again`;
    throw new ColibriError('FILE_CHANGED', message, { name });
  }
  const files = parseFiles(listing).filter(({ kind }) => kind === 'file');
  checkScriptPath(script, files);
  return { skill, load, pinned: { directory, files } };
}

/** Every decision is on the record before anything comes of it, also a refusal. */
async function recordDecision(
  { db, events, policy }: RunParts,
  judged: JudgedCall,
  { session, actor, callId }: RunContext,
): Promise<void> {
  const origin = { session, actor, parentId: callId };
  await db.transact((transaction) => policy.record(transaction, judged, origin));
  events.wake();
}

/** The sandbox wherever there is one; without it only what the policy says. */
async function run(
  { policy, runtime }: RunParts,
  skill: PinnedSkill,
  { input, signal }: { readonly input: RunInput; readonly signal: AbortSignal | undefined },
): Promise<RunResult> {
  const { unsandboxed, network } = await policy.grants();
  const plain = unsandboxed && !(await runtime.sandbox()).usable;
  return runScript(
    {
      skill,
      script: input.script,
      args: input.args,
      network: network === 'host',
      sandbox: plain ? 'none' : 'bubblewrap',
      ...(input.stdin === undefined ? {} : { stdin: Buffer.from(input.stdin) }),
      ...(signal === undefined ? {} : { signal }),
    },
    runtime,
  );
}

/** Rules are about words, so one word must not look like two. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
