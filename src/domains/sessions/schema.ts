/** What a session is: its options, its budgets and what it has loaded. */
import { z } from 'zod';

import type { AgentTier } from '../skills/schema.ts';
import type { SessionView } from './view.ts';

/** Explicit loads per session. */
export const LOADS_MAX = 3;
/** Tokens of explicitly loaded bodies per session. */
export const LOAD_TOKENS_MAX = 30_000;
/** From here on a session is told that it spends much. */
export const LOAD_TOKENS_WARN = 10_000;
export const CATALOG_TOKENS = 8_000;
/** Prompt caches below the floor cache nothing; beyond the ceiling nothing is gained. */
export const PRELOAD_FLOOR = 4_500;
export const PRELOAD_CEILING = 5_500;

export type LoadReason = 'always' | 'on_demand' | 'auto_suggested';

export interface Budget {
  readonly max_loads: number;
  readonly max_tokens: number;
  readonly warn_tokens: number;
  readonly catalog_tokens: number;
}

export interface Preload {
  /** What the stable prompt and the tools cost already, without the catalog. */
  readonly prefix_tokens: number;
  readonly floor: number;
  readonly ceiling: number;
}

export interface SessionOptions {
  readonly agent_tier: AgentTier;
  readonly agent_id: string | null;
  readonly budget: Budget;
  readonly preload: Preload | null;
  /** A profile of the policy that narrows what this session may do. */
  readonly profile?: string;
  /** Absent in records that are older than it. */
  readonly view?: SessionView;
  /** `skill_match` loads the winner. */
  readonly auto_load?: true;
  /** What the session is for, as names: its text may be private. */
  readonly task?: TaskRanking;
}

/** The skills by how well they fit a task, as they stood when the session was opened. */
export interface TaskRanking {
  readonly ranked: readonly string[];
  /** The skill that the task clearly calls for. */
  readonly winner: string | null;
}

/** Longer texts are refused. */
export const TASK_CHARS_MAX = 100_000;

/** A body that the session was given. */
export interface Loaded {
  readonly name: string;
  readonly reason: LoadReason;
  readonly tokens: number;
  /** sha256 of SKILL.md. */
  readonly digest: string;
  /** Artifacts: the body, and the list of the skill's files as they were. */
  readonly body: string;
  readonly files: string;
  /** False for what a person invoked: it uses no budget. */
  readonly counted: boolean;
}

export interface SessionState {
  readonly id: string;
  readonly generation: number;
  readonly options: SessionOptions;
  /** In order of loading. */
  readonly loaded: readonly Loaded[];
}

const tier = z.enum(['T0', 'T1', 'T2', 'T3', 'T4']);
const tokens = z.int().min(0).max(10_000_000);

type Settings<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** What a caller may say when it opens a session; the rest are defaults. */
export interface SessionRequest {
  /** The folder the caller means; another than the server's is refused. */
  readonly workspace?: string | undefined;
  /** A profile of the policy; it can only take away from the one in force. */
  readonly policy?: string | undefined;
  /** A profile of skills, from `colibri profile create`. */
  readonly profile?: string | undefined;
  readonly agent_tier?: AgentTier | undefined;
  readonly agent_id?: string | undefined;
  readonly budget?: Settings<Budget> | undefined;
  readonly preload?: boolean | Settings<Preload> | undefined;
  /** What the session is for: a catalog that is too long keeps the skills that fit. */
  readonly task?: string | undefined;
  /** Load the skill that a task calls for without being asked; never one that is not trusted. */
  readonly auto_load?: boolean | undefined;
}

export const sessionRequestSchema: z.ZodType<SessionRequest> = z.strictObject({
  workspace: z.string().min(1).optional(),
  policy: z.string().min(1).max(100).optional().describe('a policy profile that narrows'),
  profile: z.string().min(1).max(64).optional().describe('a profile of skills'),
  agent_tier: tier.optional().describe('who is asking: T0 human … T4 model'),
  agent_id: z.string().min(1).max(200).optional(),
  budget: z
    .strictObject({
      max_loads: tokens.optional(),
      max_tokens: tokens.optional(),
      warn_tokens: tokens.optional(),
      catalog_tokens: tokens.optional(),
    })
    .optional(),
  preload: z
    .union([
      z.boolean(),
      z.strictObject({
        prefix_tokens: tokens.optional(),
        floor: tokens.optional(),
        ceiling: tokens.optional(),
      }),
    ])
    .optional()
    .describe('whole bodies for a prompt cache'),
  task: z.string().max(TASK_CHARS_MAX).optional(),
  auto_load: z.boolean().optional(),
});

export function sessionOptions(request: SessionRequest, fallbackTier: AgentTier): SessionOptions {
  const { budget = {}, preload = false } = request;
  return {
    agent_tier: request.agent_tier ?? fallbackTier,
    agent_id: request.agent_id ?? null,
    budget: {
      max_loads: budget.max_loads ?? LOADS_MAX,
      max_tokens: budget.max_tokens ?? LOAD_TOKENS_MAX,
      warn_tokens: budget.warn_tokens ?? LOAD_TOKENS_WARN,
      catalog_tokens: budget.catalog_tokens ?? CATALOG_TOKENS,
    },
    preload: preload === false ? null : preloadOptions(preload === true ? {} : preload),
    ...(request.policy === undefined ? {} : { profile: request.policy }),
    ...(request.auto_load === true ? { auto_load: true } : {}),
  };
}

function preloadOptions(said: Settings<Preload>): Preload {
  return {
    prefix_tokens: said.prefix_tokens ?? 0,
    floor: said.floor ?? PRELOAD_FLOOR,
    ceiling: said.ceiling ?? PRELOAD_CEILING,
  };
}
