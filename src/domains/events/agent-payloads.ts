/** What the events of agents carry. Pure. */
import { z } from 'zod';

export interface AgentPayloads {
  readonly 'agent.allocated': {
    readonly agent_id: string;
    readonly task_id: string;
    readonly profile: string;
    readonly pool: string;
    readonly epoch: number;
  };
  readonly 'agent.transitioned': {
    readonly agent_id: string;
    readonly task_id: string;
    readonly from: string;
    readonly to: string;
    readonly epoch: number;
    readonly reason: string;
    /** Of a failure; null otherwise. */
    readonly code: string | null;
  };
  readonly 'agent.ended': {
    readonly agent_id: string;
    readonly task_id: string;
    readonly profile: string;
    readonly state: 'TERMINATED' | 'FAILED';
    readonly code: string;
    readonly detail: string;
    readonly branch: string | null;
    readonly head_before: string | null;
    readonly head_after: string | null;
    readonly tokens_used: number;
    readonly duration_ms: number;
  };
  readonly 'agent.warning': {
    readonly agent_id: string;
    readonly kind: 'orphaned' | 'supervisor-lost' | 'processes-killed' | 'worktree-kept';
    readonly detail: string;
  };
}

const count = z.int().nonnegative();
const text = z.string();

export const AGENT_SCHEMAS: { readonly [Type in keyof AgentPayloads]: z.ZodType<AgentPayloads[Type]> } = {
  'agent.allocated': z.strictObject({
    agent_id: text,
    task_id: text,
    profile: text,
    pool: text,
    epoch: count,
  }),
  'agent.transitioned': z.strictObject({
    agent_id: text,
    task_id: text,
    from: text,
    to: text,
    epoch: count,
    reason: text,
    code: text.nullable(),
  }),
  'agent.ended': z.strictObject({
    agent_id: text,
    task_id: text,
    profile: text,
    state: z.enum(['TERMINATED', 'FAILED']),
    code: text,
    detail: text,
    branch: text.nullable(),
    head_before: text.nullable(),
    head_after: text.nullable(),
    tokens_used: count,
    duration_ms: z.number().nonnegative(),
  }),
  'agent.warning': z.strictObject({
    agent_id: text,
    kind: z.enum(['orphaned', 'supervisor-lost', 'processes-killed', 'worktree-kept']),
    detail: text,
  }),
};
