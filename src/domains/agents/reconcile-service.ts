/** Sets right what a supervisor left that died: its agents, their processes, their worktrees. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { systemCodeOf } from '../../lib/errors.ts';
import { isRunning } from '../sessions/run/processes.ts';
import { RunFailure } from './failure.ts';
import { hasEnded } from './lifecycle.ts';
import { endFamily } from './process/end.ts';
import { bootId, createFamily, MARKER, markedAgents } from './process/scan.ts';
import {
  type AgentSchema,
  findAgent,
  listRepos,
  listSupervised,
  listUsers,
  type SupervisorMark,
} from './repository.ts';
import type { RunParts } from './run.ts';
import type { Agent, Reconciliation } from './schema.ts';
import { WORKTREE_FOLDER } from './worktree/worktree.ts';

export async function reconcile(parts: RunParts): Promise<Reconciliation> {
  const { lost, killed } = await endLost(parts);
  const stray = await endStrays(parts);
  const { removed, kept } = await tidyWorktrees(parts);
  parts.events.wake();
  return { lost, killed: [...killed, ...stray], removed, kept };
}

/** Agents that count as running although nobody watches over them. */
async function endLost(parts: RunParts): Promise<Pick<Reconciliation, 'lost' | 'killed'>> {
  const lost: Agent[] = [];
  const killed: number[] = [];
  for (const agent of await listSupervised(await parts.db.records<AgentSchema>())) {
    if (isWatched(agent)) continue;
    // Processes first: an agent that is called ended must not go on writing.
    killed.push(...(await endFamily(createFamily(agent.id, null), parts.graceMs)).killed);
    const ended = await endOne(parts, agent);
    if (ended !== null) lost.push(ended);
  }
  return { lost, killed };
}

function isWatched({ supervisor_pid, supervisor_start, boot_id }: SupervisorMark): boolean {
  if (boot_id !== bootId()) return false;
  return isRunning({ pid: supervisor_pid, startTime: supervisor_start });
}

/** Null when another process was quicker. */
async function endOne(parts: RunParts, { id, state }: Agent): Promise<Agent | null> {
  return parts.db.transact(async (transaction) => {
    const now = await findAgent(transaction, id);
    if (now === null || now.state !== state) return null;
    const reason = 'the process that supervised it is gone';
    const ended = await parts.agents.move(transaction, id, {
      to: 'FAILED',
      code: 'HOST_LOST',
      actor: 'reconciliation',
      reason,
    });
    await parts.events.append(transaction, [
      {
        type: 'agent.warning',
        stream: `agent:${id}`,
        actor: 'reconciliation',
        sensitivity: 'pseudonymous',
        payload: { agent_id: id, kind: 'supervisor-lost', detail: reason },
      },
    ]);
    return ended;
  });
}

/** Processes of agents that have ended. Those of agents we do not know belong to another database, and stay. */
async function endStrays(parts: RunParts): Promise<readonly number[]> {
  const killed: number[] = [];
  for (const id of markedAgents()) {
    const agent = await findAgent(await parts.db.records<AgentSchema>(), id);
    // Our own environment may carry a mark, when an agent started us.
    if (agent === null || !hasEnded(agent.state) || id === parts.env[MARKER]) continue;
    const ended = await endFamily(createFamily(id, null), parts.graceMs);
    killed.push(...ended.killed);
    parts.logger(
      `[colibri] agent ${id} had ended but left ${ended.killed.length} processes; they were killed`,
    );
  }
  return killed;
}

async function tidyWorktrees(parts: RunParts): Promise<Pick<Reconciliation, 'removed' | 'kept'>> {
  const removed: string[] = [];
  const kept: { worktree: string; reason: string }[] = [];
  const records = await parts.db.records<AgentSchema>();
  const isGone = async (id: string): Promise<boolean> => {
    const agent = await findAgent(records, id);
    return agent === null || hasEnded(agent.state);
  };
  for (const repo of await listRepos(records)) {
    await releaseAll(parts, repo, isGone);
    for (const worktree of worktreesOf(repo)) {
      const [latest, ...others] = await listUsers(records, worktree);
      const reason = await tryRemove(parts, { repo, worktree, users: latest ? [latest, ...others] : [] });
      if (reason === null) removed.push(worktree);
      else kept.push({ worktree, reason });
    }
  }
  return { removed, kept };
}

async function tryRemove(
  parts: RunParts,
  {
    repo,
    worktree,
    users,
  }: {
    readonly repo: string;
    readonly worktree: string;
    readonly users: Awaited<ReturnType<typeof listUsers>>;
  },
): Promise<string | null> {
  const [latest] = users;
  if (latest === undefined) return 'no agent is known to have used it';
  const busy = users.find(({ state }) => !hasEnded(state));
  if (busy !== undefined) return `agent ${busy.id} works in it`;
  const into = latest.base_ref ?? latest.head_before ?? '';
  return parts.worktrees.removeIfDone({ repo, path: worktree, into });
}

/** An agent that was killed with its supervisor could not; people remove what was kept with plain git. */
async function releaseAll(
  { worktrees, logger }: RunParts,
  repo: string,
  isGone: (agentId: string) => Promise<boolean>,
): Promise<void> {
  try {
    await worktrees.releaseAbandoned(repo, isGone);
  } catch (error) {
    // The repository may be gone altogether.
    if (!(error instanceof RunFailure)) throw error;
    logger(`[colibri] the worktrees of ${repo} could not be unlocked:`, error.message);
  }
}

function worktreesOf(repo: string): readonly string[] {
  const folder = path.join(repo, WORKTREE_FOLDER);
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.join(folder, entry.name));
  } catch (error) {
    // The repository may be gone altogether.
    if (systemCodeOf(error) === undefined) throw error;
    return [];
  }
}
