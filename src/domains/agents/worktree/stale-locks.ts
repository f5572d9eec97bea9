/** Removes the lock files that git leaves when it is killed: with them, no later agent could commit in the same worktree. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { processesIn } from '../process/scan.ts';
import type { Git } from './git.ts';

interface Worktree {
  readonly repo: string;
  readonly path: string;
}

const COMMON_FOLDER = ['rev-parse', '--path-format=absolute', '--git-common-dir'];

/** Only of a worktree that nobody works in, and only what belongs to it alone: its own files and its branch. */
export async function removeStaleLocks(git: Git, { repo, path: place }: Worktree): Promise<void> {
  if (!existsSync(place) || processesIn(place).length > 0) return;
  const own = await git(place, ['rev-parse', '--path-format=absolute', '--git-dir']);
  const common = await git(place, COMMON_FOLDER);
  // The main worktree, whose locks may be anybody's; or a folder that claims to be another repository's.
  if (own === common || common !== (await git(repo, COMMON_FOLDER))) return;
  for (const name of readdirSync(own))
    if (name.endsWith('.lock')) rmSync(path.join(own, name), { force: true });
  const branch = await git(place, ['rev-parse', '--symbolic-full-name', 'HEAD']);
  if (branch.startsWith('refs/heads/')) rmSync(path.join(common, `${branch}.lock`), { force: true });
}
