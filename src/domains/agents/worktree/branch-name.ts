/** Names of branches. Pure. */
import { RunFailure } from '../failure.ts';

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SLUG_CHARS_MAX = 60;
/** Tasks of one name that can have a branch at the same time. */
const NAMESAKES_MAX = 50;

/** The first free one of `feature/<slug>`, `feature/<slug>-2`, … */
export function freeBranch(slug: string, branches: readonly string[]): string {
  if (!SLUG.test(slug) || slug.length > SLUG_CHARS_MAX) {
    throw new RunFailure('WORKTREE_ERROR', `${JSON.stringify(slug)} cannot be part of a branch's name`);
  }
  if (branches.includes('feature')) {
    const fix = 'git keeps no branch below another; rename it';
    throw new RunFailure('WORKTREE_ERROR', `a branch is named feature, so feature/${slug} cannot be: ${fix}`);
  }
  for (let number = 1; number <= NAMESAKES_MAX; number++) {
    const name = number === 1 ? `feature/${slug}` : `feature/${slug}-${number}`;
    // `feature/a/b` is in the way of `feature/a`, too.
    if (!branches.some((branch) => branch === name || branch.startsWith(`${name}/`))) return name;
  }
  throw new RunFailure('WORKTREE_ERROR', `${NAMESAKES_MAX} branches are named feature/${slug}; delete some`);
}
