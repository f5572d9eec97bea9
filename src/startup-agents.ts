/** The part of the composition root that opens agents and tasks. What is behind it is loaded only when somebody asks for agents. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Config, ownEnvironment } from './config.ts';
import type { ColibriDatabase } from './db/database.ts';
import type { McpServer } from './domains/agents/envelope.ts';
import { toolRefusal } from './domains/agents/permissions.ts';
import type { AgentProfile } from './domains/agents/schema.ts';
import type { AgentsService } from './domains/agents/service.ts';
import { registerAgentTools } from './domains/agents/tools.ts';
import type { EventsService } from './domains/events/service.ts';
import type { PolicyService } from './domains/policy/service.ts';
import type { SkillsService } from './domains/skills/service.ts';
import type { Clock } from './lib/clock.ts';
import type { Ids } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import type { ColibriServerContext, GateVerdict } from './server.ts';
import { openTasks, type Tasks } from './startup-tasks.ts';

export interface Work extends Tasks {
  /** Opened at the first call; the same ever after. */
  readonly agents: () => Promise<AgentsService>;
}

interface OpenedWork {
  readonly services: Work;
  /** Ends the runs of this process. */
  close(): Promise<void>;
}

interface WorkParts {
  readonly ctx: ColibriServerContext;
  readonly config: Config;
  readonly skills: SkillsService;
  readonly events: EventsService;
  readonly policy: PolicyService;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly options: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly leaseMs?: number;
    readonly agent?: string | undefined;
  };
  /** Whether a server runs, which looks for orphans from time to time. */
  readonly live: boolean;
}

export function openWork(db: ColibriDatabase, parts: WorkParts): OpenedWork {
  let opened: Promise<AgentsService> | null = null;
  const agents = () => (opened ??= openAgents(db, parts));
  if (parts.config.surface === 'full') registerAgentTools(parts.ctx, agents);
  const tasks = openTasks(db, { ...parts, agents, leaseMs: parts.options.leaseMs });
  const orphans = parts.live ? tasks.watch() : null;
  return {
    services: { agents, ...tasks.services },
    async close() {
      await orphans?.close();
      // Runs are let go of before their agents are ended, so that others find them free and not failed.
      await tasks.close();
      await (await opened)?.close();
    },
  };
}

async function openAgents(db: ColibriDatabase, parts: WorkParts): Promise<AgentsService> {
  const { config, events, policy, clock, ids, logger } = parts;
  const { env = ownEnvironment() } = parts.options;
  const { workspace, home } = config;
  const { createAgentsService } = await import('./domains/agents/compose-service.ts');
  return createAgentsService({
    ...{ db, events, clock, ids, logger, env, workspace, home },
    isTrusted: async (file, digest) => (await policy.view([])).file({ path: file, digest }).trusted,
    mcp: (agentId) => ownServer(config, agentId),
    async permits({ tool, argument }, { agent_tier, agentId }) {
      const call = { tool, agent_tier, ...(argument === null ? {} : { argument }) };
      // What would have to be asked is not allowed: nobody is there to answer.
      return (await policy.decide(call, { session: null, actor: agentId })).effect === 'allow';
    },
  });
}

/** Our own command line, started as we were: a build by node alone, sources with the same loader. */
function ownServer({ workspace, database }: Config, agentId: string): McpServer {
  const cli = fileURLToPath(new URL(`./cli${path.extname(import.meta.url)}`, import.meta.url));
  return {
    command: process.execPath,
    args: [...process.execArgv, cli, 'serve', '--workspace', workspace, '--db', database],
    env: { COLIBRI_AGENT_ID: agentId },
  };
}

/** The agent that a connection belongs to. */
export interface ServedAgent {
  readonly id: string;
  readonly tier: AgentProfile['agent_tier'];
  /** The tool-lock of its profile. */
  gate(tool: string): GateVerdict;
}

export async function findServed({ agents }: Work, id: string): Promise<ServedAgent> {
  const service = await agents();
  const profile = await service.profile((await service.status(id)).profile);
  return {
    id,
    tier: profile.agent_tier,
    gate(tool) {
      const reason = toolRefusal(profile, tool);
      return reason === null ? { allowed: true } : { allowed: false, reason };
    },
  };
}
