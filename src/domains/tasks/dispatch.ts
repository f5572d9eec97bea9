/** Who could do a task: skills for its tier, profiles that have them, and why the others are out. Pure. */
import { missingTools, WRITEBACK_TOOLS } from '../agents/permissions.ts';
import type { AgentProfile } from '../agents/schema.ts';
import type { AgentTier, WorkflowStep } from '../skills/skill.ts';
import type { Brief, Task } from './schema.ts';
import { type Candidate, isFull, medianDuration, rank, type Score, score } from './strategies.ts';
import { matchingTriggers } from './triggers.ts';

/** What a dispatch needs to know of a skill. */
export interface PoolSkill {
  readonly name: string;
  readonly version: string | null;
  readonly digest: string;
  readonly invokable_by: readonly AgentTier[];
  readonly required_tools: readonly string[];
  readonly workflow: readonly WorkflowStep[];
  readonly verification: readonly string[];
}

/** The skills of a task: those it requires, and those its words call for. */
export interface TaskSkills {
  readonly required: readonly PoolSkill[];
  readonly triggered: readonly (PoolSkill & { readonly trigger: string })[];
  /** Required ones that nobody has, or that are not for the tier. */
  readonly missing: readonly { readonly name: string; readonly why: string }[];
}

export type EmptyCode = 'NO_SKILL' | 'NO_PROFILE' | 'ALL_BUSY' | 'OVER_BUDGET';

export interface ProfileVerdict {
  readonly profile: string;
  readonly eligible: boolean;
  /** Why it is out, or empty. */
  readonly why: string;
  readonly code: Exclude<EmptyCode, 'NO_SKILL'> | null;
  readonly active: number;
  readonly max: number;
  readonly score: Score;
}

/** Everything a person needs to understand a choice. */
export interface PoolReport {
  readonly strategy: Task['strategy'];
  readonly skills: TaskSkills;
  /** Best first, then those that are out, by name. */
  readonly profiles: readonly ProfileVerdict[];
  readonly chosen: string | null;
  readonly empty: { readonly code: EmptyCode; readonly reason: string } | null;
}

type Wanted = Pick<
  Task,
  'strategy' | 'profile' | 'pool' | 'required_tools' | 'token_budget' | 'timeout_ms' | 'agent_tier'
>;

/** More would drown the task in instructions. */
const TRIGGERED_MAX = 5;

/** The first step: which skills the task is about. */
export function skillsFor(
  task: Pick<Task, 'title' | 'description' | 'agent_tier' | 'required_skills'>,
  skills: { readonly find: (name: string) => PoolSkill | null; readonly offered: readonly Offered[] },
): TaskSkills {
  const required: PoolSkill[] = [];
  const missing: { name: string; why: string }[] = [];
  for (const name of task.required_skills) {
    const skill = skills.find(name);
    if (skill === null) missing.push({ name, why: 'no such skill' });
    else if (!skill.invokable_by.includes(task.agent_tier))
      missing.push({ name, why: `not for ${task.agent_tier}, only ${skill.invokable_by.join(', ')}` });
    else required.push(skill);
  }
  const text = `${task.title}\n${task.description}`;
  const triggered = skills.offered
    .filter(({ name, invokable_by }) => {
      return invokable_by.includes(task.agent_tier) && !task.required_skills.includes(name);
    })
    .flatMap(({ name, triggers }) => {
      const [trigger] = matchingTriggers(triggers, text);
      const skill = trigger === undefined ? null : skills.find(name);
      return skill === null || trigger === undefined ? [] : [{ ...skill, trigger }];
    });
  return { required, missing, triggered: triggered.slice(0, TRIGGERED_MAX) };
}

/** A skill that may be added to a task by its triggers. */
export interface Offered {
  readonly name: string;
  readonly triggers: readonly string[];
  readonly invokable_by: readonly AgentTier[];
}

/** The second step: who can take it. */
export function reportPool(
  task: Wanted,
  skills: TaskSkills,
  {
    profiles,
    untrusted,
    active,
  }: {
    readonly profiles: readonly AgentProfile[];
    /** Nobody has vouched for these: they are out, and told of. */
    readonly untrusted: readonly AgentProfile[];
    readonly active: ReadonlyMap<string, number>;
  },
): PoolReport {
  const candidates = [...profiles, ...untrusted].map((profile) => ({
    profile,
    active: active.get(profile.agent_type) ?? 0,
    required: skills.required.length,
    trusted: profiles.includes(profile),
  }));
  const judged = candidates.map((candidate) => ({ candidate, out: whyOut(task, skills, candidate) }));
  const eligible = judged.filter(({ out }) => out === null).map(({ candidate }) => candidate);
  const ranked = skills.missing.length > 0 ? [] : rank(task.strategy, eligible);
  const middle = medianDuration(eligible);
  const verdictOf = ({ candidate, out }: (typeof judged)[number]): ProfileVerdict => ({
    profile: candidate.profile.agent_type,
    eligible: out === null,
    why: out?.why ?? '',
    code: out?.code ?? null,
    active: candidate.active,
    max: candidate.profile.limits.max_concurrent_tasks,
    score: score(candidate, middle),
  });
  const place = (candidate: Candidate) => {
    const index = ranked.findIndex(({ profile }) => profile.agent_type === candidate.profile.agent_type);
    return index === -1 ? ranked.length : index;
  };
  const sorted = [...judged].sort(
    (a, b) =>
      place(a.candidate) - place(b.candidate) ||
      (a.candidate.profile.agent_type < b.candidate.profile.agent_type ? -1 : 1),
  );
  const chosen = ranked[0]?.profile.agent_type ?? null;
  const verdicts = sorted.map(verdictOf);
  const empty = chosen === null ? emptyReason(task, skills, verdicts) : null;
  return { strategy: task.strategy, skills, profiles: verdicts, chosen, empty };
}

