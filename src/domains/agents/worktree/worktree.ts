/** The isolated worktree of a task: made on a branch of its own, used again by the task's next agent, never thrown away with work in it. */
import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { systemCodeOf } from '../../../lib/errors.ts';
import { isInside, leadsOut } from '../../../lib/inside.ts';
import { createMutexRegistry, type MutexRegistry } from '../../../lib/mutex.ts';
import { RunFailure } from '../failure.ts';
import { processesIn } from '../process/scan.ts';
import { freeBranch } from './branch-name.ts';
import type { Git } from './git.ts';
import { removeStaleLocks } from './stale-locks.ts';
import { parseWorktrees } from './worktree-list.ts';

export const WORKTREE_FOLDER: string = path.join('.colibri', 'worktrees');

export interface Worktree {
  /** The top of the repository, absolute. */
  readonly repo: string;
  /** Absolute. */
  readonly path: string;
  readonly branch: string;
  /** What the branch started from. */
  readonly base: string;
  /** HEAD as the agent finds it. */
  readonly head: string;
}

export interface WorktreeRequest {
  readonly agentId: string;
  readonly repo: string;
  readonly baseRef: string;
  readonly slug: string;
  /** The branch of an earlier agent of the same task. */
  readonly previous: string | null;
}

export interface DoneWorktree {
  readonly repo: string;
  readonly path: string;
  /** What must have all of its commits. */
  readonly into: string;
  /** Goes with it, when it is named here and has no commit of its own. */
  readonly branch?: string | undefined;
}

export interface WorktreeFacts {
  readonly head: string;
  readonly dirty: boolean;
  readonly commits: number;
}

export interface Worktrees {
  prepare(request: WorktreeRequest): Promise<Worktree>;
  inspect(worktree: Pick<Worktree, 'path' | 'base'>): Promise<WorktreeFacts>;
  /** Lets people remove it with plain git again. */
  release(worktree: Pick<Worktree, 'repo' | 'path'>): Promise<void>;
  /** Unlocks what agents left that are gone, also before they had noted where they work; and forgets folders that were never made. */
  releaseAbandoned(repo: string, isGone: (agentId: string) => Promise<boolean>): Promise<void>;
  /** Null when it was removed; otherwise why it was kept. Whatever cannot be found out keeps it. */
  removeIfDone(worktree: DoneWorktree): Promise<string | null>;
}

export function createWorktrees(git: Git): Worktrees {
  const locks = createMutexRegistry();
  const alone = <T>(repo: string, work: () => Promise<T>) => inRepository({ git, locks }, repo, work);
  return {
    prepare: (request) => alone(request.repo, () => prepare(git, request)),
    inspect: (worktree) => inspect(git, worktree),
    release: (worktree) => alone(worktree.repo, () => release(git, worktree)),
    releaseAbandoned: (repo, isGone) => alone(repo, () => releaseAbandoned(git, repo, isGone)),
    removeIfDone: (worktree) => orWhyNot(alone(worktree.repo, () => removeIfDone(git, worktree))),
  };
}

