/** A repository that came as a whole, with its .git folder, from somebody who wants to get out of it. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { createGit, type Git } from '../../../src/domains/agents/worktree/git.ts';
import {
  createWorktrees,
  type Worktree,
  type Worktrees,
} from '../../../src/domains/agents/worktree/worktree.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { agentWorld, gitIn } from './agent-world.ts';

interface Hostile {
  readonly home: string;
  readonly repo: string;
  readonly worktrees: Worktrees;
  /** As Colibri calls it. */
  readonly ours: Git;
  /** A program that leaves a trace, and the trace. */
  readonly program: string;
  hasRun(): boolean;
  git(...args: readonly string[]): string;
  prepare(previous?: string): Promise<Worktree>;
}

function hostile(): Hostile {
  const base = temporaryDirectory();
  const [repo, home, trace, program] = ['repo', 'home', 'trace', 'program'].map((name) =>
    path.join(base, name),
  ) as [string, string, string, string];
  for (const folder of [repo, home]) mkdirSync(folder);
  writeFileSync(program, `#!/bin/sh\necho ran >> '${trace}'\ncat\n`, { mode: 0o755 });
  const git = gitIn(repo, home);
  git('init', '-q', '-b', 'main');
  writeFileSync(path.join(repo, 'a.txt'), 'one\n');
  writeFileSync(path.join(repo, '.gitattributes'), '*.txt filter=evil merge=evil\n');
  git('add', '.');
  git('commit', '-qm', 'First');
  const ours = createGit(home);
  const worktrees = createWorktrees(ours);
  return {
    ...{ home, repo, worktrees, ours, program, git },
    hasRun: () => existsSync(trace),
    prepare: (previous) =>
      worktrees.prepare({
        agentId: '01AGENT',
        repo,
        baseRef: 'main',
        slug: 'mend-it',
        previous: previous ?? null,
      }),
  };
}

describe('programs that the configuration of a repository names', () => {
  it.each(['smudge', 'process'])('a filter (%s) does not run when a worktree is made', async (kind) => {
    const world = hostile();
    world.git('config', `filter.evil.${kind}`, world.program);
    await expect(world.prepare()).rejects.toThrow(
      `has "filter.evil.${kind}" in its own configuration, by which git would run programs; if it is yours, move it`,
    );
    expect(world.hasRun()).toBe(false);
  });

  it('a filter does not run when the state of a worktree is looked at', async () => {
    const world = hostile();
    const worktree = await world.prepare();
    writeFileSync(path.join(worktree.path, 'a.txt'), 'two\n');
    world.git('config', 'filter.evil.clean', world.program);
    await expect(world.worktrees.inspect(worktree)).rejects.toThrow('filter.evil.clean');
    expect(await world.worktrees.removeIfDone({ ...worktree, into: 'main' })).toContain('filter.evil.clean');
    expect(world.hasRun()).toBe(false);
  });

  it('are found where they count for one worktree alone, or are included', async () => {
    const world = hostile();
    const worktree = await world.prepare();
    writeFileSync(path.join(worktree.path, 'a.txt'), 'two\n');
    world.git('config', 'extensions.worktreeConfig', 'true');
    world.git('-C', worktree.path, 'config', '--worktree', 'filter.evil.clean', world.program);
    await expect(world.worktrees.inspect(worktree)).rejects.toThrow('filter.evil.clean');
    world.git('-C', worktree.path, 'config', '--worktree', '--unset', 'filter.evil.clean');
    writeFileSync(path.join(world.repo, '.git/more'), `[filter "evil"]\n\tclean = ${world.program}\n`);
    world.git('config', 'include.path', 'more');
    await expect(world.worktrees.inspect(worktree)).rejects.toThrow('filter.evil.clean');
    expect(world.hasRun()).toBe(false);
  });

  it('are not hidden behind a condition that holds only on the branch of the agent', async () => {
    const world = hostile();
    writeFileSync(path.join(world.repo, '.git/more'), `[filter "evil"]\n\tsmudge = ${world.program}\n`);
    world.git('config', 'includeIf.onbranch:feature/**.path', 'more');
    await expect(world.prepare()).rejects.toThrow('includeif.onbranch:feature/**.path');
    expect(world.hasRun()).toBe(false);
  });

  it('what would fetch missing objects does not run', async () => {
    const world = hostile();
    world.git('config', 'core.repositoryFormatVersion', '1');
    world.git('config', 'extensions.partialClone', 'origin');
    world.git('config', 'remote.origin.url', world.repo);
    world.git('config', 'remote.origin.uploadpack', world.program);
    const missing = '1234567890123456789012345678901234567890';
    const request = { agentId: '01A', repo: world.repo, slug: 'x', previous: null };
    await expect(world.worktrees.prepare({ ...request, baseRef: missing })).rejects.toThrow('git rev-parse');
    expect(world.hasRun()).toBe(false);
  });

  it.each(['merge.evil.driver', 'gpg.program', 'gpg.ssh.program'])('%s stops a merge', async (key) => {
    const world = hostile();
    world.git('config', key, world.program);
    await expect(world.ours(world.repo, ['merge', '--no-edit', '--', 'main'])).rejects.toThrow(`"${key}"`);
  });

  it('a submodule is not asked for its state', async () => {
    const world = hostile();
    const inner = path.join(world.repo, 'inner');
    mkdirSync(inner);
    const git = gitIn(inner, world.home);
    git('init', '-q', '-b', 'main');
    writeFileSync(path.join(inner, 'a.txt'), 'one\n');
    writeFileSync(path.join(inner, '.gitattributes'), '*.txt filter=evil\n');
    git('add', '.');
    git('commit', '-qm', 'Inner');
    world.git('add', 'inner');
    world.git('commit', '-qm', 'With a submodule');
    writeFileSync(path.join(inner, 'a.txt'), 'two\n');
    git('config', 'filter.evil.clean', world.program);
    await world.worktrees.inspect({ path: world.repo, base: 'main' });
    expect(world.hasRun()).toBe(false);
  });

  it('those of the user run as ever', async () => {
    const world = hostile();
    world.git('config', '--global', 'filter.evil.smudge', world.program);
    await world.prepare();
    expect(world.hasRun()).toBe(true);
  });
});

