/** What a task is, and what is recorded about it. */
import type { Json } from '../../lib/json.ts';
import type { Pool, SkillRef } from '../agents/schema.ts';
import type { AgentTier, WorkflowStep } from '../skills/skill.ts';

/** What an agent goes through, in this order. */
export const PHASES = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY'] as const;
export type Phase = (typeof PHASES)[number];

export const TASK_STATES = [
  'INIT',
  'GATHER',
  'ANALYZE',
  'PLAN',
  'APPLY',
  'VERIFY',
  'DONE',
  'CANCELLED',
  'BLOCKED',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

export const STRATEGIES = [
  'FIFO',
  'PRIORITY_QUEUE',
  'ROUND_ROBIN',
  'LEAST_LOADED',
  'CAPACITY_AWARE',
] as const;
export type Strategy = (typeof STRATEGIES)[number];

export const THOUGHT_TYPES = ['plan', 'analysis', 'decision', 'reflection'] as const;
export type ThoughtType = (typeof THOUGHT_TYPES)[number];

/** What a dispatch hands to the agent: skills, the steps of APPLY, the checks of VERIFY. */
export interface Brief {
  readonly skills: readonly SkillRef[];
  readonly plan: readonly PlannedStep[];
  readonly checks: readonly string[];
}

export interface PlannedStep extends WorkflowStep {
  readonly skill: string;
}

export interface Task {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly state: TaskState;
  /** From 1; a retry begins the next one. */
  readonly attempt: number;
  readonly max_attempts: number;
  /** Higher goes first. */
  readonly priority: number;
  readonly agent_tier: AgentTier;
  readonly pool: Pool;
  readonly profile: string | null;
  readonly strategy: Strategy;
  readonly required_skills: readonly string[];
  readonly required_tools: readonly string[];
  readonly token_budget: number | null;
  readonly timeout_ms: number | null;
  readonly repo: string | null;
  readonly base_ref: string;
  readonly brief: Brief;
  readonly status: string;
  readonly progress: number;
  readonly summary: string;
  readonly run_id: string | null;
  readonly agent_id: string | null;
  readonly branch: string | null;
  readonly head_sha: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
}

export interface Checkpoint {
  readonly task_id: string;
  readonly attempt: number;
  readonly phase: Phase;
  readonly status: 'started' | 'ok' | 'failed';
  readonly output: Json;
  readonly head_sha: string | null;
  readonly agent_id: string | null;
  readonly epoch: number;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export interface TaskUpdate {
  readonly id: string;
  readonly task_id: string;
  readonly agent_id: string | null;
  readonly status: string;
  readonly progress: number;
  readonly summary: string;
  readonly at: string;
}

export interface Thought {
  readonly id: string;
  readonly task_id: string;
  readonly agent_id: string | null;
  readonly session_id: string | null;
  readonly type: ThoughtType;
  readonly content: string;
  readonly branch: string | null;
  readonly commit_sha: string | null;
  readonly tests_run: readonly string[] | null;
  readonly blockers: readonly string[] | null;
  readonly at: string;
}

export interface Answer {
  readonly line: string;
  readonly verdict: 'pass' | 'fail';
  readonly evidence: string;
}

export interface MemoryPack {
  readonly id: string;
  readonly session_id: string;
  readonly task_id: string | null;
  readonly agent_id: string | null;
  readonly content: Json;
  readonly digest: string;
  readonly at: string;
}

export interface Writeback {
  readonly task_id: string;
  readonly attempt: number;
  readonly agent_id: string;
  readonly epoch: number;
  readonly task_update_id: string;
  readonly thought_id: string;
  readonly memory_pack_id: string | null;
  readonly branch: string;
  readonly head_sha: string;
  readonly dirty: boolean;
  readonly commits: number;
  readonly at: string;
}

export interface TaskFilter {
  readonly state?: TaskState | undefined;
  /** Only tasks that are not DONE or CANCELLED. */
  readonly open?: boolean | undefined;
  readonly limit?: number | undefined;
}
