/** Brings the branch of a finished task into the branch that is checked out in its repository. */
import { existsSync } from 'node:fs';
import type { ColibriDatabase } from '../../db/database.ts';
import { ColibriError, messageOf } from '../../lib/errors.ts';
import type { AgentsService } from '../agents/service.ts';
import type { Git } from '../agents/worktree/git.ts';
import type { EventsService } from '../events/service.ts';
import type { Task } from './schema.ts';

export interface Merged {
  readonly branch: string;
  readonly into: string;
  /** HEAD afterwards. */
  readonly head: string;
}

export interface MergeParts {
  readonly db: ColibriDatabase;
  readonly events: EventsService;
  readonly agents: Pick<AgentsService, 'status' | 'reconcile'>;
  readonly git: Git;
}

/** Git would ask each submodule, and obey what its configuration says. */
const STATUS = ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=dirty'];

/** Everything or nothing: a merge that conflicts is taken back, and the branch stays as it was. */
export async function mergeTask(
  { db, events, agents, git }: MergeParts,
  task: Task,
  actor: string,
): Promise<Merged> {
  const { repo, branch, slug, state } = task;
  if (state !== 'DONE') throw refusal(`the task ${slug} is ${state}; only a finished one is merged`);
  if (repo === null || branch === null)
    throw refusal(`the task ${slug} has left no branch; there is nothing to merge`);
  const into = await said(git(repo, ['symbolic-ref', '--short', 'HEAD']));
  const changes = await said(git(repo, STATUS));
  if (changes !== '')
    throw refusal(`${repo} has uncommitted changes; commit or stash them, then merge ${branch} by hand`);
  try {
    await git(repo, ['merge', '--no-edit', '--', branch]);
  } catch (error) {
    // Nothing to abort when the merge did not even begin.
    await git(repo, ['merge', '--abort']).catch(() => undefined);
    throw refusal(`${branch} cannot be merged into ${into}: ${messageOf(error)}; merge it by hand`);
  }
  const merged = { branch, into, head: await said(git(repo, ['rev-parse', 'HEAD'])) };
  const detail = { ...merged, task: slug };
  await db.transact((transaction) =>
    events.audit(transaction, { actor, action: 'task.merge', subject: task.id, outcome: 'ok', detail }),
  );
  // Its worktree holds nothing any more that the repository does not have.
  await agents.reconcile();
  return merged;
}

/** Where the work of the last agent lies; null when there is nothing left there. */
export async function worktreeOf(agents: Pick<AgentsService, 'status'>, task: Task): Promise<string | null> {
  if (task.agent_id === null) return null;
  const { worktree } = await agents.status(task.agent_id);
  return worktree !== null && existsSync(worktree) ? worktree : null;
}

async function said(output: Promise<string>): Promise<string> {
  try {
    return await output;
  } catch (error) {
    throw refusal(messageOf(error));
  }
}

function refusal(message: string): ColibriError {
  return new ColibriError('MERGE_REFUSED', message);
}