/** One at a time for each repository: adding, pruning and removing all rewrite the same list. */
async function inRepository<T>(
  { git, locks }: { readonly git: Git; readonly locks: MutexRegistry },
  repo: string,
  work: () => Promise<T>,
): Promise<T> {
  const common = await git(repo, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  return locks.run(common, work);
}

async function prepare(git: Git, request: WorktreeRequest): Promise<Worktree> {
  const repo = await git(request.repo, ['rev-parse', '--show-toplevel']);
  const base = await git(repo, ['rev-parse', '--verify', '--end-of-options', `${request.baseRef}^{commit}`]);
  const folder = ownFolder(repo);
  const branches = (await git(repo, ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads'])).split(
    '\n',
  );
  const { previous, agentId, slug } = request;
  const again = previous !== null && branches.includes(previous);
  const branch = again ? previous : freeBranch(slug, branches);
  const place = again
    ? await reopen(git, { repo, folder, branch, agentId })
    : await create(git, { repo, folder, branch, agentId, base });
  // The branch of an earlier agent began at the base of its own day.
  const began = again ? await git(repo, ['merge-base', '--end-of-options', base, branch]) : base;
  return { repo, path: place, branch, base: began, head: await git(place, ['rev-parse', 'HEAD']) };
}

interface Place {
  readonly repo: string;
  readonly folder: string;
  readonly branch: string;
  readonly agentId: string;
}

async function create(git: Git, { base, ...place }: Place & { readonly base: string }): Promise<string> {
  const target = freePlace(place);
  const lock = ['--lock', '--reason', reasonOf(place.agentId)];
  await git(place.repo, ['worktree', 'add', ...lock, '--no-track', '-b', place.branch, '--', target, base]);
  return target;
}

/** The same folder if it is still there; otherwise the branch gets a new one, and its commits are all there. */
async function reopen(git: Git, place: Place): Promise<string> {
  const { repo, branch, agentId } = place;
  const known = parseWorktrees(await git(repo, ['worktree', 'list', '--porcelain', '-z']));
  const registered = known.find((entry) => entry.branch === `refs/heads/${branch}`);
  if (registered !== undefined && existsSync(registered.path)) {
    if (!isOwn(registered.path, repo)) {
      throw new RunFailure(
        'WORKTREE_ERROR',
        `${branch} is checked out in ${registered.path}; leave it there first`,
      );
    }
    await release(git, { repo, path: registered.path });
    await git(repo, ['worktree', 'lock', '--reason', reasonOf(agentId), registered.path]);
    return registered.path;
  }
  if (registered !== undefined) {
    // In this order: a lock survives the folder, keeps prune from working, and then the branch counts as taken.
    await unlock(git, { repo, path: registered.path });
    await git(repo, ['worktree', 'prune']);
  }
  const target = freePlace(place);
  await git(repo, ['worktree', 'add', '--lock', '--reason', reasonOf(agentId), '--', target, branch]);
  return target;
}

/** Its agent has ended, perhaps in the middle of a commit. */
async function release(git: Git, worktree: Pick<Worktree, 'repo' | 'path'>): Promise<void> {
  await removeStaleLocks(git, worktree);
  await unlock(git, worktree);
}

async function unlock(git: Git, { repo, path: place }: Pick<Worktree, 'repo' | 'path'>): Promise<void> {
  const known = parseWorktrees(await git(repo, ['worktree', 'list', '--porcelain', '-z']));
  if (known.some((entry) => entry.path === place && entry.locked)) {
    await git(repo, ['worktree', 'unlock', place]);
  }
}

async function releaseAbandoned(
  git: Git,
  repo: string,
  isGone: (agentId: string) => Promise<boolean>,
): Promise<void> {
  const known = parseWorktrees(await git(repo, ['worktree', 'list', '--porcelain', '-z']));
  for (const { path: place, reason } of known.filter((entry) => isOwn(entry.path, repo))) {
    const agentId = reason === null ? null : agentIn(reason);
    if (agentId === null || !(await isGone(agentId))) continue;
    await removeStaleLocks(git, { repo, path: place });
    await git(repo, ['worktree', 'unlock', place]);
  }
  await git(repo, ['worktree', 'prune']);
}

/** Without what is inside submodules, whose own configuration git would obey; git itself removes no worktree that has some. */
const STATUS = ['status', '--porcelain', '-z', '--untracked-files=normal', '--ignore-submodules=dirty'];

async function inspect(
  git: Git,
  { path: place, base }: Pick<Worktree, 'path' | 'base'>,
): Promise<WorktreeFacts> {
  const head = await git(place, ['rev-parse', 'HEAD']);
  const changes = await git(place, STATUS);
  const commits = await git(place, ['rev-list', '--count', '--end-of-options', `${base}..HEAD`]);
  return { head, dirty: changes !== '', commits: Number(commits) };
}

async function removeIfDone(
  git: Git,
  { repo, path: place, into, branch }: DoneWorktree,
): Promise<string | null> {
  if (!isOwn(place, repo)) return 'it lies outside of the folder for worktrees';
  const { head, dirty } = await inspect(git, { path: place, base: into });
  if (dirty) return 'it holds changes that are not committed';
  const notMerged = await git(repo, ['rev-list', '--count', head, `^${into}`]);
  if (notMerged !== '0')
    return `its branch has ${notMerged} commit${notMerged === '1' ? '' : 's'} that ${into} has not`;
  if (processesIn(place).length > 0) return 'a process works in it';
  await unlock(git, { repo, path: place });
  // Without --force: git itself refuses as well when something is not committed.
  await git(repo, ['worktree', 'remove', place]);
  await git(repo, ['worktree', 'prune']);
  // Only while it points to where it was seen: a commit that was made meanwhile stays.
  if (branch !== undefined) await git(repo, ['update-ref', '-d', `refs/heads/${branch}`, head]);
  return null;
}

/** A state that cannot be read is not a clean one. */
async function orWhyNot(removal: Promise<string | null>): Promise<string | null> {
  try {
    return await removal;
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error;
    return error.message;
  }
}

/** Ignores itself, so that nothing of it shows in the status of the repository. */
function ownFolder(repo: string): string {
  const folder = path.join(repo, WORKTREE_FOLDER);
  // A link that came with the repository must not lead the worktree out of it.
  if (leadsOut(folder, repo)) {
    throw new RunFailure('WORKTREE_ERROR', `${folder} leads out of the repository; remove the link`);
  }
  mkdirSync(folder, { recursive: true });
  try {
    // Never through a link that lies there.
    writeFileSync(path.join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
  return folder;
}

function freePlace({ repo, folder, branch, agentId }: Place): string {
  const plain = path.join(folder, branch.replace(/^feature\//, ''));
  const isTaken = lstatSync(plain, { throwIfNoEntry: false }) !== undefined;
  const place = isTaken ? `${plain}-${agentId.toLowerCase()}` : plain;
  if (isOwn(place, repo)) return place;
  throw new RunFailure('WORKTREE_ERROR', `${place} leads out of ${folder}; remove the link`);
}

const REASON = 'colibri agent ';

function reasonOf(agentId: string): string {
  return `${REASON}${agentId}`;
}

/** Null when somebody else has locked it. */
function agentIn(reason: string): string | null {
  return reason.startsWith(REASON) ? reason.slice(REASON.length) : null;
}

/** Git repeats what the repository says of its worktrees, and that may have been made up. */
function isOwn(place: string, repo: string): boolean {
  const folder = path.join(repo, WORKTREE_FOLDER);
  if (place === folder || !isInside(place, folder)) return false;
  return !leadsOut(folder, repo) && !leadsOut(place, folder);
}
