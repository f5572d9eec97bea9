/** A repository, a database and profiles, all real; gone when the test ends, with every process of it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { onTestFinished } from 'vitest';

import { type ColibriDatabase, openDatabase } from '../../../src/db/database.ts';
import { type AgentsServiceParts, createAgentsService } from '../../../src/domains/agents/compose-service.ts';
import { MARKER } from '../../../src/domains/agents/process/scan.ts';
import type { RunOutcome, RunProgress, RunSpec } from '../../../src/domains/agents/schema.ts';
import type { AgentsService, RunHooks } from '../../../src/domains/agents/service.ts';
import { createEventsService, type EventsService } from '../../../src/domains/events/service.ts';
import { listProcesses, processesMarked } from '../../../src/domains/sessions/run/processes.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createIds } from '../../../src/lib/ids.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

export const PLAIN_AGENT: string = path.join(import.meta.dirname, 'plain-agent.mjs');

export interface AgentWorld {
  readonly base: string;
  readonly workspace: string;
  readonly home: string;
  readonly db: ColibriDatabase;
  readonly events: EventsService;
  readonly agents: AgentsService;
  readonly log: string[];
  git(...args: readonly string[]): string;
  /** Writes the profile `worker`. */
  profile(change?: ProfileChange): void;
  /** Allocates and runs an agent through its phases. */
  run(change?: RunChange): Promise<RunOutcome & { readonly progress: readonly RunProgress[] }>;
  spec(agentId: string, change?: Partial<RunSpec>): RunSpec;
  /** Waits until nothing of the agent is left, and says what is. */
  leftOf(agentId: string): readonly number[];
}

export interface ProfileChange {
  readonly mode?: string;
  readonly command?: readonly string[];
  readonly permissions?: object;
  readonly limits?: object;
  readonly runtime?: object;
}

export interface RunChange extends Partial<RunSpec> {
  readonly taskId?: string;
  readonly phases?: readonly string[];
  readonly hooks?: Partial<RunHooks>;
  readonly signal?: AbortSignal;
}

export const HOOKS: RunHooks = {
  guard: async () => undefined,
  drive: async (agent) => {
    const result = await agent.runPhase('GATHER', { question: 'what is there?' });
    if (result.status === 'failed') throw new Error(result.detail);
  },
  checkWriteback: async () => null,
};

export function agentWorld(more: Partial<AgentsServiceParts> = {}): AgentWorld {
  const base = temporaryDirectory();
  const [workspace, home] = [path.join(base, 'work'), path.join(base, 'home')];
  for (const folder of [workspace, home]) mkdirSync(folder);
  const git = gitIn(workspace, home);
  git('init', '-q', '-b', 'main');
  writeFileSync(path.join(workspace, 'readme.txt'), 'hello\n');
  git('add', '.');
  git('commit', '-qm', 'First');
  const db = openDatabase(path.join(base, 'colibri.db'));
  onTestFinished(() => db.close());
  const log: string[] = [];
  const ids = createIds(systemClock);
  const events = createEventsService(db, { clock: systemClock, ids });
  const agents = createAgentsService({
    db,
    events,
    clock: systemClock,
    ids,
    workspace,
    home,
    logger: (...args) => log.push(args.map(String).join(' ')),
    isTrusted: async () => true,
    env: { PATH: process.env['PATH'], HOME: home, SECRET_OF_COLIBRI: 'hidden', TOKEN_FOR_AGENT: 'given' },
    mcp: (id) => ({ command: 'colibri', args: ['serve'], env: { [MARKER]: id } }),
    permits: async () => true,
    graceMs: 300,
    ...more,
  });
  onTestFinished(() => agents.close());
  const world: AgentWorld = {
    base,
    workspace,
    home,
    db,
    events,
    agents,
    log,
    git,
    profile: (change = {}) => writeProfile(workspace, change),
    spec: (agentId, change = {}) => specOf(workspace, agentId, change),
    run: (change = {}) => runAgent(world, change),
    leftOf: (agentId) => processesMarked(`${MARKER}=${agentId}`).map(({ pid }) => pid),
  };
  return world;
}

export function gitIn(folder: string, home: string): (...args: readonly string[]) => string {
  const identity = ['-c', 'user.name=person', '-c', 'user.email=person@example.invalid'];
  return (...args) =>
    execFileSync('git', [...identity, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: home },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
}

export function profileText({ mode = 'good', command, permissions, limits, runtime }: ProfileChange): string {
  return JSON.stringify({
    agent_type: 'worker',
    skills: ['tidy-up'],
    permissions: {
      tools: ['Read', 'Edit', 'skill_*'],
      write_access: true,
      admin_access: false,
      ...permissions,
    },
    limits: { max_concurrent_tasks: 2, token_budget: 10_000, timeout_ms: 120_000, ...limits },
    runtime: {
      command: command ?? [process.execPath, PLAIN_AGENT, ...mode.split(' ')],
      env: ['TOKEN_FOR_AGENT'],
      init_timeout_ms: 60_000,
      stall_timeout_ms: 60_000,
      ...runtime,
    },
  });
}

function writeProfile(workspace: string, change: ProfileChange): void {
  const folder = path.join(workspace, '.colibri/agents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'worker.yaml'), profileText(change));
}

function specOf(workspace: string, agentId: string, change: Partial<RunSpec>): RunSpec {
  return {
    agentId,
    task: { id: 'task-1', slug: 'tidy-the-house', title: 'Tidy the house', description: 'All of it.' },
    repo: workspace,
    baseRef: 'main',
    skills: [{ name: 'tidy-up', version: '1.0.0', digest: 'a'.repeat(64) }],
    requiredTools: ['Read'],
    writebackContract: { task_update: true, thought_record: true },
    contextSnapshot: { parent: null },
    ...change,
  };
}

async function runAgent(
  { agents, workspace }: AgentWorld,
  { taskId = 'task-1', phases, hooks = {}, signal, ...spec }: RunChange,
): Promise<RunOutcome & { readonly progress: readonly RunProgress[] }> {
  const { id } = await agents.allocate({ taskId, profile: 'worker', epoch: 1 });
  const progress: RunProgress[] = [];
  const drive: RunHooks['drive'] = async (agent) => {
    for (const phase of phases ?? []) await agent.runPhase(phase, null);
  };
  const outcome = await agents.supervise(
    specOf(workspace, id, spec),
    {
      ...HOOKS,
      ...(phases === undefined ? {} : { drive }),
      onProgress: (step) => void progress.push(step),
      ...hooks,
    },
    { signal },
  );
  return { ...outcome, progress };
}

/** Processes of this machine whose command line holds the text. */
export function processesNamed(text: string): readonly number[] {
  return listProcesses()
    .filter(({ ended }) => !ended)
    .map(({ pid }) => pid)
    .filter((pid) => commandLine(pid).includes(text));
}

function commandLine(pid: number): string {
  try {
    return execFileSync('cat', [`/proc/${pid}/cmdline`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}
