/** Who could do a task, and what each of the others lacks. */
import { describe, expect, test } from 'vitest';

import type { AgentProfile } from '../../../src/domains/agents/schema.ts';
import {
  briefFor,
  type PoolSkill,
  reportPool,
  skillsFor,
  toolsFor,
} from '../../../src/domains/tasks/dispatch.ts';
import type { Task } from '../../../src/domains/tasks/schema.ts';
import { freeSlug, slugOf } from '../../../src/domains/tasks/slug.ts';
import { matchingTriggers } from '../../../src/domains/tasks/triggers.ts';
import { req } from '../../requirements.ts';

const skill = (name: string, facts: Partial<PoolSkill> = {}): PoolSkill => ({
  name,
  version: '1.0.0',
  digest: name.padEnd(64, '0'),
  invokable_by: ['T0', 'T1', 'T2', 'T3'],
  required_tools: [],
  workflow: [],
  verification: [],
  ...facts,
});

const SKILLS = [
  skill('release-notes', {
    required_tools: ['Bash'],
    workflow: [{ step: 'list the commits', tool: 'Bash', params: { command: 'git log' } }],
    verification: ['every commit is named'],
  }),
  skill('orchestrate', { invokable_by: ['T0', 'T1'] }),
  skill('changelog', { verification: ['every commit is named', 'the date is right'] }),
];
const find = (name: string) => SKILLS.find((each) => each.name === name) ?? null;
const offered = [
  { name: 'changelog', triggers: ['changelog', 'keep a log'], invokable_by: ['T3'] as const },
  { name: 'orchestrate', triggers: ['notes'], invokable_by: ['T0', 'T1'] as const },
];

const profile = (name: string, facts: Partial<AgentProfile> = {}): AgentProfile => ({
  agent_type: name,
  description: '',
  agent_tier: 'T3',
  pool: 'implementation',
  skills: ['release-notes', 'changelog'],
  permissions: { tools: ['Bash', 'Read'], write_access: true, admin_access: false },
  limits: { max_concurrent_tasks: 1, token_budget: 1000, timeout_ms: 60_000 },
  history: { success_rate: 0, avg_duration_ms: 0, total_runs: 0 },
  runtime: {
    ...{ driver: 'stdio', command: ['agent'], env: [] },
    ...{ init_timeout_ms: 1, stall_timeout_ms: 1, usage: 'none' },
  } as AgentProfile['runtime'],
  path: `/work/.colibri/agents/${name}.yaml`,
  source: 'workspace',
  last_assigned_at: null,
  ...facts,
});

const TASK: Pick<
  Task,
  | 'title'
  | 'description'
  | 'agent_tier'
  | 'required_skills'
  | 'required_tools'
  | 'strategy'
  | 'profile'
  | 'pool'
  | 'token_budget'
  | 'timeout_ms'
> = {
  title: 'Write the release notes and the changelog',
  description: '',
  agent_tier: 'T3',
  required_skills: ['release-notes'],
  required_tools: [],
  strategy: 'CAPACITY_AWARE',
  profile: null,
  pool: 'implementation',
  token_budget: null,
  timeout_ms: null,
};

function ask(
  profiles: readonly AgentProfile[],
  {
    task = {},
    active = {},
    untrusted = [],
  }: {
    task?: Partial<typeof TASK>;
    active?: Readonly<Record<string, number>>;
    untrusted?: readonly AgentProfile[];
  } = {},
) {
  const asked = { ...TASK, ...task };
  const skills = skillsFor(asked, { find, offered });
  return reportPool(asked, skills, { profiles, untrusted, active: new Map(Object.entries(active)) });
}

