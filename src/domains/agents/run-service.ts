/** One run of one agent: worktree, process, handshake, phases, and the end of all of it. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { isoNow } from '../../lib/clock.ts';
import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError, messageOf } from '../../lib/errors.ts';
import type { Json } from '../../lib/json.ts';
import type { DriverListener, DriverSession } from './drivers/driver.ts';
import { type Envelope, envelopeOf, environmentOf } from './envelope.ts';
import { RunFailure } from './failure.ts';
import { missingTools } from './permissions.ts';
import { endFamily } from './process/end.ts';
import { type Launched, launch } from './process/launch.ts';
import { createFamily, ownIdentity } from './process/scan.ts';
import { createWatch } from './process/watch.ts';
import { type AgentChange, updateAgent } from './repository.ts';
import type { Run, RunParts } from './run.ts';
import type { Agent, AgentProfile, AgentState, PhaseResult, RunOutcome, RunSpec } from './schema.ts';
import type { LiveAgent, RunHooks } from './service.ts';
import { settleRun } from './settle-service.ts';
import type { Worktree } from './worktree/worktree.ts';

/** After a kill, what the owner of the task may still be writing. */
const WIND_UP_MS = 10_000;

export async function superviseRun(
  parts: RunParts,
  spec: RunSpec,
  { hooks, signal }: { readonly hooks: RunHooks; readonly signal?: AbortSignal | undefined },
): Promise<RunOutcome> {
  const agent = await parts.agents.status(spec.agentId);
  const { profile, refusal } = await findProfile(parts, agent);
  const limits = {
    timeoutMs: spec.timeoutMs ?? profile?.limits.timeout_ms ?? 0,
    stallMs: profile?.runtime.stall_timeout_ms ?? 0,
    tokenBudget: spec.tokenBudget ?? profile?.limits.token_budget ?? 0,
  };
  const watch = createWatch(limits, { clock: parts.clock, signal, onTick: () => run.family.look() });
  const run: Run = {
    spec,
    hooks,
    agent,
    watch,
    startedAt: parts.clock.monotonic(),
    profile,
    worktree: null,
    launched: null,
    session: null,
    family: createFamily(agent.id, null),
    finishing: false,
  };
  if (profile === null) {
    watch.stop();
    return settleRun(parts, run, refusal);
  }
  const work = carryOut(parts, run, profile);
  const failure = await failureOf(watch.race(work));
  if (failure !== null) {
    watch.fail(failure);
    run.session?.cancel(failure.message);
  }
  await endProcesses(parts, run);
  watch.stop();
  // Nobody may write about the run once its end is written.
  await Promise.race([work.catch(() => undefined), delay(WIND_UP_MS, null, { ref: false })]);
  return settleRun(parts, run, failure);
}

/** A profile may have been changed since the agent was made; then it is not started at all. */
async function findProfile(
  { profiles }: RunParts,
  agent: Agent,
): Promise<{ readonly profile: AgentProfile | null; readonly refusal: RunFailure | null }> {
  try {
    return { profile: await profiles.profile(agent.profile), refusal: null };
  } catch (error) {
    if (!(error instanceof ColibriError)) throw error;
    return { profile: null, refusal: new RunFailure('SPAWN_ERROR', error.message) };
  }
}

async function carryOut(parts: RunParts, run: Run, profile: AgentProfile): Promise<void> {
  const { spec, hooks, watch } = run;
  await step(parts, run, {
    to: 'INITIALIZING',
    reason: 'a supervisor took it on',
    change: { ...supervisorMark(), started_at: isoNow(parts.clock), base_ref: spec.baseRef },
  });
  const worktree = await openWorktree(parts, run);
  const envelope = envelopeOf(spec, {
    agent: run.agent,
    worktree,
    profile,
    mcp: parts.mcp(run.agent.id),
  });
  const launched = await start(parts, run, { worktree, envelope, profile });
  const session = await greet(parts, run, { launched, envelope, profile });
  await step(parts, run, { to: 'READY', reason: 'it has shown its tools' });
  await step(parts, run, { to: 'BUSY', reason: 'it was given its task' });
  await watch.race(hooks.drive(liveAgent(parts, run, { worktree, session, profile })));
  run.finishing = true;
  session.end();
  // An agent that behaves ends now; any other is ended in a moment.
  await Promise.race([launched.exited, delay(parts.graceMs, null, { ref: false })]);
}

