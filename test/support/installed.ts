/** The program as users have it. */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { writeSkill } from './skill-files.ts';
import { temporaryDirectory } from './temporary.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

export interface Installed {
  readonly dist: string;
  readonly workspace: string;
  run(
    program: string,
    ...words: string[]
  ): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
}

/** A copy of the build, as a package manager would put it somewhere, and a workspace for it. */
export function install(): Installed {
  const folder = temporaryDirectory();
  return workIn(folder, copyBuild(folder));
}

/** What it returns holds the programs. */
export function copyBuild(folder: string): string {
  const dist = path.join(folder, 'dist');
  cpSync(path.join(REPOSITORY, 'dist'), dist, {
    recursive: true,
    filter: (file) => path.basename(file) !== 'compiled',
  });
  cpSync(path.join(REPOSITORY, 'package.json'), path.join(folder, 'package.json'));
  symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
  return dist;
}

/** A workspace with one skill. */
export function workIn(folder: string, dist: string): Installed {
  const workspace = path.join(folder, 'work');
  writeSkill(path.join(workspace, '.agents', 'skills'), 'one');
  return {
    dist,
    workspace,
    run: (program, ...words) =>
      spawnSync(process.execPath, [path.join(dist, program), ...words], {
        cwd: workspace,
        encoding: 'utf8',
        // The home is not the workspace: one folder would be two roots then.
        env: { PATH: process.env['PATH'], HOME: path.join(folder, 'home') },
      }),
  };
}

/** What the runs so far have kept of V8's work. */
export function compiledFiles(dist: string): string[] {
  return readdirSync(path.join(dist, 'compiled')).sort();
}
