/** The port through which runs are queued and worked off. Another engine has to pass the same contract tests. */
import type { RecordTransaction } from '../../db/database.ts';

export interface RunRequest {
  /** Asking for the same run again changes nothing. */
  readonly runId: string;
  readonly queue: string;
  /** Runs of one partition share a limit; '' has none. */
  readonly partition: string;
  /** Higher goes first; equal ones in order of `runAt`. */
  readonly priority: number;
  /** Milliseconds since 1970; default: now. */
  readonly runAt?: number | undefined;
}

export type RunState = 'queued' | 'running' | 'done' | 'dead' | 'cancelled';

export interface RunStatus {
  readonly run_id: string;
  readonly state: RunState;
  readonly epoch: number;
  readonly owner: string | null;
  readonly claims: number;
  readonly reason: string | null;
}

/** The right to work on a run, until the lease ends. */
export interface Claim {
  readonly runId: string;
  /** Grows with each claim: whoever holds an older one has lost the run. */
  readonly epoch: number;
  /** How many times the run was claimed since it last got on. */
  readonly claims: number;
  /** Aborted with a ColibriError: LEASE_LOST when somebody else has it now, RUN_CANCELLED when it is not wanted. */
  readonly signal: AbortSignal;
  /** Throws LEASE_LOST. Called in the transaction of every write that the run makes. */
  guard(transaction: RecordTransaction): Promise<void>;
  /** The run has got on, so the next failure is not one more of the same: its claims are counted anew. */
  advance(transaction: RecordTransaction): Promise<void>;
}

/** What becomes of a run whose work has come to an end. */
export type Verdict =
  | { readonly kind: 'done' }
  /** Back into the queue; it has not failed. */
  | { readonly kind: 'again'; readonly runAt: number };

/** A handler that throws, and a worker that dies, cost the run one of its claims. */
export type RunHandler = (claim: Claim) => Promise<Verdict>;

export interface WorkOptions {
  readonly handler: RunHandler;
  /** Runs at the same time. */
  readonly lanes: number;
  /** Only this run. */
  readonly only?: string | undefined;
  /** Most runs of a partition at the same time, over all workers. */
  readonly limitOf?: ((partition: string) => Promise<number>) | undefined;
  /** In the transaction that gives up a run whose worker did not bring it to an end. */
  readonly onGivenUp?: ((transaction: RecordTransaction, run: GivenUp) => Promise<void>) | undefined;
}

export interface GivenUp {
  readonly runId: string;
  /** `dead`: it has used up its claims. `cancelled`: nobody wants it any more. */
  readonly state: 'dead' | 'cancelled';
  readonly reason: string;
}

export interface Worker {
  /** Settles when nothing is queued or running here any more, also not for later. */
  drained(): Promise<void>;
  /** Takes no more runs; waits so long for those under way, then lets go of them for others. */
  stop(how?: { readonly drainMs?: number }): Promise<void>;
}

export interface Engine {
  enqueue(run: RunRequest, transaction?: RecordTransaction): Promise<'new' | 'exists'>;
  /** `asked`: whoever has it will hear of it. `settled`: it has ended, or was never there. */
  cancel(runId: string, transaction?: RecordTransaction): Promise<'cancelled' | 'asked' | 'settled'>;
  status(runId: string): Promise<RunStatus | null>;
  work(options: WorkOptions): Worker;
}
