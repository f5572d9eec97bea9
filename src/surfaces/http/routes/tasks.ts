import { z } from 'zod';

import type { Config } from '../../../config.ts';
import type { Agent } from '../../../domains/agents/schema.ts';
import { TASK_STATES } from '../../../domains/tasks/schema.ts';
import { withoutPaths } from '../problem.ts';
import { type Route, route } from '../route.ts';
import { flag } from '../schemas.ts';

const LIMIT = 200;
const LIMIT_MAX = 1_000;

const task = z
  .object({
    id: z.string(),
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    state: z.enum(TASK_STATES),
    attempt: z.int(),
    max_attempts: z.int(),
    priority: z.int(),
    agent_tier: z.string(),
    pool: z.string(),
    profile: z.string().nullable(),
    strategy: z.string(),
    required_skills: z.array(z.string()),
    required_tools: z.array(z.string()),
    progress: z.number(),
    summary: z.string(),
    agent_id: z.string().nullable(),
    branch: z.string().nullable(),
    head_sha: z.string().nullable(),
    code: z.string().nullable(),
    reason: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    closed_at: z.string().nullable(),
  })
  .meta({ id: 'Task' });

const checkpoint = z.object({
  attempt: z.int(),
  phase: z.string(),
  status: z.string(),
  head_sha: z.string().nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
});

const taskDetail = z
  .object({
    task,
    skills: z.array(z.object({ name: z.string(), version: z.string().nullable(), digest: z.string() })),
    checkpoints: z.array(checkpoint),
    answers: z.array(z.object({ line: z.string(), verdict: z.string(), evidence: z.string() })),
    updates: z.array(
      z.object({ at: z.string(), status: z.string(), progress: z.number(), summary: z.string() }),
    ),
    thoughts: z.array(
      z.object({
        at: z.string(),
        type: z.string(),
        content: z.string(),
        branch: z.string().nullable(),
        commit_sha: z.string().nullable(),
        tests_run: z.array(z.string()).nullable(),
        blockers: z.array(z.string()).nullable(),
      }),
    ),
  })
  .meta({ id: 'TaskDetail' });

const poolReport = z
  .object({
    strategy: z.string(),
    chosen: z.string().nullable(),
    empty: z.object({ code: z.string(), reason: z.string() }).nullable(),
    profiles: z.array(
      z.object({
        profile: z.string(),
        eligible: z.boolean(),
        why: z.string(),
        active: z.int(),
        max: z.int(),
      }),
    ),
  })
  .meta({ id: 'PoolReport' });

const taskParams = z.object({ id: z.string().min(1).max(200).describe('its id or slug') });

/** Looking only: work is given and stopped on the command line or by agents through MCP. */
export const TASK_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/tasks',
    id: 'listTasks',
    tag: 'tasks',
    summary: 'tasks, newest first',
    query: z.object({
      state: z.enum(TASK_STATES).optional(),
      open: flag,
      limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT),
    }),
    answer: z.object({ items: z.array(task) }).meta({ id: 'Tasks' }),
    handle: async ({ query }, { services }) => ({ items: await (await services.tasks()).list(query) }),
  }),
  route({
    method: 'get',
    path: '/v1/tasks/{id}',
    id: 'getTask',
    tag: 'tasks',
    summary: 'one task: its phases, what was checked, told and thought',
    params: taskParams,
    answer: taskDetail,
    handle: async ({ params }, { services }) => {
      const found = await (await services.tasks()).detail(params.id);
      return { ...found, task: found, skills: found.brief.skills };
    },
  }),
  route({
    method: 'get',
    path: '/v1/tasks/{id}/pool',
    id: 'getTaskPool',
    tag: 'tasks',
    summary: 'who could do it, who not, and why',
    params: taskParams,
    answer: poolReport,
    handle: async ({ params }, { services }) => (await services.tasks()).pool(params.id),
  }),
  route({
    method: 'get',
    path: '/v1/orphans',
    id: 'listOrphans',
    tag: 'tasks',
    summary: 'agents that ended without writing back',
    answer: z
      .object({
        items: z.array(z.object({ agent_id: z.string(), task_id: z.string(), found_at: z.string() })),
      })
      .meta({ id: 'Orphans' }),
    handle: async (_input, { services }) => ({ items: await (await services.tasks()).orphans.list() }),
  }),
];