async function openWorktree(parts: RunParts, run: Run): Promise<Worktree> {
  const { spec, agent } = run;
  const earlier = await parts.agents.list({ task_id: agent.task_id });
  const worktree = await parts.worktrees.prepare({
    agentId: agent.id,
    repo: spec.repo,
    baseRef: spec.baseRef,
    slug: spec.task.slug,
    previous: earlier.find(({ id, branch }) => id !== agent.id && branch !== null)?.branch ?? null,
  });
  run.worktree = worktree;
  const { repo, path: place, branch, head } = worktree;
  await note(parts, run, { repo, worktree: place, branch, head_before: head });
  run.hooks.onProgress?.({ kind: 'worktree', path: place, branch });
  return worktree;
}

async function start(
  parts: RunParts,
  run: Run,
  { worktree, envelope, profile }: { worktree: Worktree; envelope: Envelope; profile: AgentProfile },
): Promise<Launched> {
  const text = JSON.stringify(envelope);
  // First the record, then the process: one that nobody knows of could not be found again.
  await note(parts, run, { envelope: text, envelope_sha256: sha256Hex(text) });
  const { command, env } = profile.runtime;
  const launched = await launch(command, {
    cwd: worktree.path,
    env: environmentOf(envelope, parts.env, env),
  });
  run.launched = launched;
  run.family = createFamily(run.agent.id, launched.pid);
  run.watch.heard();
  launched.exited
    .then((how) => {
      if (!run.finishing) run.watch.fail(new RunFailure('CRASH', `its process ended ${how}`));
    })
    .catch((error: unknown) => run.watch.fail(new RunFailure('CRASH', messageOf(error))));
  await note(parts, run, { pid: launched.pid });
  return launched;
}

async function greet(
  parts: RunParts,
  run: Run,
  { launched, envelope, profile }: { launched: Launched; envelope: Envelope; profile: AgentProfile },
): Promise<DriverSession> {
  const { driver, init_timeout_ms, usage } = profile.runtime;
  const startDriver = await parts.drivers[driver]();
  const late = setTimeout(() => {
    run.watch.fail(new RunFailure('INIT_TIMEOUT', `it did not say hello within ${init_timeout_ms} ms`));
  }, init_timeout_ms);
  try {
    const session = await run.watch.race(
      startDriver(launched, envelope, listenerOf(parts, run, profile)).catch((error: unknown) => {
        throw error instanceof RunFailure ? error : new RunFailure('PROTOCOL_ERROR', messageOf(error));
      }),
    );
    run.session = session;
    const { tools, reportsUsage } = session.hello;
    const missing = missingTools(run.spec.requiredTools, tools ?? profile.permissions.tools);
    if (missing.length > 0) {
      throw new RunFailure('MISSING_TOOLS', `it lacks ${missing.join(', ')}, which its skills need`);
    }
    if (usage === 'required' && reportsUsage === false) throw noUsage(profile);
    return session;
  } finally {
    clearTimeout(late);
  }
}

function listenerOf(parts: RunParts, run: Run, profile: AgentProfile): DriverListener {
  const { watch, hooks } = run;
  return {
    active: watch.heard,
    used(tokens) {
      watch.used(tokens);
      hooks.onProgress?.({ kind: 'usage', tokens: watch.tokens() });
    },
    said: (text) => hooks.onProgress?.({ kind: 'message', text }),
    tool(name, status) {
      watch.tool(status);
      hooks.onProgress?.({ kind: 'tool', name, status });
    },
    broke: watch.fail,
    async permits({ tool, argument, writes, paths }) {
      if (writes && !profile.permissions.write_access) return false;
      const { path: own = '' } = run.worktree ?? {};
      // The worktree is the agent's; whatever lies elsewhere is not for it to write.
      if (writes && paths.some((place) => !path.resolve(own, place).startsWith(`${own}/`))) return false;
      const { agent_tier } = profile;
      return parts.permits({ tool, argument }, { agent_tier, agentId: run.agent.id });
    },
  };
}

