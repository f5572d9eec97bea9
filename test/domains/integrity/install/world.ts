/** A workspace with its own home, and sources to install from; all real, gone when the test ends. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { onTestFinished } from 'vitest';

import { type Runtime, startup } from '../../../../src/startup.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';

export interface World {
  readonly workspace: string;
  readonly home: string;
  readonly runtime: Runtime;
  readonly install: Runtime['install'];
  /** The root of installed skills. */
  readonly root: string;
  readonly lockFile: string;
}

export async function installWorld(files: Readonly<Record<string, string>> = {}): Promise<World> {
  const base = temporaryDirectory();
  const [workspace, home] = [path.join(base, 'work'), path.join(base, 'home')];
  for (const folder of [workspace, home]) mkdirSync(folder);
  writeFiles(workspace, files);
  const runtime = await startup({ workspace, home, cwd: workspace, env: {}, logger: () => undefined });
  onTestFinished(() => runtime.close());
  return {
    workspace,
    home,
    runtime,
    install: runtime.install,
    root: path.join(workspace, '.agents/skills'),
    lockFile: path.join(workspace, 'colibri.lock.json'),
  };
}

export const SKILL = (name: string, body = `# ${name}\n`): string =>
  ['---', `name: ${name}`, `description: About ${name}. Use it in tests.`, '---', body].join('\n');

/** Files whose names end with `.sh` can be executed. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    if (name.endsWith('.sh')) chmodSync(file, 0o755);
  }
  return folder;
}

/** A new repository with these files on the branch `main`. */
export function gitRepository(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryDirectory();
  git(folder, 'init', '--quiet', '--initial-branch=main');
  commitFiles(folder, files);
  return folder;
}

/** Adds or changes files, commits them and returns the commit. */
export function commitFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  writeFiles(folder, files);
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message=next');
  return git(folder, 'rev-parse', 'HEAD');
}

export function git(folder: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...identity, ...args], { cwd: folder, env, encoding: 'utf8' }).trim();
}

/** Every file below a folder with its content and mode; what the installer keeps for itself is left out. */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (/^(?:data|\.colibri)(?:\/|$)/.test(name)) continue;
    const stats = statSync(path.join(folder, name));
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isFile()) entries.push([name, `${mode} ${readFileSync(path.join(folder, name), 'latin1')}`]);
  }
  return Object.fromEntries(entries);
}
