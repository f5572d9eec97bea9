/** What this machine offers for running scripts. Programs are looked for in fixed places, never through PATH. */
import { execFile } from 'node:child_process';
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Clock } from '../../../lib/clock.ts';
import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import type { Ids } from '../../../lib/ids.ts';
import { type InterpreterName, SYSTEM_FOLDERS } from './interpreter.ts';
import type { SystemLayout } from './sandbox.ts';

/** What every run needs. */
export interface ScriptHost {
  /** Absolute; made when needed. */
  readonly scratchRoot: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface Bubblewrap {
  readonly path: string;
  readonly version: string;
  readonly disableUserNamespaces: boolean;
}

export interface Program {
  /** Where it lies on the host. */
  readonly path: string;
  /** Where the sandbox shows it. */
  readonly inside: string;
}

export function defaultScratchRoot(): string {
  return path.join(os.tmpdir(), `colibri-run-${process.getuid?.() ?? 'user'}`);
}

export function readSystemLayout(): SystemLayout {
  const folders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
    .filter((folder) => lstatSync(folder, { throwIfNoEntry: false }) !== undefined)
    .map((folder) => ({
      path: folder,
      link: lstatSync(folder).isSymbolicLink() ? readlinkSync(folder) : null,
    }));
  return {
    folders,
    settings: ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d'].filter(
      exists,
    ),
    networkSettings: [
      '/etc/resolv.conf',
      '/etc/hosts',
      '/etc/nsswitch.conf',
      '/etc/services',
      '/etc/ssl/certs',
      '/etc/ca-certificates',
      '/etc/pki/tls/certs',
      '/etc/pki/ca-trust/extracted',
    ].filter(exists),
  };
}

/** The program of an interpreter. Node is there in any case: it is what we run on. */
export function findInterpreter(name: InterpreterName): Program {
  const found = findProgram(name) ?? (name === 'node' ? process.execPath : null);
  if (found !== null) {
    const real = realpathSync(found);
    // The sandbox shows the system's folders; a program from elsewhere is shown alone.
    const isSystem = /^\/(?:usr|bin)\//.test(real);
    return isSystem ? { path: found, inside: found } : { path: real, inside: `/opt/colibri/${name}` };
  }
  const message = `${name} is not installed in ${SYSTEM_FOLDERS.join(', ')}; install it from the system's packages`;
  throw new ColibriError('INTERPRETER_MISSING', message, { interpreter: name });
}

export function findProgram(name: string, folders: readonly string[] = SYSTEM_FOLDERS): string | null {
  return folders.map((folder) => `${folder}/${name}`).find(isProgram) ?? null;
}

/** Options without which the sandbox would be weaker than promised. */
const REQUIRED_OPTIONS = ['--args', '--size', '--info-fd', '--seccomp', '--cap-drop', '--die-with-parent'];

/** Why there is no usable bubblewrap, or what it can do. Whether it isolates is for the probe to find out. */
export async function findBubblewrap(
  folders: readonly string[] = SYSTEM_FOLDERS,
): Promise<Bubblewrap | { readonly reason: string }> {
  if (process.platform !== 'linux') return { reason: 'bubblewrap exists only on Linux' };
  const bwrap = findProgram('bwrap', folders);
  if (bwrap === null) {
    return { reason: `bubblewrap is not installed in ${folders.join(', ')}; install the package bubblewrap` };
  }
  if (findProgram('prlimit', ['/usr/bin']) === null) {
    return { reason: '/usr/bin/prlimit is missing; install the package util-linux' };
  }
  try {
    const [help, version] = [await ask(bwrap, '--help'), await ask(bwrap, '--version')];
    const missing = REQUIRED_OPTIONS.filter((option) => !help.includes(`${option} `));
    if (missing.length > 0) return { reason: `${version} is too old: it lacks ${missing.join(', ')}` };
    return { path: bwrap, version, disableUserNamespaces: help.includes('--disable-userns ') };
  } catch (error) {
    return { reason: `${bwrap} does not start: ${messageOf(error)}` };
  }
}

const ASK_MS = 5_000;

async function ask(program: string, option: string): Promise<string> {
  const options = { env: {}, timeout: ASK_MS, maxBuffer: 65_536, killSignal: 'SIGKILL' } as const;
  const { stdout } = await promisify(execFile)(program, [option], options);
  return stdout.trim();
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function isProgram(file: string): boolean {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return false;
  }
}
