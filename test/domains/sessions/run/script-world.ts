/** A skill folder, a scratch folder and a runtime for real runs, and a look at what they left behind. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { PinnedSkill } from '../../../../src/domains/sessions/run/pinned-files.ts';
import { createScriptRuntime, type ScriptRuntime } from '../../../../src/domains/sessions/run/probe.ts';
import { processesMarked } from '../../../../src/domains/sessions/run/processes.ts';
import {
  type RunRequest,
  type RunResult,
  runScript,
} from '../../../../src/domains/sessions/run/run-script.ts';
import { hashFiles } from '../../../../src/domains/skills/manifest.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createIds } from '../../../../src/lib/ids.ts';
import { makeTemporaryDirectory, removeTree } from '../../../support/temporary.ts';

export interface ScriptWorld {
  readonly folder: string;
  readonly scratch: string;
  readonly runtime: ScriptRuntime;
  /** Stands in the environment of every process that a run of this world starts. */
  readonly mark: string;
  /** Writes the files of a skill and pins them. */
  skill(files: Readonly<Record<string, string>>): PinnedSkill;
  /** Runs one script, in the sandbox unless told otherwise. */
  run(name: string, content: string, more?: Partial<RunRequest>): Promise<RunResult>;
  /** Processes and files of this world's runs that are still there. */
  leftovers(): { readonly processes: readonly string[]; readonly files: readonly string[] };
  remove(): void;
}

const ids = createIds(systemClock);
export const NOTHING = { processes: [], files: [] };

export function createWorld(): ScriptWorld {
  const folder = makeTemporaryDirectory();
  // Root runs scripts as somebody else, who has to get to the scratch folder.
  chmodSync(folder, 0o711);
  const scratch = path.join(folder, 'scratch');
  const mark = ids.ulid();
  const runtime = createScriptRuntime({ scratchRoot: scratch, clock: systemClock, ids });
  const skill = (files: Readonly<Record<string, string>>): PinnedSkill => {
    const directory = path.join(folder, `skill-${ids.ulid()}`);
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(directory, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    const manifest = hashFiles(directory, Object.keys(files));
    if (!manifest.ok) throw new Error(manifest.reason);
    return { directory, files: manifest.files };
  };
  return {
    folder,
    scratch,
    runtime,
    mark,
    skill,
    run(name, content, more = {}) {
      const script = `scripts/${name}`;
      const env = { ...more.env, TEST_MARK: mark };
      const pinned = skill({ 'SKILL.md': '# test', [script]: content });
      return runScript({ skill: pinned, script, sandbox: 'bubblewrap', ...more, env }, runtime);
    },
    leftovers: () => ({ processes: processesOf(mark), files: namesIn(scratch) }),
    remove: () => removeTree(folder),
  };
}

export function textOf({ stdout, stderr }: RunResult): { readonly stdout: string; readonly stderr: string } {
  return { stdout: stdout.bytes.toString(), stderr: stderr.bytes.toString() };
}

/** What scripts printed, line by line. */
export function linesOf(result: RunResult): readonly string[] {
  return textOf(result).stdout.trim().split('\n');
}

function processesOf(mark: string): readonly string[] {
  return processesMarked(`TEST_MARK=${mark}`).flatMap(({ pid }) => commandLine(pid));
}

/** None if the process ended meanwhile. */
function commandLine(pid: number): readonly string[] {
  try {
    return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
  } catch {
    return [];
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
