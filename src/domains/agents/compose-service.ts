/** Puts the service of agents together. */
import type { Json } from '../../lib/json.ts';
import { type AgentsParts, createAgents } from './agents-service.ts';
import { createProfiles, type ProfilesParts } from './profiles-service.ts';
import { reconcile } from './reconcile-service.ts';
import { type AgentSchema, findEnvelope } from './repository.ts';
import type { RunParts } from './run.ts';
import { superviseRun } from './run-service.ts';
import type { AgentsService } from './service.ts';
import { createGit } from './worktree/git.ts';
import { createWorktrees } from './worktree/worktree.ts';

export interface AgentsServiceParts
  extends Omit<AgentsParts, 'profiles'>,
    Omit<ProfilesParts, 'db'>,
    Pick<RunParts, 'env' | 'mcp' | 'permits'> {
  /** How long processes have between being asked and being made to end. */
  readonly graceMs?: number | undefined;
}

const GRACE_MS = 2_000;

export function createAgentsService(parts: AgentsServiceParts): AgentsService {
  const profiles = createProfiles(parts);
  const { move, ...agents } = createAgents({ ...parts, profiles });
  const run: RunParts = {
    ...parts,
    profiles,
    agents: { ...agents, move },
    worktrees: createWorktrees(createGit(parts.home)),
    // The SDK of one protocol is not loaded for the other.
    drivers: {
      stdio: async () => (await import('./drivers/stdio.ts')).startStdio,
      acp: async () => (await import('./drivers/acp.ts')).startAcp,
    },
    graceMs: parts.graceMs ?? GRACE_MS,
  };
  const running = new Map<Promise<unknown>, AbortController>();

  return {
    ...agents,
    profiles: profiles.profiles,
    profile: profiles.profile,
    profileReport: profiles.profileReport,
    saveProfile: profiles.saveProfile,
    async envelope(id) {
      await agents.status(id);
      const text = await findEnvelope(await parts.db.records<AgentSchema>(), id);
      return text === null ? null : (JSON.parse(text) as Json);
    },
    async supervise(spec, hooks, { signal } = {}) {
      const stop = new AbortController();
      const signals = signal === undefined ? [stop.signal] : [stop.signal, signal];
      const work = superviseRun(run, spec, { hooks, signal: AbortSignal.any(signals) });
      running.set(work, stop);
      try {
        return await work;
      } finally {
        running.delete(work);
      }
    },
    reconcile: () => reconcile(run),
    async close() {
      for (const stop of running.values()) stop.abort('colibri is shutting down');
      await Promise.allSettled(running.keys());
    },
  };
}
