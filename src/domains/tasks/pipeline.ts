/** The pipeline (β): which step a task may take, where an attempt goes on, and what becomes of a failed one. Pure. */
import { type Checkpoint, PHASES, type Phase, type Task, type TaskState } from './schema.ts';

const FORWARD: Readonly<Partial<Record<TaskState, TaskState>>> = {
  INIT: 'GATHER',
  GATHER: 'ANALYZE',
  ANALYZE: 'PLAN',
  PLAN: 'APPLY',
  APPLY: 'VERIFY',
  VERIFY: 'DONE',
};

/** APPLY is missing: whatever it did is verified before anything else happens. */
const RETRIED_FROM: ReadonlySet<TaskState> = new Set(['GATHER', 'ANALYZE', 'PLAN', 'VERIFY', 'BLOCKED']);
const CLOSED: ReadonlySet<TaskState> = new Set(['DONE', 'CANCELLED']);

/** A place in the pipeline. */
export interface Step {
  readonly state: TaskState;
  readonly attempt: number;
}

export function isLegalStep(from: Step, to: Step): boolean {
  if (to.attempt === from.attempt + 1) return to.state === 'GATHER' && RETRIED_FROM.has(from.state);
  if (to.attempt !== from.attempt || CLOSED.has(from.state)) return false;
  if (to.state === 'CANCELLED') return true;
  if (to.state === 'BLOCKED') return from.state !== 'BLOCKED';
  return FORWARD[from.state] === to.state;
}

export function isClosed(state: TaskState): boolean {
  return CLOSED.has(state);
}

/**
 * The phases that are left of an attempt, from the first unfinished one. VERIFY is over only with the writeback, which
 * makes the task DONE: whoever takes over in between verifies again, and writes back in its own name.
 */
export function remainingPhases(checkpoints: readonly Checkpoint[], attempt: number): readonly Phase[] {
  const ended = (phase: Phase) =>
    checkpoints.some(
      (checkpoint) =>
        checkpoint.attempt === attempt &&
        checkpoint.phase === phase &&
        // A failed APPLY is over as well: what is left to do is to verify it.
        (checkpoint.status === 'ok' || (phase === 'APPLY' && checkpoint.status === 'failed')),
    );
  const first = PHASES.findIndex((phase) => !ended(phase));
  return first === -1 ? ['VERIFY'] : PHASES.slice(first);
}

const RETRY_BASE_MS = 1000;
const RETRY_FACTOR = 4;

/** 1 s, 4 s, 16 s …: how long to wait after this many failed attempts. */
export function backoffMs(failedAttempts: number): number {
  return RETRY_BASE_MS * RETRY_FACTOR ** Math.max(0, failedAttempts - 1);
}

export type AfterFailure =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'block'; readonly why: string };

/** Only what may pass by itself is tried again, and not for ever. */
export function afterFailure(
  task: Pick<Task, 'attempt' | 'max_attempts'>,
  failure: { readonly transient: boolean },
): AfterFailure {
  if (!failure.transient) return { kind: 'block', why: 'trying again would not help' };
  if (task.attempt >= task.max_attempts) {
    return { kind: 'block', why: `${task.attempt} of ${task.max_attempts} attempts have failed` };
  }
  return { kind: 'retry', delayMs: backoffMs(task.attempt) };
}

/** The ways of failing that another attempt may not meet again. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'INIT_TIMEOUT',
  'STALLED',
  'CRASH',
  'LEASE_LOST',
  'HOST_LOST',
]);

export function isTransient(code: string): boolean {
  return TRANSIENT_CODES.has(code);
}
