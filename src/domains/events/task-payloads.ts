/** The events of tasks: the shapes of their payloads. */
import { z } from 'zod';

export interface TaskPayloads {
  readonly 'task.created': {
    readonly task_id: string;
    readonly slug: string;
    /** Private: what somebody wants done. */
    readonly title: string;
    readonly agent_tier: string;
    readonly pool: string;
    readonly priority: number;
  };
  readonly 'task.transitioned': {
    readonly task_id: string;
    readonly from: string;
    readonly to: string;
    readonly attempt: number;
    readonly agent_id: string | null;
    readonly code: string | null;
    /** Private: may quote an agent. */
    readonly reason: string | null;
  };
  readonly 'task.dispatched': {
    readonly task_id: string;
    readonly run_id: string;
    readonly agent_id: string;
    readonly profile: string;
    readonly strategy: string;
    readonly attempt: number;
    readonly epoch: number;
    readonly skill_refs: readonly string[];
  };
  readonly 'task.updated': {
    readonly task_id: string;
    readonly agent_id: string | null;
    readonly status: string;
    readonly progress: number;
    /** Private. */
    readonly summary: string;
  };
  readonly 'task.writeback': {
    readonly task_id: string;
    readonly agent_id: string;
    readonly attempt: number;
    readonly branch: string;
    readonly head_sha: string;
    readonly commits: number;
    readonly dirty: boolean;
  };
  readonly 'task.alert': {
    readonly kind: 'orphan';
    readonly task_id: string;
    readonly agent_id: string;
    readonly detail: string;
  };
  readonly 'thought.recorded': {
    readonly task_id: string;
    readonly thought_id: string;
    readonly agent_id: string | null;
    readonly kind: string;
    /** sha256 of the content, which stays out of the event. */
    readonly digest: string;
  };
  readonly 'memory.packed': {
    readonly task_id: string | null;
    readonly pack_id: string;
    readonly agent_id: string | null;
    readonly packed_session: string;
    readonly digest: string;
  };
}

const count = z.int().nonnegative();
const optional = z.string().nullable();

export const TASK_SCHEMAS: {
  readonly [Type in keyof TaskPayloads]: z.ZodType<TaskPayloads[Type]>;
} = {
  'task.created': z.strictObject({
    task_id: z.string(),
    slug: z.string(),
    title: z.string(),
    agent_tier: z.string(),
    pool: z.string(),
    priority: z.int(),
  }),
  'task.transitioned': z.strictObject({
    task_id: z.string(),
    from: z.string(),
    to: z.string(),
    attempt: count,
    agent_id: optional,
    code: optional,
    reason: optional,
  }),
  'task.dispatched': z.strictObject({
    task_id: z.string(),
    run_id: z.string(),
    agent_id: z.string(),
    profile: z.string(),
    strategy: z.string(),
    attempt: count,
    epoch: count,
    skill_refs: z.array(z.string()),
  }),
  'task.updated': z.strictObject({
    task_id: z.string(),
    agent_id: optional,
    status: z.string(),
    progress: count,
    summary: z.string(),
  }),
  'task.writeback': z.strictObject({
    task_id: z.string(),
    agent_id: z.string(),
    attempt: count,
    branch: z.string(),
    head_sha: z.string(),
    commits: count,
    dirty: z.boolean(),
  }),
  'task.alert': z.strictObject({
    kind: z.literal('orphan'),
    task_id: z.string(),
    agent_id: z.string(),
    detail: z.string(),
  }),
  'thought.recorded': z.strictObject({
    task_id: z.string(),
    thought_id: z.string(),
    agent_id: optional,
    kind: z.string(),
    digest: z.string(),
  }),
  'memory.packed': z.strictObject({
    task_id: optional,
    pack_id: z.string(),
    agent_id: optional,
    packed_session: z.string(),
    digest: z.string(),
  }),
};

export const TASK_PRIVATE_MEMBERS: { readonly [Type in keyof TaskPayloads]?: readonly string[] } = {
  'task.created': ['title'],
  'task.transitioned': ['reason'],
  'task.updated': ['summary'],
};
