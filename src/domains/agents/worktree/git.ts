/** Calls git. No program that a repository names runs by our hand, and nothing of our own environment steers it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { findProgram } from '../../sessions/run/host.ts';
import { RunFailure } from '../failure.ts';
import { foreignSettings, ownSettings } from './git-settings.ts';

/** Its output without the last line break; throws what git said. */
export type Git = (folder: string, args: readonly string[]) => Promise<string>;

const GIT_MS = 120_000;
const GIT_BYTES_MAX = 16 * 1_024 * 1_024;

/** A repository may bring hooks and a file system monitor, which are programs, and others inside of it. */
const SETTINGS = [
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'gc.auto=0'],
  ...['-c', 'submodule.recurse=false', '-c', 'safe.bareRepository=explicit'],
];
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  // Objects that are missing would be fetched by whatever program the repository names for it.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
} as const;

export function createGit(home: string): Git {
  const run = promisify(execFile);
  // GIT_DIR and its like, as a hook has them, would lead to another repository.
  const env = { ...ENVIRONMENT, HOME: home };
  const git: Git = async (folder, args) => {
    const program = findProgram('git');
    if (program === null) throw new RunFailure('WORKTREE_ERROR', 'git is not installed; install it');
    try {
      const options = { cwd: folder, env, timeout: GIT_MS, maxBuffer: GIT_BYTES_MAX };
      const { stdout } = await run(program, [...SETTINGS, ...args], options);
      return stdout.replace(/\n$/, '');
    } catch (error) {
      throw new RunFailure('WORKTREE_ERROR', `git ${args[0] ?? ''}: ${whatGitSaid(error)}`, { cause: error });
    }
  };
  return async (folder, args) => {
    // Each time: whoever works in the repository may have written to its configuration meanwhile.
    await requireHarmless(git, folder);
    return git(folder, args);
  };
}

/** Filters and drivers have names of the repository's choice, so none of them can be switched off from here. */
async function requireHarmless(git: Git, folder: string): Promise<void> {
  const own = ownSettings(await git(folder, ['config', '--list', '--show-scope', '--name-only', '-z']));
  const [first, ...others] = foreignSettings(own);
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    const fix = 'if it is yours, move it to your own configuration (git config --global)';
    throw new RunFailure(
      'WORKTREE_ERROR',
      `the repository of ${folder} has ${JSON.stringify(first)}${more} in its own configuration, by which git would run programs; ${fix}`,
    );
  }
  if (own.includes('core.worktree')) await requireOwnFiles(git, folder);
}

/** Submodules say where their files are; any other repository could name a folder of somebody else. */
async function requireOwnFiles(git: Git, folder: string): Promise<void> {
  const ask = ['rev-parse', '--path-format=absolute', '--git-dir'];
  const top = await git(folder, ['rev-parse', '--show-toplevel']);
  const found = await git(top, ask).catch(() => null);
  if (found === (await git(folder, ask))) return;
  const fix = 'remove core.worktree from its configuration';
  throw new RunFailure('WORKTREE_ERROR', `the repository of ${folder} would write to ${top}; ${fix}`);
}

function whatGitSaid(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return said === '' ? String(error) : said.replace(/^(?:fatal|error): /, '');
}
