/** The part of the composition root that opens tasks. What is behind it is loaded only when somebody asks for tasks. */
import type { Config } from './config.ts';
import type { ColibriDatabase } from './db/database.ts';
import type { AgentsService } from './domains/agents/service.ts';
import { registerSpawnTool, type Spawn } from './domains/agents/tools.ts';
import type { EventsService } from './domains/events/service.ts';
import type { PolicyService } from './domains/policy/service.ts';
import type { SkillsService } from './domains/skills/service.ts';
import type { TasksService } from './domains/tasks/service.ts';
import { spawnAgent } from './domains/tasks/spawn-service.ts';
import { registerTaskTools } from './domains/tasks/tools.ts';
import type { Clock } from './lib/clock.ts';
import { ColibriError, messageOf } from './lib/errors.ts';
import type { Ids } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import type { ColibriServerContext } from './server.ts';

export interface Tasks {
  /** Opened at the first call; the same ever after. */
  readonly tasks: () => Promise<TasksService>;
}

interface OpenedTasks {
  readonly services: Tasks;
  /** Looks for orphans while a server runs. */
  watch(): { close(): Promise<void> };
  /** Ends the work of this process. */
  close(): Promise<void>;
}

interface TasksParts {
  readonly ctx: ColibriServerContext;
  readonly config: Config;
  readonly skills: SkillsService;
  readonly events: EventsService;
  readonly policy: PolicyService;
  readonly agents: () => Promise<AgentsService>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** How long a claim counts without being renewed; by default as the queue has it. */
  readonly leaseMs: number | undefined;
}

/** A server answers its first calls before it looks for what others left. */
const FIRST_SCAN_MS = 1_000;

export function openTasks(db: ColibriDatabase, parts: TasksParts): OpenedTasks {
  let opened: Promise<TasksService> | null = null;
  const tasks = () => (opened ??= openService(db, parts));
  const agentOf = async (caller: { readonly id: string }): Promise<string | null> => {
    try {
      return (await (await parts.agents()).status(caller.id)).id;
    } catch (error) {
      if (error instanceof ColibriError && error.code === 'AGENT_NOT_FOUND') return null;
      throw error;
    }
  };
  if (parts.config.surface === 'full') {
    registerTaskTools(parts.ctx, { tasks, agentOf });
    const spawn: Spawn = async (request, actor) =>
      spawnAgent({ db, ...parts }, await tasks(), { request, actor });
    registerSpawnTool(parts.ctx, spawn);
  }
  return {
    services: { tasks },
    watch: () => watchOrphans(tasks, parts.logger),
    close: async () => (await opened)?.close(),
  };
}

async function openService(db: ColibriDatabase, parts: TasksParts): Promise<TasksService> {
  const { config, skills, events, policy, clock, ids, logger, leaseMs } = parts;
  const { createTasksService } = await import('./domains/tasks/service.ts');
  const { createGit } = await import('./domains/agents/worktree/git.ts');
  const { createQueueEngine } = await import('./domains/tasks/queue-service.ts');
  return createTasksService({
    ...{ db, skills, events, clock, ids, logger },
    agents: await parts.agents(),
    engine: createQueueEngine({
      ...{ db, clock, ids, logger },
      ...(leaseMs === undefined ? {} : { leaseMs }),
    }),
    workspace: config.workspace,
    git: createGit(config.home),
    async isTrusted(name) {
      const skill = skills.get(name);
      if (skill === null) return false;
      return policy.isTrusted({ name, source: skill.source, directory: skill.source_dir });
    },
  });
}

function watchOrphans(tasks: Tasks['tasks'], logger: Logger): { close(): Promise<void> } {
  let watching: Promise<() => Promise<void>> | null = null;
  const timer = setTimeout(() => {
    watching = tasks().then(({ orphans }) => orphans.watch());
    watching.catch((error: unknown) => logger('[colibri] orphans are not looked for:', messageOf(error)));
  }, FIRST_SCAN_MS);
  return {
    async close() {
      clearTimeout(timer);
      await (await watching)?.();
    },
  };
}
