/** Watches a run from its start to its end: time, silence, tokens, and whoever wants it stopped. */

import type { Clock } from '../../../lib/clock.ts';
import { createDeferred } from '../../../lib/deferred.ts';
import { ColibriError, messageOf } from '../../../lib/errors.ts';
import { RunFailure } from '../failure.ts';

export interface WatchLimits {
  readonly timeoutMs: number;
  readonly stallMs: number;
  readonly tokenBudget: number;
}

export interface Watch {
  /** Rejects with the first failure; never settles otherwise. */
  readonly failed: Promise<never>;
  /** Aborted with the first failure. */
  readonly signal: AbortSignal;
  fail(failure: RunFailure): void;
  /** Something was heard of the agent. */
  heard(): void;
  tool(status: 'started' | 'finished'): void;
  used(tokens: number): void;
  tokens(): number;
  /** The work, or the failure that came first. */
  race<T>(work: Promise<T>): Promise<T>;
  stop(): void;
}

const TICK_MS_MIN = 25;
const TICK_MS_MAX = 1_000;
/** A long build is silent without being hung. */
const TOOL_PATIENCE = 3;

export function createWatch(
  limits: WatchLimits,
  {
    clock,
    signal,
    onTick,
  }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined; readonly onTick: () => void },
): Watch {
  const failed = createDeferred<never>();
  const ending = new AbortController();
  let lastHeard = clock.monotonic();
  let toolsRunning = 0;
  let tokens = 0;
  const fail = (failure: RunFailure): void => {
    if (ending.signal.aborted) return;
    ending.abort(failure);
    failed.reject(failure);
  };
  const onAbort = (): void => fail(stopOf(signal?.reason));
  const deadline = setTimeout(
    () => fail(new RunFailure('DEADLINE', `it ran longer than ${limits.timeoutMs} ms`)),
    limits.timeoutMs,
  );
  const tick = setInterval(
    () => {
      onTick();
      const silent = clock.monotonic() - lastHeard;
      const patience = limits.stallMs * (toolsRunning > 0 ? TOOL_PATIENCE : 1);
      if (silent > patience) fail(new RunFailure('STALLED', `nothing was heard of it for ${patience} ms`));
    },
    Math.min(TICK_MS_MAX, Math.max(TICK_MS_MIN, limits.stallMs / 4)),
  );
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  return {
    failed: failed.promise,
    signal: ending.signal,
    fail,
    heard: () => {
      lastHeard = clock.monotonic();
    },
    tool: (status) => {
      toolsRunning = Math.max(0, toolsRunning + (status === 'started' ? 1 : -1));
    },
    used(total) {
      // A count that goes back is a mistake of the agent, and must not win it anything.
      tokens = Math.max(tokens, total);
      if (tokens <= limits.tokenBudget) return;
      const detail = `it used ${tokens} tokens, and ${limits.tokenBudget} were its budget`;
      fail(new RunFailure('BUDGET_EXCEEDED', detail));
    },
    tokens: () => tokens,
    race: (work) => Promise.race([work, failed.promise]),
    stop() {
      clearTimeout(deadline);
      clearInterval(tick);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

function stopOf(reason: unknown): RunFailure {
  const lost = reason instanceof ColibriError && reason.code === 'LEASE_LOST';
  return new RunFailure(lost ? 'LEASE_LOST' : 'CANCELLED', messageOf(reason ?? 'somebody stopped it'));
}