describe('an agent in such a repository', () => {
  it('is not started, and what others left there is kept, with the reason', async () => {
    const world = agentWorld();
    world.profile();
    const done = await world.run();
    expect(done.code).toBe('ok');
    const trace = path.join(world.base, 'trace');
    world.git('config', 'filter.evil.smudge', `touch ${trace}; cat`);
    world.git('config', 'filter.evil.clean', `touch ${trace}; cat`);
    writeFileSync(path.join(world.workspace, '.git/info/attributes'), '* filter=evil\n');
    const refused = await world.run({ taskId: 'another' });
    expect(refused).toMatchObject({ code: 'WORKTREE_ERROR', detail: expect.stringContaining('filter.evil') });
    const { kept } = await world.agents.reconcile();
    expect(kept.map(({ reason }) => reason)).toEqual([expect.stringContaining('filter.evil')]);
    expect(existsSync(trace)).toBe(false);
  });
});

describe('a repository that says it is elsewhere', () => {
  it('does not have a worktree, a merge or a folder made where core.worktree points', async () => {
    const world = hostile();
    const victim = temporaryDirectory();
    world.git('config', 'core.worktree', victim);
    await expect(world.prepare()).rejects.toThrow(`would write to ${victim}; remove core.worktree`);
    await expect(world.ours(world.repo, ['reset', '--hard'])).rejects.toThrow('core.worktree');
    expect(readdirSync(victim)).toEqual([]);
  });

  it('may be a submodule, which has to say so', async () => {
    const world = hostile();
    const inner = path.join(world.repo, 'inner');
    const source = hostile();
    world.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source.repo, 'inner');
    expect(gitIn(inner, world.home)('config', 'core.worktree')).not.toBe('');
    expect(await world.ours(inner, ['rev-parse', '--show-toplevel'])).toBe(inner);
  });

  it('does not send an agent into a folder outside, whatever it says of its worktrees', async () => {
    const world = hostile();
    const worktree = await world.prepare();
    const victim = path.join(temporaryDirectory(), 'victim');
    renameSync(worktree.path, victim);
    const way = path.join(world.repo, '.colibri/worktrees');
    const disguised = `${way}/${path.relative(way, victim)}`;
    writeFileSync(path.join(world.repo, '.git/worktrees/mend-it/gitdir'), `${disguised}/.git\n`);
    await expect(world.prepare(worktree.branch)).rejects.toThrow('leave it there first');
  });

  it('does not have locks of another repository removed', async () => {
    const [world, other] = [hostile(), hostile()];
    const [own, foreign] = [await world.prepare(), await other.prepare()];
    const lock = path.join(other.repo, '.git/worktrees/mend-it/index.lock');
    writeFileSync(lock, '');
    writeFileSync(path.join(own.path, '.git'), readFileSync(path.join(foreign.path, '.git')));
    await world.worktrees.release(own);
    expect(existsSync(lock)).toBe(true);
  });
});