interface Out {
  readonly code: Exclude<EmptyCode, 'NO_SKILL'>;
  readonly why: string;
}

function whyOut(
  task: Wanted,
  { required }: TaskSkills,
  candidate: Candidate & { readonly profile: AgentProfile; readonly trusted: boolean },
): Out | null {
  const { profile, active } = candidate;
  const { limits, permissions } = profile;
  if (task.profile !== null && task.profile !== profile.agent_type)
    return out(`the task is for ${task.profile}`);
  if (task.profile === null && task.pool !== profile.pool) return out(`works in the pool ${profile.pool}`);
  if (!candidate.trusted)
    return out(`is not trusted; read its file, then \`colibri trust ${profile.agent_type}.yaml\``);
  const unskilled = required.filter(({ name }) => !profile.skills.includes(name)).map(({ name }) => name);
  if (unskilled.length > 0) return out(`lacks the skill ${unskilled.join(', ')}`);
  const tools = [...task.required_tools, ...required.flatMap(({ required_tools }) => required_tools)];
  const forbidden = missingTools(tools, [...permissions.tools, ...WRITEBACK_TOOLS]);
  if (forbidden.length > 0) return out(`may not use ${[...new Set(forbidden)].join(', ')}`);
  if (task.token_budget !== null && task.token_budget > limits.token_budget) {
    return { code: 'OVER_BUDGET', why: `has ${limits.token_budget} tokens, ${task.token_budget} are needed` };
  }
  if (task.timeout_ms !== null && task.timeout_ms > limits.timeout_ms) {
    return { code: 'OVER_BUDGET', why: `has ${limits.timeout_ms} ms, ${task.timeout_ms} are needed` };
  }
  if (isFull(candidate)) {
    return { code: 'ALL_BUSY', why: `works on ${active} of ${limits.max_concurrent_tasks} tasks` };
  }
  return null;
}

function out(why: string): Out {
  return { code: 'NO_PROFILE', why };
}

function emptyReason(
  task: Wanted,
  { missing }: TaskSkills,
  verdicts: readonly ProfileVerdict[],
): { readonly code: EmptyCode; readonly reason: string } {
  if (missing.length > 0) {
    const list = missing.map(({ name, why }) => `${name} (${why})`).join(', ');
    return { code: 'NO_SKILL', reason: `the task requires skills that its agents cannot have: ${list}` };
  }
  // Whoever came furthest tells most: a busy profile would do, one with too small a budget nearly.
  for (const code of ['ALL_BUSY', 'OVER_BUDGET'] as const) {
    const found = verdicts.filter((verdict) => verdict.code === code);
    if (found.length > 0)
      return { code, reason: found.map(({ profile, why }) => `${profile} ${why}`).join('; ') };
  }
  if (verdicts.length === 0) {
    const reason = 'there is no agent profile; add one in .colibri/agents';
    return { code: 'NO_PROFILE', reason };
  }
  if (task.profile !== null && !verdicts.some(({ profile }) => profile === task.profile)) {
    return {
      code: 'NO_PROFILE',
      reason: `there is no profile ${task.profile}; \`colibri agent profile\` shows them`,
    };
  }
  const told = task.profile === null ? verdicts : verdicts.filter(({ profile }) => profile === task.profile);
  return { code: 'NO_PROFILE', reason: told.map(({ profile, why }) => `${profile} ${why}`).join('; ') };
}

/** What the chosen profile is handed: of the triggered skills only those that it has and whose tools it may use. */
export function briefFor(profile: AgentProfile, { required, triggered }: TaskSkills): Brief {
  const usable = triggered.filter(
    ({ name, required_tools }) =>
      profile.skills.includes(name) &&
      missingTools(required_tools, [...profile.permissions.tools, ...WRITEBACK_TOOLS]).length === 0,
  );
  const all: readonly PoolSkill[] = [...required, ...usable];
  return {
    skills: all.map(({ name, version, digest }) => ({ name, version, digest })),
    plan: all.flatMap(({ name, workflow }) => workflow.map((step) => ({ ...step, skill: name }))),
    checks: [...new Set(all.flatMap(({ verification }) => verification))],
  };
}

/** Tools that an agent must have shown before it begins. */
export function toolsFor(task: Pick<Task, 'required_tools'>, { required }: TaskSkills): readonly string[] {
  return [...new Set([...task.required_tools, ...required.flatMap(({ required_tools }) => required_tools)])];
}
