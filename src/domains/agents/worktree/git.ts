/** Calls git. Hooks of the repository never run by our hand, and nothing of our own environment steers it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { findProgram } from '../../sessions/run/host.ts';
import { RunFailure } from '../failure.ts';

/** Its output without the last line break; throws what git said. */
export type Git = (folder: string, args: readonly string[]) => Promise<string>;

const GIT_MS = 120_000;
const GIT_BYTES_MAX = 16 * 1_024 * 1_024;

/** A repository may bring hooks and a file system monitor, which are programs. */
const SETTINGS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'gc.auto=0'];

export function createGit(home: string): Git {
  const run = promisify(execFile);
  // GIT_DIR and its like, as a hook has them, would lead to another repository.
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' };
  return async (folder, args) => {
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
}

function whatGitSaid(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return said === '' ? String(error) : said.replace(/^(?:fatal|error): /, '');
}
