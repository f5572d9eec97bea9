/** Starts git so that nothing of the machine's or the repository's configuration can make it run anything. */
import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { GIT_MS_MAX, REPOSITORY_BYTES_MAX } from './limits.ts';

export interface GitEnvironment {
  readonly home: string;
  /** The user's own variables; only a few of them are handed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface GitRun {
  readonly args: readonly string[];
  /** A bare repository. */
  readonly repository: string;
  /** The one protocol that may be spoken. */
  readonly protocol?: string;
  readonly settings?: readonly string[];
  readonly input?: string;
  readonly outputBytesMax: number;
}

export type GitResult =
  | { readonly ok: true; readonly stdout: Buffer }
  | { readonly ok: false; readonly reason: string };

export type Git = (run: GitRun) => Promise<GitResult>;

/** Hooks, monitors and helpers are programs; links, filters and submodules lead elsewhere. */
const SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.symlinks=false',
  'core.attributesFile=/dev/null',
  'credential.helper=',
  'filter.lfs.smudge=',
  'filter.lfs.process=',
  'fetch.recurseSubmodules=false',
  'submodule.recurse=false',
  // A redirect would lead past the policy.
  'http.followRedirects=false',
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=30',
  'gc.auto=0',
  'maintenance.auto=false',
];
/** Keys of the user and proxies of the network; never git's own variables, which steer what it runs. */
const HANDED_ON = /^(?:PATH|SSH_AUTH_SOCK|SSL_CERT_(?:FILE|DIR)|(?:https?|all|no)_proxy)$/i;
const PATH_DEFAULT = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';
const SIZE_CHECK_MS = 250;
const STDERR_CHARS_MAX = 4_000;
const GRACE_MS = 2_000;

export function createGit({ home, env }: GitEnvironment): Git {
  const handed = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => HANDED_ON.test(name) && value !== undefined),
  );
  return (run) =>
    new Promise((resolve) => {
      const settings = [...SETTINGS, ...(run.settings ?? [])].flatMap((setting) => ['-c', setting]);
      const child = spawn(
        'git',
        ['--no-optional-locks', ...settings, `--git-dir=${run.repository}`, ...run.args],
        {
          cwd: path.dirname(run.repository),
          env: { PATH: PATH_DEFAULT, ...handed, HOME: home, ...isolation(run.protocol ?? 'none') },
          stdio: 'pipe',
          // Its helpers are ended with it.
          detached: true,
        },
      );
      const output: Buffer[] = [];
      let length = 0;
      let complaint = '';
      let stopped: string | null = null;
      const stop = (why: string): void => {
        stopped ??= why;
        // Asked first: git takes its helpers with it when it may.
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
      };
      const timer = setTimeout(() => stop(`git took longer than ${GIT_MS_MAX / 1000} s`), GIT_MS_MAX);
      const watch = setInterval(() => {
        if (folderBytes(run.repository) > REPOSITORY_BYTES_MAX)
          stop(`the repository has more than ${REPOSITORY_BYTES_MAX} bytes`);
      }, SIZE_CHECK_MS);
      const settle = (result: GitResult): void => {
        clearTimeout(timer);
        clearInterval(watch);
        resolve(stopped === null ? result : { ok: false, reason: stopped });
      };
      child.stdout.on('data', (part: Buffer) => {
        length += part.length;
        if (length > run.outputBytesMax) stop(`git gave more than ${run.outputBytesMax} bytes`);
        else output.push(part);
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        complaint = (complaint + text).slice(-STDERR_CHARS_MAX);
      });
      // A git that ended early has said why on stderr.
      child.stdin.on('error', () => undefined);
      child.stdin.end(run.input ?? '');
      child.once('error', (error) => settle({ ok: false, reason: startFailure(error) }));
      child.once('close', (code) =>
        settle(
          code === 0
            ? { ok: true, stdout: Buffer.concat(output) }
            : { ok: false, reason: lastLines(complaint) },
        ),
      );
    });
}

function isolation(protocol: string): Readonly<Record<string, string>> {
  return {
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=20',
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_NO_LAZY_FETCH: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

function startFailure(error: Error): string {
  return systemCodeOf(error) === 'ENOENT' ? 'git is not installed' : messageOf(error);
}

/** Without the passwords that a URL may hold. */
function lastLines(complaint: string): string {
  const lines = complaint
    .replace(/\/\/[^/\s@]*@/g, '//')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.slice(-3).join('; ') || 'git failed without a word';
}

/** What git has written so far. Its temporary files come and go while they are counted. */
function folderBytes(folder: string): number {
  let bytes = 0;
  try {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const stats = statSync(path.join(folder, name), { throwIfNoEntry: false });
      if (stats?.isFile() === true) bytes += stats.size;
    }
  } catch (error) {
    // A folder that went away meanwhile; the next look counts again.
    if (systemCodeOf(error) === undefined) throw error;
  }
  return bytes;
}