const agent = z
  .object({
    id: z.string(),
    task_id: z.string(),
    profile: z.string(),
    pool: z.string(),
    state: z.string(),
    phase: z.string().nullable(),
    worktree: z.string().nullable(),
    branch: z.string().nullable(),
    head_before: z.string().nullable(),
    head_after: z.string().nullable(),
    tokens_used: z.int(),
    fail_code: z.string().nullable(),
    fail_detail: z.string().nullable(),
    created_at: z.string(),
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
  })
  .meta({ id: 'Agent' });

const profile = z
  .object({
    name: z.string(),
    state: z.enum(['usable', 'untrusted', 'shadowed', 'invalid']),
    source: z.string(),
    path: z.string(),
    problem: z.string().nullable(),
    description: z.string(),
    agent_tier: z.string().nullable(),
    pool: z.string().nullable(),
    skills: z.array(z.string()),
    tools: z.array(z.string()),
    max_concurrent_tasks: z.int().nullable(),
    active: z.int(),
    total_runs: z.int(),
    success_rate: z.number(),
    avg_duration_ms: z.number(),
  })
  .meta({ id: 'Profile' });

export const AGENT_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/agents',
    id: 'listAgents',
    tag: 'agents',
    summary: 'agents, newest first: one for each run of a profile',
    query: z.object({
      profile: z.string().max(100).optional(),
      task_id: z.string().max(64).optional(),
      limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT),
    }),
    answer: z.object({ items: z.array(agent) }).meta({ id: 'Agents' }),
    handle: async ({ query }, { services }) => {
      const found = await (await services.agents()).list(query);
      return { items: found.map((each) => shownAgent(each, services.config)) };
    },
  }),
  route({
    method: 'get',
    path: '/v1/agents/{id}',
    id: 'getAgent',
    tag: 'agents',
    summary: 'one agent: its state, its branch, why it failed',
    params: z.object({ id: z.string().min(1).max(100) }),
    answer: agent,
    handle: async ({ params }, { services }) =>
      shownAgent(await (await services.agents()).status(params.id), services.config),
  }),
  route({
    method: 'get',
    path: '/v1/profiles',
    id: 'listProfiles',
    tag: 'agents',
    summary: 'the profiles of agents: what they can do, may do and have done',
    answer: z.object({ items: z.array(profile) }).meta({ id: 'Profiles' }),
    handle: async (_input, { services }) => {
      const agents = await services.agents();
      const [files, active] = await Promise.all([agents.profileReport(), agents.active()]);
      return {
        items: files.map((file) => {
          const where = { source: file.source, path: withoutPaths(file.path, services.config) };
          if (file.state === 'invalid') return { ...NO_PROFILE, ...where, problem: file.problem };
          const { agent_type: name, permissions, limits, history, ...facts } = file.profile;
          return {
            ...{ name, state: file.state, problem: null, ...where },
            ...{ description: facts.description, agent_tier: facts.agent_tier, pool: facts.pool },
            ...{ skills: facts.skills, tools: permissions.tools },
            max_concurrent_tasks: limits.max_concurrent_tasks,
            active: active.get(name) ?? 0,
            ...history,
          };
        }),
      };
    },
  }),
];

function shownAgent(each: Agent, config: Config): Agent {
  const shown = (text: string | null) => (text === null ? null : withoutPaths(text, config));
  return { ...each, worktree: shown(each.worktree), fail_detail: shown(each.fail_detail) };
}

/** What is known of a file that no profile could be read from. */
const NO_PROFILE = {
  name: '',
  state: 'invalid' as const,
  description: '',
  agent_tier: null,
  pool: null,
  skills: [],
  tools: [],
  max_concurrent_tasks: null,
  active: 0,
  total_runs: 0,
  success_rate: 0,
  avg_duration_ms: 0,
};
