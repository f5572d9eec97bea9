import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { createGit } from '../../../src/domains/agents/worktree/git.ts';
import {
  createWorktrees,
  type Worktree,
  type Worktrees,
} from '../../../src/domains/agents/worktree/worktree.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { gitIn } from './agent-world.ts';

interface Repo {
  readonly repo: string;
  readonly worktrees: Worktrees;
  git(...args: readonly string[]): string;
  prepare(slug: string, more?: { previous?: string; agentId?: string }): Promise<Worktree>;
}

function repository(): Repo {
  const home = temporaryDirectory();
  const repo = temporaryDirectory();
  const git = gitIn(repo, home);
  git('init', '-q', '-b', 'main');
  writeFileSync(path.join(repo, 'readme.txt'), 'hello\n');
  git('add', '.');
  git('commit', '-qm', 'First');
  const worktrees = createWorktrees(createGit(home));
  return {
    repo,
    worktrees,
    git,
    prepare: (slug, { previous, agentId = '01AGENT' } = {}) =>
      worktrees.prepare({ agentId, repo, baseRef: 'main', slug, previous: previous ?? null }),
  };
}

function commit({ git }: Repo, worktree: Worktree, name: string): void {
  writeFileSync(path.join(worktree.path, name), 'work\n');
  git('-C', worktree.path, 'add', '.');
  git('-C', worktree.path, 'commit', '-qm', `Add ${name}`);
}

describe('a worktree', () => {
  it('is made on a branch of its own, locked, and unseen by the repository', async () => {
    const world = repository();
    const worktree = await world.prepare('mend-it');
    expect(worktree).toEqual({
      repo: world.repo,
      path: path.join(world.repo, '.colibri/worktrees/mend-it'),
      branch: 'feature/mend-it',
      base: world.git('rev-parse', 'main'),
      head: world.git('rev-parse', 'main'),
    });
    expect(world.git('worktree', 'list', '--porcelain')).toContain('locked colibri agent 01AGENT');
    expect(world.git('status', '--porcelain')).toBe('');
  });

  it('takes the next free name when another task has the branch', async () => {
    const world = repository();
    world.git('branch', 'feature/mend-it');
    world.git('branch', 'feature/mend-it-2/deeper');
    expect((await world.prepare('mend-it')).branch).toBe('feature/mend-it-3');
    world.git('branch', '-m', 'feature/mend-it-2/deeper', 'other');
    expect((await world.prepare('mend-it')).branch).toBe('feature/mend-it-2');
  });

  it('says what is in the way when no branch below feature/ can be', async () => {
    const world = repository();
    world.git('branch', 'feature');
    await expect(world.prepare('mend-it')).rejects.toThrow('rename it');
  });

  it.each(['../up', 'a--b', '-x', 'UP', 'x'.repeat(61), ''])('refuses the slug %j', async (slug) => {
    await expect(repository().prepare(slug)).rejects.toMatchObject({ code: 'WORKTREE_ERROR' });
  });

  it('refuses a base that is an option in disguise', async () => {
    const { worktrees, repo } = repository();
    const request = { agentId: '01A', repo, slug: 'x', previous: null };
    await expect(worktrees.prepare({ ...request, baseRef: '--all' })).rejects.toMatchObject({
      code: 'WORKTREE_ERROR',
    });
  });

  it('does not leave the repository through a link that came with it', async () => {
    const world = repository();
    const elsewhere = temporaryDirectory();
    symlinkSync(elsewhere, path.join(world.repo, '.colibri'));
    await expect(world.prepare('mend-it')).rejects.toThrow('leads out of the repository');
  });

  it('runs no hook of the repository', async () => {
    const world = repository();
    const told = path.join(world.repo, 'hook-ran');
    for (const hook of ['post-checkout', 'reference-transaction']) {
      writeFileSync(path.join(world.repo, '.git/hooks', hook), `#!/bin/sh\necho ran >> '${told}'\n`, {
        mode: 0o755,
      });
    }
    const worktree = await world.prepare('mend-it');
    await world.worktrees.removeIfDone({ ...worktree, into: worktree.base });
    expect(existsSync(told)).toBe(false);
  });

  it('is found again by the next agent of the task, with what is not committed', async () => {
    const world = repository();
    const first = await world.prepare('mend-it');
    writeFileSync(path.join(first.path, 'half.txt'), 'half\n');
    const second = await world.prepare('mend-it', { previous: first.branch, agentId: '01SECOND' });
    expect(second).toEqual(first);
    expect(readFileSync(path.join(second.path, 'half.txt'), 'utf8')).toBe('half\n');
    expect(world.git('worktree', 'list', '--porcelain')).toContain('locked colibri agent 01SECOND');
  });

  it('is made anew for the same branch when its folder is gone, although its lock survived', async () => {
    const world = repository();
    const first = await world.prepare('mend-it');
    commit(world, first, 'work.txt');
    rmSync(first.path, { recursive: true });
    const second = await world.prepare('mend-it', { previous: first.branch });
    expect(second.branch).toBe(first.branch);
    expect(existsSync(path.join(second.path, 'work.txt'))).toBe(true);
    expect(second.base).toBe(first.base);
  });

  it('does not take a branch away from where a person has it', async () => {
    const world = repository();
    const first = await world.prepare('mend-it');
    await world.worktrees.release(first);
    world.git('worktree', 'remove', first.path);
    const elsewhere = path.join(temporaryDirectory(), 'mine');
    world.git('worktree', 'add', '-q', elsewhere, first.branch);
    await expect(world.prepare('mend-it', { previous: first.branch })).rejects.toThrow(
      `feature/mend-it is checked out in ${elsewhere}; leave it there first`,
    );
  });

  it('can be made many at a time', async () => {
    const world = repository();
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, index) => world.prepare('same', { agentId: `01${index}` })),
    );
    expect(new Set(made.map(({ branch }) => branch)).size).toBe(6);
  });

  it('is removed only when nothing in it could be lost', async () => {
    const world = repository();
    const worktree = await world.prepare('mend-it');
    const remove = () =>
      world.worktrees.removeIfDone({ repo: world.repo, path: worktree.path, into: 'main' });
    writeFileSync(path.join(worktree.path, 'work.txt'), 'work\n');
    expect(await remove()).toBe('it holds changes that are not committed');
    world.git('-C', worktree.path, 'add', '.');
    world.git('-C', worktree.path, 'commit', '-qm', 'Work');
    expect(await remove()).toBe('its branch has 1 commit that main has not');
    world.git('merge', '-q', worktree.branch);
    const child = spawn('sleep', ['30'], { cwd: worktree.path });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await remove()).toBe('a process works in it');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await remove()).toBeNull();
    expect(existsSync(worktree.path)).toBe(false);
    expect(world.git('branch', '--list', worktree.branch)).toContain(worktree.branch);
  });

  it('is kept when git cannot tell its state', async () => {
    const world = repository();
    const worktree = await world.prepare('mend-it');
    writeFileSync(path.join(worktree.path, '.git'), 'gitdir: /nowhere\n');
    const kept = await world.worktrees.removeIfDone({ repo: world.repo, path: worktree.path, into: 'main' });
    expect(kept).toContain('not a git repository');
    expect(existsSync(worktree.path)).toBe(true);
  });

  it('outside of its folder is never removed', async () => {
    const world = repository();
    const elsewhere = path.join(temporaryDirectory(), 'mine');
    world.git('worktree', 'add', '-q', '-b', 'mine', elsewhere);
    mkdirSync(path.join(world.repo, '.colibri'), { recursive: true });
    expect(await world.worktrees.removeIfDone({ repo: world.repo, path: elsewhere, into: 'main' })).toBe(
      'it lies outside of the folder for worktrees',
    );
  });
});

