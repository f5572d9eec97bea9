/** `skill_run`: a script of a loaded skill, once the policy or a person has said yes. */
import type { ColibriDatabase } from '../../db/database.ts';
import { ColibriError } from '../../lib/errors.ts';
import type { EventsService } from '../events/service.ts';
import type { JudgedCall, PolicyService } from '../policy/service.ts';
import type { SkillsService } from '../skills/service.ts';
import type { SnapshotDetail } from '../skills/snapshot.ts';
import { type Answers, type AskedRun, approve } from './approval.ts';
import { type FileFact, skillNotFound, type World } from './engine.ts';
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
  readonly worldOf: (state: SessionState) => World;
}

export type RunSkillScript = (input: RunInput, context: RunContext) => Promise<RunAnswer>;

export function createScriptRuns(parts: RunParts): RunSkillScript {
  return async (input, context) => {
    const session = await requireOpenSession(parts, context.session);
    const loaded = await requireLoaded(parts, session, input);
    const judged = await judgeRun(parts, loaded.skill, { input, options: session.options });
    await recordDecision(parts, judged, { ...context, session: session.id });
    const answer = await runJudged(parts, judged, { ...loaded, ...context, session: session.id, input });
    await parts.db.transact((transaction) =>
      parts.events.storeArtifacts(transaction, session.id, answer.artifacts),
    );
    return answer;
  };
}

export function judgeRun(
  { policy }: Pick<RunParts, 'policy'>,
  skill: SnapshotDetail,
  { input, options }: { readonly input: RunInput; readonly options: SessionState['options'] },
): Promise<JudgedCall> {
  return policy.judge({
    tool: 'skill_run',
    argument: [input.script, ...input.args].map(shellWord).join(' '),
    skill,
    agent_tier: options.agent_tier,
    profile: options.profile,
  });
}

export interface JudgedRun extends AskedRun, Answers {
  readonly pinned: PinnedSkill;
  readonly signal?: AbortSignal | undefined;
}

/** Throws unless the policy, or somebody who was asked, lets the script run. */
export async function runJudged(
  parts: Pick<RunParts, 'policy' | 'runtime'>,
  judged: JudgedCall,
  run: JudgedRun,
): Promise<RunAnswer> {
  requireVouched(judged, run);
  const asked = approve(judged, run, run);
  return runAnswer(run.input, await start(parts, run), { asked });
}

/** Trust was judged by what lies on the disk; what runs is what was pinned, and that may be something else. */
function requireVouched(
  { effect, vouchedFiles }: JudgedCall,
  { pinned, input: { name } }: Pick<JudgedRun, 'pinned' | 'input'>,
): void {
  if (effect === 'deny' || vouchedFiles === null) return;
  const vouched = new Map(vouchedFiles.map((file) => [file.path, file.digest]));
  const other = pinned.files.find((file) => vouched.get(file.path) !== file.digest);
  if (other === undefined) return;
  const message = `${other.path} is not what was trusted; open a new session and load ${name} again`;
  throw new ColibriError('FILE_CHANGED', message, { name, path: other.path });
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
  const files = runnableFiles(parseFiles(listing));
  checkScriptPath(script, files);
  return { skill, load, pinned: { directory, files } };
}

/** Everything that has a digest, and so can be told from what it may have become. */
export function runnableFiles(files: readonly FileFact[]): readonly FileFact[] {
  return files.filter(({ digest }) => digest !== '');
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
async function start(
  { policy, runtime }: Pick<RunParts, 'policy' | 'runtime'>,
  { pinned, input, signal }: JudgedRun,
): Promise<RunResult> {
  const { unsandboxed, network } = await policy.grants();
  const plain = unsandboxed && !(await runtime.sandbox()).usable;
  return runScript(
    {
      skill: pinned,
      script: input.script,
      args: input.args,
      network: network === 'host',
      sandbox: plain ? 'none' : 'bubblewrap',
      ...(input.stdin === undefined ? {} : { stdin: Buffer.from(input.stdin) }),
      ...(input.timeout_ms === undefined ? {} : { limits: { timeMs: input.timeout_ms } }),
      ...(signal === undefined ? {} : { signal }),
    },
    runtime,
  );
}

/** Rules are about words, so one word must not look like two. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
