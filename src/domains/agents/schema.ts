/** What an agent, its profile and one run of it are. */
import { z } from 'zod';

import type { Json } from '../../lib/json.ts';
import { POOLS } from './pools.ts';

export const AGENT_STATES = ['PENDING', 'INITIALIZING', 'READY', 'BUSY', 'TERMINATED', 'FAILED'] as const;
export type AgentState = (typeof AGENT_STATES)[number];

export type Pool = (typeof POOLS)[number];

/** Why an agent is FAILED. docs/agents.md lists the same codes; a test holds the two together. */
export const FAIL_CODES = {
  CANCELLED: 'somebody stopped it',
  WORKTREE_ERROR: 'its worktree could not be made',
  SPAWN_ERROR: 'its command could not be started',
  INIT_TIMEOUT: 'it did not say hello in time',
  MISSING_TOOLS: 'it lacks tools that its skills need',
  NO_USAGE: 'it does not report what it uses, so its budget could not be held',
  PROTOCOL_ERROR: 'it wrote something that is no message, or not the one expected',
  OUTPUT_FLOOD: 'it wrote more than may be read',
  STALLED: 'nothing was heard of it for too long',
  DEADLINE: 'it ran longer than its limit',
  BUDGET_EXCEEDED: 'it used more tokens than it was given',
  PHASE_FAILED: 'it gave up in one of its phases',
  WRITE_FORBIDDEN: 'it changed files although its profile has no write access',
  WRITEBACK_REJECTED: 'it ended without writing back what it must',
  CRASH: 'its process ended before its work did',
  LEASE_LOST: 'another supervisor took its task over',
  HOST_LOST: 'its supervisor died',
} as const;
export type FailCode = keyof typeof FAIL_CODES;

/** What a profile says about the work of its agents so far. */
export interface ProfileHistory {
  /** 0 to 1; 0 while there were no runs. */
  readonly success_rate: number;
  readonly avg_duration_ms: number;
  readonly total_runs: number;
}

/** A capability profile (CV): what its agents can do, may do and have done. */
export interface AgentProfile {
  readonly agent_type: string;
  readonly description: string;
  readonly agent_tier: 'T1' | 'T2' | 'T3' | 'T4';
  readonly pool: Pool;
  readonly skills: readonly string[];
  readonly permissions: {
    readonly tools: readonly string[];
    readonly write_access: boolean;
    readonly admin_access: boolean;
  };
  readonly limits: {
    readonly max_concurrent_tasks: number;
    readonly token_budget: number;
    readonly timeout_ms: number;
  };
  readonly history: ProfileHistory;
  readonly runtime: ProfileRuntime;
  /** The file it comes from, absolute. */
  readonly path: string;
  readonly source: 'workspace' | 'global';
  /** ISO-8601 UTC of the last allocation, for strategies that take turns; null before the first. */
  readonly last_assigned_at: string | null;
}

/** A profile as its author writes it. */
export type ProfileDefinition = Omit<AgentProfile, 'history' | 'last_assigned_at' | 'path' | 'source'> & {
  /** Where its history starts; runs that were recorded since count instead. */
  readonly history?: ProfileHistory | undefined;
};

/** How an agent of the profile is started and spoken to. */
export interface ProfileRuntime {
  readonly driver: 'stdio' | 'acp';
  /** The program and its arguments; never a shell line. */
  readonly command: readonly string[];
  /** Names of variables that are handed on from Colibri's own environment. */
  readonly env: readonly string[];
  readonly init_timeout_ms: number;
  /** Silence after which it counts as hung; three times as long while it says that a tool runs. */
  readonly stall_timeout_ms: number;
  /** `none`: its budget is not held, because it cannot say what it uses. */
  readonly usage: 'required' | 'none';
}

export interface SkillRef {
  readonly name: string;
  readonly version: string | null;
  /** sha256 of SKILL.md. */
  readonly digest: string;
}

/** One agent: one run of one profile for one task. */
export interface Agent {
  readonly id: string;
  readonly task_id: string;
  readonly profile: string;
  readonly pool: Pool;
  readonly state: AgentState;
  /** The fence of the task's lease that this agent was made under. */
  readonly epoch: number;
  readonly phase: string | null;
  readonly repo: string | null;
  readonly worktree: string | null;
  readonly branch: string | null;
  readonly head_before: string | null;
  readonly head_after: string | null;
  readonly pid: number | null;
  readonly tokens_used: number;
  readonly fail_code: FailCode | null;
  readonly fail_detail: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly last_progress_at: string | null;
  readonly ended_at: string | null;
}

export interface AgentFilter {
  readonly state?: AgentState | undefined;
  readonly profile?: string | undefined;
  readonly task_id?: string | undefined;
  readonly limit?: number | undefined;
}

/** What a new agent is for. */
export interface Allocation {
  readonly taskId: string;
  readonly profile: string;
  /** Default: the profile's. */
  readonly pool?: Pool | undefined;
  readonly epoch: number;
}

