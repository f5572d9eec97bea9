/** What callers may say: new tasks, updates, thoughts, packs of memory. */
import { z } from 'zod';

import { POOLS } from '../agents/pools.ts';
import type { Pool } from '../agents/schema.ts';
import type { AgentTier } from '../skills/skill.ts';
import { type Answer, STRATEGIES, type Strategy, THOUGHT_TYPES, type ThoughtType } from './schema.ts';

/** A task as its author describes it. */
export interface NewTask {
  readonly title: string;
  readonly description: string;
  readonly slug?: string | undefined;
  readonly agent_tier: AgentTier;
  readonly pool: Pool;
  readonly priority: number;
  readonly profile?: string | undefined;
  readonly strategy: Strategy;
  readonly required_skills: readonly string[];
  readonly required_tools: readonly string[];
  readonly token_budget?: number | undefined;
  readonly timeout_ms?: number | undefined;
  readonly max_attempts: number;
  readonly repo?: string | undefined;
  readonly base_ref: string;
}

/** Only the title is needed; the rest has defaults. */
export type TaskRequest = Pick<NewTask, 'title'> & {
  readonly [Field in keyof NewTask]?: NewTask[Field] | undefined;
};

export interface TaskUpdateRequest {
  readonly task_id: string;
  readonly status: string;
  readonly progress: number;
  readonly summary: string;
  readonly verification?: readonly Answer[] | undefined;
  readonly agent_id?: string | undefined;
  readonly session_id?: string | undefined;
}

export interface ThoughtRequest {
  readonly task_id: string;
  readonly type: ThoughtType;
  readonly content: string;
  readonly branch?: string | undefined;
  readonly commit_sha?: string | undefined;
  readonly tests_run?: readonly string[] | undefined;
  readonly blockers?: readonly string[] | undefined;
  readonly agent_id?: string | undefined;
  readonly session_id?: string | undefined;
}

export interface MemoryPackRequest {
  readonly session_id: string;
  readonly task_id?: string | undefined;
  readonly notes?: readonly string[] | undefined;
  readonly agent_id?: string | undefined;
}

export const ATTEMPTS_MAX = 3;
export const SLUG_CHARS_MAX = 60;
const TITLE_CHARS_MAX = 200;
const NAME_CHARS_MAX = 200;
const TEXT_CHARS_MAX = 20_000;
const PATH_CHARS_MAX = 4096;
const NAMES_MAX = 50;
const LINES_MAX = 200;
const PRIORITY_MAX = 1000;
const TOKENS_MAX = 1_000_000_000;
const TIMEOUT_MS_MAX = 7 * 24 * 3600 * 1000;

const name = z.string().min(1).max(NAME_CHARS_MAX);
const names = z.array(name).max(NAMES_MAX);
const text = z.string().min(1).max(TEXT_CHARS_MAX);
const lines = z.array(z.string().max(TEXT_CHARS_MAX)).max(LINES_MAX);
const agentId = name.optional();
const taskId = name;

export const taskRequestSchema: z.ZodType<NewTask, TaskRequest> = z.strictObject({
  title: z.string().trim().min(1).max(TITLE_CHARS_MAX).describe('one sentence'),
  description: z.string().max(TEXT_CHARS_MAX).default('').describe('everything the agent should know'),
  slug: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    .max(SLUG_CHARS_MAX)
    .optional()
    .describe('names the branch feature/<slug>; made from the title otherwise'),
  agent_tier: z.enum(['T0', 'T1', 'T2', 'T3', 'T4']).default('T3').describe('who will do it'),
  pool: z.enum(POOLS).default('implementation'),
  priority: z.int().min(-PRIORITY_MAX).max(PRIORITY_MAX).default(0).describe('higher goes first'),
  profile: name.optional().describe('the only agent profile that may do it'),
  strategy: z.enum(STRATEGIES).default('CAPACITY_AWARE').describe('how one of several profiles is chosen'),
  required_skills: names.default([]),
  required_tools: names.default([]),
  token_budget: z.int().min(1).max(TOKENS_MAX).optional().describe('tokens that it needs'),
  timeout_ms: z.int().min(1).max(TIMEOUT_MS_MAX).optional().describe('time that it needs'),
  max_attempts: z.int().min(1).max(10).default(ATTEMPTS_MAX),
  repo: z.string().min(1).max(PATH_CHARS_MAX).optional().describe('git repository; default: the workspace'),
  // Not an option of git's: a name that begins with a hyphen would be taken for one.
  base_ref: z
    .string()
    .regex(/^[^-\s][^\s]*$/)
    .max(NAME_CHARS_MAX)
    .default('HEAD')
    .describe('what the branch starts from'),
});

/** What a model may say about a new task; people have more to say on the command line. */
export interface TaskCreateRequest {
  readonly title: string;
  readonly description?: string | undefined;
  readonly profile?: string | undefined;
  readonly required_skills?: readonly string[] | undefined;
  readonly priority?: number | undefined;
  readonly dispatch?: boolean | undefined;
}

export const taskCreateSchema: z.ZodType<TaskCreateRequest> = z.strictObject({
  title: z.string().trim().min(1).max(TITLE_CHARS_MAX),
  description: z.string().max(TEXT_CHARS_MAX).optional(),
  profile: name.optional(),
  required_skills: names.optional(),
  priority: z.int().min(-PRIORITY_MAX).max(PRIORITY_MAX).optional().describe('higher goes first'),
  dispatch: z.boolean().optional().describe('queue it'),
});

const answers: z.ZodType<readonly Answer[]> = z
  .array(
    z.strictObject({
      line: text,
      verdict: z.enum(['pass', 'fail']),
      evidence: text,
    }),
  )
  .max(LINES_MAX);

export const taskUpdateSchema: z.ZodType<TaskUpdateRequest> = z.strictObject({
  task_id: taskId,
  status: z.string().min(1).max(100),
  progress: z.int().min(0).max(100),
  summary: text,
  verification: answers.optional(),
  agent_id: agentId,
  session_id: name.optional(),
});

export const thoughtSchema: z.ZodType<ThoughtRequest> = z.strictObject({
  task_id: taskId,
  type: z.enum(THOUGHT_TYPES),
  content: text,
  branch: name.optional(),
  commit_sha: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/)
    .optional(),
  tests_run: lines.optional(),
  blockers: lines.optional(),
  agent_id: agentId,
  session_id: name.optional(),
});

export const memoryPackSchema: z.ZodType<MemoryPackRequest> = z.strictObject({
  session_id: name,
  task_id: taskId.optional(),
  notes: z.array(text).max(LINES_MAX).optional(),
  agent_id: agentId,
});

/** What VERIFY may hand back, beside whatever else it says. */
export const verifyOutputSchema: z.ZodType<{ readonly verification?: readonly Answer[] | undefined }> =
  z.looseObject({ verification: answers.optional() });