function liveAgent(
  parts: RunParts,
  run: Run,
  { worktree, session, profile }: { worktree: Worktree; session: DriverSession; profile: AgentProfile },
): LiveAgent {
  return {
    agent: run.agent,
    worktree: worktree.path,
    branch: worktree.branch,
    signal: run.watch.signal,
    runPhase: (phase, input) =>
      run.watch.race(runPhase(parts, run, { phase, input, worktree, session, profile })),
  };
}

async function runPhase(
  parts: RunParts,
  run: Run,
  {
    phase,
    input,
    worktree,
    session,
    profile,
  }: { phase: string; input: Json; worktree: Worktree; session: DriverSession; profile: AgentProfile },
): Promise<PhaseResult> {
  const { watch, hooks } = run;
  await note(parts, run, { phase, last_progress_at: isoNow(parts.clock) });
  hooks.onProgress?.({ kind: 'phase', phase, status: 'started' });
  watch.heard();
  const { status, output, detail, transient } = await session.runPhase(phase, input);
  watch.signal.throwIfAborted();
  if (profile.runtime.usage === 'required' && watch.tokens() === 0) throw noUsage(profile);
  const { head } = await parts.worktrees.inspect(worktree);
  await note(parts, run, { tokens_used: watch.tokens(), last_progress_at: isoNow(parts.clock) });
  hooks.onProgress?.({ kind: 'phase', phase, status });
  return { status, output, detail, transient, head };
}

function noUsage({ agent_type }: AgentProfile): RunFailure {
  const fix = `report usage, or set runtime.usage: none in the profile ${agent_type}`;
  return new RunFailure('NO_USAGE', `it reports no usage, so its token budget could not be held; ${fix}`);
}

/** Moves the agent on, if the task is still ours. */
async function step(
  parts: RunParts,
  run: Run,
  { to, reason, change }: { to: AgentState; reason: string; change?: AgentChange },
): Promise<void> {
  run.watch.signal.throwIfAborted();
  await parts.db.transact(async (transaction) => {
    await run.hooks.guard(transaction);
    await parts.agents.move(transaction, run.agent.id, { to, reason, actor: 'supervisor', change });
  });
  parts.events.wake();
  run.hooks.onProgress?.({ kind: 'state', state: to });
}

async function note(parts: RunParts, run: Run, change: AgentChange): Promise<void> {
  run.watch.signal.throwIfAborted();
  await parts.db.transact(async (transaction) => {
    await run.hooks.guard(transaction);
    await updateAgent(transaction, run.agent.id, change);
  });
}

function supervisorMark(): AgentChange {
  const { pid, startTime, bootId } = ownIdentity();
  return { supervisor_pid: pid, supervisor_start: startTime, boot_id: bootId };
}

async function endProcesses(parts: RunParts, run: Run): Promise<void> {
  run.finishing = true;
  if (run.launched === null) return;
  const { left } = await endFamily(run.family, parts.graceMs);
  run.launched.stdout.destroy();
  if (left.length > 0)
    parts.logger(`[colibri] agent ${run.agent.id} left processes that cannot be ended:`, left.join(', '));
}

async function failureOf(work: Promise<void>): Promise<RunFailure | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof RunFailure) return error;
    const lost =
      error instanceof ColibriError && (error.code === 'LEASE_LOST' || error.code === 'AGENT_TRANSITION');
    return new RunFailure(lost ? 'LEASE_LOST' : 'PHASE_FAILED', messageOf(error), { cause: error });
  }
}
