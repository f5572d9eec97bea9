/** What an agent has to record before it may end. Pure. */
import type { Json } from '../../lib/json.ts';
import type { RunFacts } from '../agents/schema.ts';
import type { Answer, MemoryPack, TaskUpdate, Thought } from './schema.ts';

/** Handed to every agent, word for word. */
export const WRITEBACK_CONTRACT: Json = {
  before_end: [
    { tool: 'task_update', fields: ['task_id', 'status', 'progress', 'summary'] },
    {
      tool: 'thought_record',
      type: 'reflection',
      fields: ['task_id', 'type', 'content', 'branch', 'commit_sha', 'tests_run', 'blockers'],
    },
  ],
  recommended: [{ tool: 'memory_pack', fields: ['session_id'] }],
};

/** What one agent has recorded. */
export interface Recorded {
  readonly updates: readonly TaskUpdate[];
  readonly thoughts: readonly Thought[];
  readonly packs: readonly MemoryPack[];
}

export type WritebackCheck =
  | {
      readonly ok: true;
      readonly update: TaskUpdate;
      readonly reflection: Thought;
      readonly pack: MemoryPack | null;
    }
  | { readonly ok: false; readonly missing: string };

/** The last update and the last reflection count, and they have to fit what the supervisor found. */
export function checkWriteback(recorded: Recorded, facts: RunFacts): WritebackCheck {
  const update = recorded.updates.at(-1);
  if (update === undefined)
    return refuse('task_update was not called; it needs status, progress and summary');
  const reflection = recorded.thoughts.findLast(({ type }) => type === 'reflection');
  if (reflection === undefined) return refuse('thought_record with type reflection was not called');
  const problem = reflectionProblem(reflection, facts);
  if (problem !== null) return refuse(`its reflection ${problem}`);
  return { ok: true, update, reflection, pack: recorded.packs.at(-1) ?? null };
}

function reflectionProblem(reflection: Thought, { branch, headAfter }: RunFacts): string | null {
  const absent = (['branch', 'commit_sha', 'tests_run', 'blockers'] as const).filter(
    (field) => reflection[field] === null,
  );
  if (absent.length > 0) return `lacks ${absent.join(', ')}`;
  if (reflection.branch !== branch)
    return `names the branch ${reflection.branch}, but the work is on ${branch}`;
  // Both are hex digests; an agent may have written the short form.
  if (!headAfter.startsWith(reflection.commit_sha ?? '')) {
    return `names the commit ${reflection.commit_sha}, but the branch ends at ${headAfter}`;
  }
  return null;
}

function refuse(missing: string): WritebackCheck {
  return { ok: false, missing };
}

/** Null, or what keeps VERIFY from ending. */
export function openChecks(checks: readonly string[], answers: readonly Answer[]): string | null {
  const verdicts = new Map(answers.map(({ line, verdict }) => [line, verdict]));
  const unanswered = checks.filter((line) => !verdicts.has(line));
  if (unanswered.length > 0) return `unanswered: ${unanswered.join('; ')}`;
  const failed = checks.filter((line) => verdicts.get(line) === 'fail');
  return failed.length > 0 ? `failed: ${failed.join('; ')}` : null;
}