describe('locks of a git that was killed', () => {
  /** What a commit holds while it is made. */
  function leaveLocks({ repo }: Repo, { branch, path: place }: Worktree): readonly string[] {
    const own = path.join(repo, '.git/worktrees', path.basename(place));
    const locks = [
      ...['HEAD.lock', 'index.lock'].map((name) => path.join(own, name)),
      path.join(repo, `.git/refs/heads/${branch}.lock`),
    ];
    for (const lock of locks) writeFileSync(lock, '');
    return locks;
  }

  it('go with the release, and the next agent of the task can commit', async () => {
    const world = repository();
    const first = await world.prepare('mend-it');
    const locks = leaveLocks(world, first);
    await world.worktrees.release(first);
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
    leaveLocks(world, first);
    const second = await world.prepare('mend-it', { previous: first.branch, agentId: '02AGENT' });
    commit(world, second, 'more.txt');
    expect((await world.worktrees.inspect(second)).commits).toBe(1);
  });

  it('go when the agent is found to be gone', async () => {
    const world = repository();
    const locks = leaveLocks(world, await world.prepare('mend-it'));
    await world.worktrees.releaseAbandoned(world.repo, async () => true);
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
  });

  it('stay while a process works there, and those of others stay always', async () => {
    const world = repository();
    const worktree = await world.prepare('mend-it');
    const locks = leaveLocks(world, worktree);
    const others = path.join(world.repo, '.git/index.lock');
    writeFileSync(others, '');
    const child = spawn('sleep', ['60'], { cwd: worktree.path, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    await world.worktrees.release(worktree);
    expect(locks.filter((lock) => existsSync(lock))).toEqual(locks);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await world.worktrees.release(worktree);
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
    expect(existsSync(others)).toBe(true);
  });
});
