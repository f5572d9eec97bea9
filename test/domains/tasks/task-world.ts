/** A repository, a home with a profile, and Colibri on them: everything real, gone when the test ends. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, onTestFinished } from 'vitest';

import type { TasksService } from '../../../src/domains/tasks/service.ts';
import { type Runtime, startup } from '../../../src/startup.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

export const TASK_AGENT: string = path.join(import.meta.dirname, 'task-agent.mjs');
export const CLI: string = path.join(import.meta.dirname, '../../../dist/cli.js');

export interface Places {
  readonly base: string;
  readonly workspace: string;
  readonly home: string;
  git(...args: readonly string[]): string;
  /** Writes the profile `coder`, whose agents do as these words say. */
  profile(words: readonly string[], change?: ProfileChange): void;
  /** A skill of the home, which is trusted, with these lines in its frontmatter. */
  skill(name: string, lines: readonly string[]): void;
  /** Processes that carry the mark of an agent of this home. */
  processes(): readonly number[];
}

export interface ProfileChange {
  readonly name?: string;
  readonly skills?: readonly string[];
  readonly max?: number;
}

export function makePlaces(): Places {
  const base = temporaryDirectory();
  const [workspace, home] = [path.join(base, 'work'), path.join(base, 'home')];
  for (const folder of [workspace, home]) mkdirSync(folder);
  const git: Places['git'] = (...args) =>
    execFileSync('git', ['-c', 'user.name=person', '-c', 'user.email=person@example.invalid', ...args], {
      cwd: workspace,
      env: { PATH: process.env['PATH'], HOME: home },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  git('init', '-q', '-b', 'main');
  writeFileSync(path.join(workspace, 'readme.txt'), 'hello\n');
  writeFileSync(path.join(workspace, '.gitignore'), 'data/\n.agents/\n');
  git('add', '.');
  git('commit', '-qm', 'First');
  const places: Places = {
    base,
    workspace,
    home,
    git,
    profile: (words, change = {}) => writeProfile(home, words, change),
    skill: (name, lines) => void writeSkill(path.join(home, '.agents/skills'), name, { lines }),
    processes: () => markedProcesses(`HOME=${home}`),
  };
  onTestFinished(() => {
    for (const pid of places.processes()) process.kill(pid, 'SIGKILL');
  });
  return places;
}

function writeProfile(home: string, words: readonly string[], change: ProfileChange): void {
  const { name = 'coder', skills = [], max = 1 } = change;
  const folder = path.join(home, '.colibri/agents');
  mkdirSync(folder, { recursive: true });
  const profile = {
    agent_type: name,
    description: 'For tests.',
    skills,
    permissions: { tools: ['*'], write_access: true, admin_access: false },
    limits: { max_concurrent_tasks: max, token_budget: 100_000, timeout_ms: 60_000 },
    runtime: {
      command: [process.execPath, TASK_AGENT, ...words],
      init_timeout_ms: 20_000,
      stall_timeout_ms: 30_000,
    },
  };
  // JSON is YAML.
  writeFileSync(path.join(folder, `${name}.yaml`), JSON.stringify(profile));
}

/** Processes with both this home and an agent's mark in their environment. */
function markedProcesses(home: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        return (
          environment.includes(home) && environment.some((entry) => entry.startsWith('COLIBRI_AGENT_ID='))
        );
      } catch {
        // It has ended while we looked, or is not ours to look at.
        return false;
      }
    })
    .map(Number);
}

export interface TaskWorld extends Places {
  readonly runtime: Runtime;
  readonly tasks: TasksService;
  /** Makes a task, works it off in this process and says what became of it. */
  run(request?: object): Promise<Awaited<ReturnType<TasksService['detail']>>>;
}

export async function taskWorld(): Promise<TaskWorld> {
  expect(existsSync(CLI), 'dist is missing: run `npm run build` first').toBe(true);
  const places = makePlaces();
  const { workspace, home } = places;
  const runtime = await startup({
    workspace,
    home,
    env: { PATH: process.env['PATH'], HOME: home },
    logger: () => undefined,
    exit: () => undefined,
  });
  onTestFinished(() => runtime.close());
  const tasks = await runtime.tasks();
  return {
    ...places,
    runtime,
    tasks,
    async run(request = {}) {
      await runtime.skills.reload();
      const { id } = await tasks.create({ title: 'Add a line', profile: 'coder', ...request }, 'test');
      await tasks.dispatch(id, 'test');
      const worker = await tasks.work({ task: id, lanes: 1 });
      await worker.drained();
      await worker.stop();
      return tasks.detail(id);
    },
  };
}
