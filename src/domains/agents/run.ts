/** What the parts of a run share. */
import type { Agents, AgentsParts } from './agents-service.ts';
import type { DriverSession, PermissionRequest, StartDriver } from './drivers/driver.ts';
import type { McpServer } from './envelope.ts';
import type { Launched } from './process/launch.ts';
import type { Family } from './process/scan.ts';
import type { Watch } from './process/watch.ts';
import type { Agent, AgentProfile, RunSpec } from './schema.ts';
import type { RunHooks } from './service.ts';
import type { Worktree, Worktrees } from './worktree/worktree.ts';

export interface RunParts extends AgentsParts {
  readonly agents: Agents;
  readonly worktrees: Worktrees;
  readonly drivers: Readonly<Record<AgentProfile['runtime']['driver'], () => Promise<StartDriver>>>;
  /** Colibri's own environment, of which agents get a part. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly mcp: (agentId: string) => McpServer;
  /** What the policy says to a call that an agent asks leave for. */
  readonly permits: (
    request: Pick<PermissionRequest, 'tool' | 'argument'>,
    who: Pick<AgentProfile, 'agent_tier'> & { readonly agentId: string },
  ) => Promise<boolean>;
  /** How long processes have between being asked and being made to end. */
  readonly graceMs: number;
}

/** A run and what has come of it so far. */
export interface Run {
  readonly spec: RunSpec;
  readonly hooks: RunHooks;
  readonly agent: Agent;
  readonly watch: Watch;
  /** Milliseconds of the monotonic clock. */
  readonly startedAt: number;
  profile: AgentProfile | null;
  worktree: Worktree | null;
  launched: Launched | null;
  session: DriverSession | null;
  family: Family;
  /** From here on the end of the process is no surprise. */
  finishing: boolean;
}
