/** The end of a run: what is true of its worktree, whether it wrote back, and one transaction that says so. */
import type { RecordTransaction } from '../../db/database.ts';
import { ColibriError, messageOf } from '../../lib/errors.ts';
import { RunFailure } from './failure.ts';
import type { Run, RunParts } from './run.ts';
import type { RunFacts, RunOutcome } from './schema.ts';
import type { WorktreeFacts } from './worktree/worktree.ts';

export async function settleRun(parts: RunParts, run: Run, thrown: RunFailure | null): Promise<RunOutcome> {
  const durationMs = Math.round(parts.clock.monotonic() - run.startedAt);
  if (thrown?.code === 'LEASE_LOST') return outcomeOf(run, thrown, { durationMs, found: null });
  const { found, problem } = await measure(parts, run);
  const failure = thrown ?? problem ?? forbidden(run, found);
  try {
    const outcome = await parts.db.transact(async (transaction) => {
      await run.hooks.guard(transaction);
      const rejected = failure ?? (await checkWriteback(transaction, run, found));
      const settled = outcomeOf(run, rejected, { durationMs, found });
      await record(parts, transaction, { run, outcome: settled });
      return settled;
    });
    parts.events.wake();
    run.hooks.onProgress?.({ kind: 'state', state: outcome.state });
    return await tidy(parts, run, { outcome, found });
  } catch (error) {
    if (!isLost(error)) throw error;
    return outcomeOf(run, new RunFailure('LEASE_LOST', messageOf(error)), { durationMs, found });
  }
}

/** The row belongs to somebody else, or somebody else has ended it. */
function isLost(error: unknown): boolean {
  return error instanceof ColibriError && (error.code === 'LEASE_LOST' || error.code === 'AGENT_TRANSITION');
}

interface Measured {
  readonly found: WorktreeFacts | null;
  readonly problem: RunFailure | null;
}

async function measure(parts: RunParts, run: Run): Promise<Measured> {
  if (run.worktree === null) return { found: null, problem: null };
  try {
    const found = await parts.worktrees.inspect(run.worktree);
    await parts.worktrees.release(run.worktree);
    return { found, problem: null };
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error;
    return { found: null, problem: error };
  }
}

function forbidden({ profile, worktree }: Run, found: WorktreeFacts | null): RunFailure | null {
  if (profile?.permissions.write_access !== false || worktree === null || found === null) return null;
  if (!found.dirty && found.head === worktree.head) return null;
  return new RunFailure(
    'WRITE_FORBIDDEN',
    `its profile has no write_access, and ${worktree.path} was changed`,
  );
}

async function checkWriteback(
  transaction: RecordTransaction,
  { hooks, agent, worktree, watch }: Run,
  found: WorktreeFacts | null,
): Promise<RunFailure | null> {
  if (worktree === null || found === null) throw new Error('a run without a worktree cannot have succeeded');
  const facts: RunFacts = {
    agentId: agent.id,
    taskId: agent.task_id,
    worktree: worktree.path,
    branch: worktree.branch,
    headBefore: worktree.head,
    headAfter: found.head,
    dirty: found.dirty,
    commits: found.commits,
    tokensUsed: watch.tokens(),
  };
  const missing = await hooks.checkWriteback(transaction, facts);
  return missing === null ? null : new RunFailure('WRITEBACK_REJECTED', missing);
}

function outcomeOf(
  { agent, worktree, watch }: Run,
  failure: RunFailure | null,
  { durationMs, found }: { readonly durationMs: number; readonly found: WorktreeFacts | null },
): RunOutcome {
  return {
    agentId: agent.id,
    state: failure === null ? 'TERMINATED' : 'FAILED',
    code: failure?.code ?? 'ok',
    detail: failure?.message ?? '',
    worktree: worktree?.path ?? null,
    branch: worktree?.branch ?? null,
    headBefore: worktree?.head ?? null,
    headAfter: found?.head ?? null,
    tokensUsed: watch.tokens(),
    durationMs,
  };
}

async function record(
  parts: RunParts,
  transaction: RecordTransaction,
  { run, outcome }: { readonly run: Run; readonly outcome: RunOutcome },
): Promise<void> {
  const { agent, hooks } = run;
  const { state, code, detail, durationMs } = outcome;
  await parts.agents.move(transaction, agent.id, {
    to: state,
    actor: 'supervisor',
    reason: detail === '' ? 'its work is done and written back' : detail,
    code: code === 'ok' ? undefined : code,
    change: { head_after: outcome.headAfter, tokens_used: outcome.tokensUsed },
  });
  await parts.profiles.noteRun(transaction, agent.profile, { code, durationMs });
  await parts.events.append(transaction, [
    {
      type: 'agent.ended',
      stream: `agent:${agent.id}`,
      actor: 'supervisor',
      sensitivity: 'pseudonymous',
      payload: {
        agent_id: agent.id,
        task_id: agent.task_id,
        profile: agent.profile,
        state,
        code,
        detail,
        branch: outcome.branch,
        head_before: outcome.headBefore,
        head_after: outcome.headAfter,
        tokens_used: outcome.tokensUsed,
        duration_ms: durationMs,
      },
    },
  ]);
  await hooks.onEnd?.(transaction, outcome);
}

/** A worktree in which nothing was left is in nobody's interest. */
async function tidy(
  parts: RunParts,
  { worktree }: Run,
  { outcome, found }: { readonly outcome: RunOutcome; readonly found: WorktreeFacts | null },
): Promise<RunOutcome> {
  if (worktree === null || found === null || found.dirty || found.commits > 0) return outcome;
  const { repo, path, base, branch } = worktree;
  const kept = await parts.worktrees.removeIfDone({ repo, path, into: base, branch });
  return kept === null ? { ...outcome, worktree: null, branch: null } : outcome;
}