/** Everything one run needs to know. */
export interface RunSpec {
  readonly agentId: string;
  readonly task: {
    readonly id: string;
    readonly slug: string;
    readonly title: string;
    readonly description: string;
  };
  /** The git repository, and what the branch starts from. */
  readonly repo: string;
  readonly baseRef: string;
  readonly skills: readonly SkillRef[];
  /** Tools that the skills need; the agent must have them all. */
  readonly requiredTools: readonly string[];
  /** Default: the profile's limits. */
  readonly timeoutMs?: number | undefined;
  readonly tokenBudget?: number | undefined;
  /** What the agent has to record before it may end. */
  readonly writebackContract: Json;
  /** Relevant memory and the parent's chain of thought. */
  readonly contextSnapshot: Json;
}

export interface PhaseResult {
  readonly status: 'ok' | 'failed';
  readonly output: Json;
  /** Why it failed; empty otherwise. */
  readonly detail: string;
  /** Whether trying again may help. */
  readonly transient: boolean;
  /** HEAD of the worktree after the phase. */
  readonly head: string;
}

/** What the supervisor measured itself, in the worktree, after the last process of the run was gone. */
export interface RunFacts {
  readonly agentId: string;
  readonly taskId: string;
  readonly worktree: string;
  readonly branch: string;
  readonly headBefore: string;
  readonly headAfter: string;
  readonly dirty: boolean;
  /** Commits on the branch since its base. */
  readonly commits: number;
  readonly tokensUsed: number;
}

export interface RunOutcome {
  readonly agentId: string;
  readonly state: 'TERMINATED' | 'FAILED';
  /** `ok`, or why it failed. */
  readonly code: FailCode | 'ok';
  readonly detail: string;
  /** Where the work is; null when the run ended before there was one. */
  readonly worktree: string | null;
  readonly branch: string | null;
  readonly headBefore: string | null;
  readonly headAfter: string | null;
  readonly tokensUsed: number;
  readonly durationMs: number;
}

/** What is told while a run goes on; for people, not for decisions. */
export type RunProgress =
  | { readonly kind: 'state'; readonly state: AgentState }
  | { readonly kind: 'worktree'; readonly path: string; readonly branch: string }
  | { readonly kind: 'phase'; readonly phase: string; readonly status: 'started' | 'ok' | 'failed' }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'tool'; readonly name: string; readonly status: 'started' | 'finished' }
  | { readonly kind: 'usage'; readonly tokens: number };

/** What start-up found of earlier supervisors and did about it. */
export interface Reconciliation {
  /** Agents whose supervisor is gone; they are FAILED with HOST_LOST now. */
  readonly lost: readonly Agent[];
  /** Processes of these agents, and of agents that had ended before; they are gone. */
  readonly killed: readonly number[];
  readonly removed: readonly string[];
  /** Worktrees that hold work nobody has merged, and why each was kept. */
  readonly kept: readonly { readonly worktree: string; readonly reason: string }[];
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const WORDS_MAX = 64;

const names = z.array(z.string().min(1).max(200)).max(500);

const permissions = z.strictObject({
  tools: names.describe("MCP tools it may call; a trailing * stands for the rest of a name, as in 'skill_*'"),
  write_access: z.boolean().describe('whether it may change files of its worktree'),
  admin_access: z.boolean().describe('whether it may start other agents'),
});

const limits = z.strictObject({
  max_concurrent_tasks: z.int().min(1).max(1_000).describe('agents of this profile at the same time'),
  token_budget: z.int().min(1).max(1_000_000_000).describe('tokens that one run may use'),
  timeout_ms: z
    .int()
    .min(1)
    .max(7 * DAY_MS)
    .describe('how long one run may take'),
});

const history = z.strictObject({
  success_rate: z.number().min(0).max(1),
  avg_duration_ms: z.number().min(0),
  total_runs: z.int().min(0),
});

const runtime = z.strictObject({
  driver: z.enum(['stdio', 'acp']).default('stdio').describe('how it is spoken to'),
  command: z
    .array(
      z
        .string()
        .min(1)
        .max(4_096)
        .regex(/^[^\0]*$/, 'a NUL character cannot be passed on'),
    )
    .min(1)
    .max(WORDS_MAX)
    .describe('the program and its arguments; words that start with ./ or ../ are paths beside this file'),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'not a name of a variable'))
    .max(WORDS_MAX)
    .default([])
    .describe('variables that are handed on, by name'),
  init_timeout_ms: z
    .int()
    .min(1)
    .max(DAY_MS)

    .default(MINUTE_MS / 2)
    .describe('how long it may take to say hello'),
  stall_timeout_ms: z
    .int()
    .min(1)
    .max(DAY_MS)

    .default(10 * MINUTE_MS)
    .describe('silence after which it counts as hung'),
  usage: z.enum(['required', 'none']).default('required').describe('none: its token budget is not held'),
});

const profile = z
  .strictObject({
    agent_type: z.string().min(1).max(64).regex(NAME, 'use lower-case letters, digits and single hyphens'),
    description: z.string().max(1_024).default(''),
    agent_tier: z.enum(['T1', 'T2', 'T3', 'T4']).default('T3').describe('what its agents count as'),
    pool: z.enum(POOLS).default('implementation'),
    skills: names.describe('skills that its agents can use'),
    permissions,
    limits,
    history: history.optional().describe('where its history starts; recorded runs count instead'),
    runtime,
  })
  .describe('Capability profile of agents');

export const profileSchema: z.ZodType<ProfileDefinition> = profile;