describe('a pool', () => {
  test('gives the task to a profile that has the skills, the tools and room', () => {
    const report = ask([profile('coder')]);
    expect(report).toMatchObject({ chosen: 'coder', empty: null });
    expect(report.profiles).toMatchObject([
      { profile: 'coder', eligible: true, why: '', code: null, active: 0, max: 1 },
    ]);
  });

  test(req('C1-cv-1', 'says for each profile that is out what it lacks'), () => {
    const report = ask([
      profile('reader', { permissions: { tools: ['Read'], write_access: false, admin_access: false } }),
      profile('unskilled', { skills: ['changelog'] }),
      profile('reviewer', { pool: 'review' }),
      profile('coder'),
    ]);
    expect(report.chosen).toBe('coder');
    expect(report.profiles.map(({ profile: name, why }) => [name, why])).toEqual([
      ['coder', ''],
      ['reader', 'may not use Bash'],
      ['reviewer', 'works in the pool review'],
      ['unskilled', 'lacks the skill release-notes'],
    ]);
  });

  test('is empty for want of a skill', () => {
    const report = ask([profile('coder')], { task: { required_skills: ['orchestrate', 'nobody'] } });
    expect(report).toMatchObject({ chosen: null, empty: { code: 'NO_SKILL' } });
    expect(report.empty?.reason).toContain('orchestrate (not for T3, only T0, T1), nobody (no such skill)');
  });

  test('is empty for want of a profile', () => {
    expect(ask([]).empty).toMatchObject({ code: 'NO_PROFILE' });
    expect(ask([profile('unskilled', { skills: [] })]).empty).toEqual({
      code: 'NO_PROFILE',
      reason: 'unskilled lacks the skill release-notes',
    });
    const named = ask([profile('coder')], { task: { profile: 'nobody' } });
    expect(named.empty).toMatchObject({
      code: 'NO_PROFILE',
      reason: expect.stringContaining('no profile nobody'),
    });
  });

  test('never takes a profile that nobody has vouched for, and says how to', () => {
    const why = 'is not trusted; read its file, then `colibri trust foreign.yaml`';
    expect(ask([], { untrusted: [profile('foreign')] }).empty).toEqual({
      code: 'NO_PROFILE',
      reason: `foreign ${why}`,
    });
    const { chosen, profiles } = ask([profile('own')], { untrusted: [profile('foreign')] });
    expect(chosen).toBe('own');
    expect(profiles).toMatchObject([{ profile: 'own' }, { profile: 'foreign', eligible: false, why }]);
  });

  test('is empty because all are busy, which is told before anything else', () => {
    const report = ask([profile('coder'), profile('unskilled', { skills: [] })], { active: { coder: 1 } });
    expect(report.empty).toEqual({ code: 'ALL_BUSY', reason: 'coder works on 1 of 1 tasks' });
  });

  test('is empty because the task needs more than anybody may spend', () => {
    expect(ask([profile('coder')], { task: { token_budget: 5000 } }).empty).toEqual({
      code: 'OVER_BUDGET',
      reason: 'coder has 1000 tokens, 5000 are needed',
    });
    expect(ask([profile('coder')], { task: { timeout_ms: 90_000 } }).empty?.code).toBe('OVER_BUDGET');
  });

  test('takes the profile that the task names, whatever its pool', () => {
    const report = ask([profile('coder'), profile('reviewer', { pool: 'review' })], {
      task: { profile: 'reviewer' },
    });
    expect(report.chosen).toBe('reviewer');
  });
});

describe('a brief', () => {
  const skills = skillsFor(TASK, { find, offered });

  test('holds the required skills, and those that the words call for if the profile has them', () => {
    expect(skills.triggered.map(({ name, trigger }) => [name, trigger])).toEqual([
      ['changelog', 'changelog'],
    ]);
    const brief = briefFor(profile('coder'), skills);
    expect(brief.skills.map(({ name }) => name)).toEqual(['release-notes', 'changelog']);
    expect(briefFor(profile('coder', { skills: ['release-notes'] }), skills).skills.length).toBe(1);
  });

  test('has the steps as the plan and each check once', () => {
    expect(briefFor(profile('coder'), skills)).toMatchObject({
      plan: [
        { skill: 'release-notes', step: 'list the commits', tool: 'Bash', params: { command: 'git log' } },
      ],
      checks: ['every commit is named', 'the date is right'],
    });
    expect(toolsFor({ required_tools: ['Read', 'Bash'] }, skills)).toEqual(['Read', 'Bash']);
  });
});

test('a trigger is found as whole words only, whatever the case', () => {
  expect(matchingTriggers(['test'], 'the latest contest')).toEqual([]);
  expect(matchingTriggers(['run  tests', 'ärger'], 'Please RUN tests. ÄRGER!')).toEqual([
    'run  tests',
    'ärger',
  ]);
  expect(matchingTriggers(['', ' '], 'anything')).toEqual([]);
});

test('a slug is fit for a branch, and free', () => {
  expect(slugOf('Fix: the Ünicode löss in `parse()`!')).toBe('fix-the-unicode-loss-in-parse');
  expect(slugOf('漢字')).toBe('task');
  expect(slugOf('word '.repeat(40))).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(slugOf(`${'x'.repeat(200)} y`).length).toBe(50);
  expect(freeSlug('a', new Set(['a', 'a-2', 'ab']))).toBe('a-3');
});