describe('links in the folder of worktrees', () => {
  it('do not have a file made where a dangling .gitignore points', async () => {
    const world = hostile();
    const victim = path.join(temporaryDirectory(), 'made');
    mkdirSync(path.join(world.repo, '.colibri/worktrees'), { recursive: true });
    symlinkSync(victim, path.join(world.repo, '.colibri/worktrees/.gitignore'));
    await world.prepare();
    expect(existsSync(victim)).toBe(false);
  });

  it('do not lead a worktree out, not even below a folder of its branch', async () => {
    const world = hostile();
    const victim = temporaryDirectory();
    mkdirSync(path.join(world.repo, '.colibri/worktrees'), { recursive: true });
    symlinkSync(victim, path.join(world.repo, '.colibri/worktrees/deep'));
    world.git('branch', 'feature/deep/er');
    await expect(world.prepare('feature/deep/er')).rejects.toThrow('remove the link');
    expect(readdirSync(victim)).toEqual([]);
  });

  it('leave alone what is outside when worktrees are tidied', async () => {
    const world = hostile();
    const worktree = await world.prepare();
    const victim = path.join(temporaryDirectory(), 'worktrees');
    renameSync(path.join(world.repo, '.colibri/worktrees'), victim);
    symlinkSync(victim, path.join(world.repo, '.colibri/worktrees'));
    expect(await world.worktrees.removeIfDone({ ...worktree, into: 'main' })).toBe(
      'it lies outside of the folder for worktrees',
    );
    await world.worktrees.releaseAbandoned(world.repo, async () => true);
    expect(readdirSync(victim).sort()).toEqual(['.gitignore', 'mend-it']);
    expect(world.git('worktree', 'list', '--porcelain')).toContain('locked colibri agent');
  });
});

describe('a profile is saved into the workspace and nowhere else', () => {
  const definition = {
    agent_type: 'worker',
    skills: [],
    permissions: { tools: ['Read'], write_access: false, admin_access: false },
    limits: { max_concurrent_tasks: 1, token_budget: 1_000, timeout_ms: 60_000 },
    runtime: { driver: 'stdio', command: ['/bin/true'] },
  } as never;

  it('although a link lies where it is written first', async () => {
    const { agents, base, workspace } = agentWorld();
    const victim = path.join(base, 'victim');
    writeFileSync(victim, 'precious\n');
    const folder = path.join(workspace, '.colibri/agents');
    mkdirSync(folder, { recursive: true });
    for (const name of ['.worker.draft', 'worker.yaml', 'worker.yaml.new', 'worker.yaml.tmp'])
      symlinkSync(victim, path.join(folder, name));
    const { path: saved } = await agents.saveProfile(definition);
    expect(readFileSync(victim, 'utf8')).toBe('precious\n');
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toMatchObject({ agent_type: 'worker' });
  });

  it.each(['.colibri', '.colibri/agents'])('although %s is a link', async (link) => {
    const { agents, base, workspace } = agentWorld();
    const victim = path.join(base, 'victim');
    mkdirSync(victim);
    mkdirSync(path.dirname(path.join(workspace, link)), { recursive: true });
    symlinkSync(`${'../'.repeat(link.split('/').length)}victim`, path.join(workspace, link));
    await expect(agents.saveProfile(definition)).rejects.toMatchObject({
      code: 'LINK_OUTSIDE',
      message: expect.stringContaining('remove the link'),
    });
    expect(readdirSync(victim)).toEqual([]);
  });
});
