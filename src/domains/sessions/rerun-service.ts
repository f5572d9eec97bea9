/** A script that ran in a recorded session, run once more: with the files of today and under the policy of today. */
import { ColibriError } from '../../lib/errors.ts';
import type { PolicyDecisionPayload } from '../policy/decision-event.ts';
import { decisionPayload, type PolicyService } from '../policy/service.ts';
import type { SkillsService } from '../skills/service.ts';
import type { AskedRun } from './approval.ts';
import { skillNotFound, type World } from './engine.ts';
import { checkScriptPath } from './run/pinned-files.ts';
import type { ScriptRuntime } from './run/probe.ts';
import type { RunAnswer } from './run-answer.ts';
import { type JudgedRun, judgeRun, runJudged, runnableFiles } from './run-service.ts';
import type { SessionState } from './schema.ts';

export interface RerunParts {
  readonly skills: SkillsService;
  readonly policy: Pick<PolicyService, 'judge' | 'record' | 'grants'>;
  readonly runtime: ScriptRuntime;
  /** Puts the policy's question to a person; absent: nobody is there, and what has to be asked is refused. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
}

export interface Rerun {
  /** Null when it was refused before the policy came into it. */
  readonly decision: PolicyDecisionPayload | null;
  readonly outcome: RunAnswer | ColibriError;
}

export interface RerunRequest {
  readonly world: World;
  readonly state: SessionState;
  readonly input: AskedRun['input'];
  /** Then the call ended with the question alone; its answer came with another call. */
  readonly endedAsking: boolean;
}

export async function rerunScript(
  parts: RerunParts,
  { world, state, input, endedAsking }: RerunRequest,
): Promise<Rerun> {
  let decision: PolicyDecisionPayload | null = null;
  try {
    const { skill, run } = prepare(parts, { world, state, input });
    const judged = await judgeRun(parts, skill, { input, options: state.options });
    decision = decisionPayload(judged);
    const attempt = (answers: JudgedRun['answers']) =>
      runJudged(parts, judged, { ...run, canAsk: endedAsking || parts.ask !== undefined, answers });
    return { decision, outcome: await withAnswer(attempt, endedAsking ? undefined : parts.ask) };
  } catch (error) {
    if (!(error instanceof ColibriError)) throw error;
    return { decision, outcome: error };
  }
}

function prepare({ skills }: RerunParts, { world, state, input }: Omit<RerunRequest, 'endedAsking'>) {
  const { name } = input;
  const load = state.loaded.findLast((candidate) => candidate.name === name);
  const skill = world.command(name);
  if (skill === null) throw skillNotFound(world, name);
  if (load === undefined) {
    const message = `load ${name} with skill_load before running its scripts`;
    throw new ColibriError('SKILL_NOT_LOADED', message, { name });
  }
  const directory = skills.placeOf(skill.directory);
  const files = runnableFiles(world.files(skill));
  checkScriptPath(input.script, files);
  if (directory === null) throw skillNotFound(world, name);
  return { skill, run: { session: state.id, load, input, pinned: { directory, files } } };
}

/** Once without an answer; where a person has to say it, once more with theirs. */
async function withAnswer(
  attempt: (answers: JudgedRun['answers']) => Promise<RunAnswer>,
  ask: RerunParts['ask'],
): Promise<RunAnswer> {
  try {
    return await attempt(new Map());
  } catch (error) {
    if (!(error instanceof ColibriError) || error.code !== 'ASK_REQUIRED' || ask === undefined) throw error;
    // Both stand in the details of every ASK_REQUIRED.
    const { key, question } = error.details as { readonly key: string; readonly question: string };
    return attempt(new Map([[key, await ask(question)]]));
  }
}
