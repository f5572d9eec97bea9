import type { Task } from './schema.ts';

/** What a list shows of a task. */
export function summaryOf(task: Task): Readonly<Record<string, unknown>> {
  const { id, slug, title, state, attempt, max_attempts, priority, agent_tier, pool, profile } = task;
  const { status, progress, summary, agent_id, branch, head_sha, code, reason, created_at, updated_at } =
    task;
  return {
    ...{ id, slug, title, state, attempt, max_attempts, priority, agent_tier, pool, profile },
    ...{ status, progress, summary, agent_id, branch, head_sha, code, reason, created_at, updated_at },
  };
}
