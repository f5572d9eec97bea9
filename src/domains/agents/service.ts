/** Profiles, agents and their runs. A task is known here only as an id and the values that come with it. */
import type { RecordTransaction } from '../../db/database.ts';
import type { Json } from '../../lib/json.ts';
import type { Agents } from './agents-service.ts';
import type { Profiles } from './profiles-service.ts';
import type {
  Agent,
  PhaseResult,
  Reconciliation,
  RunFacts,
  RunOutcome,
  RunProgress,
  RunSpec,
} from './schema.ts';

export interface AgentsService
  extends Omit<Agents, 'move'>,
    Pick<Profiles, 'profiles' | 'profile' | 'profileReport' | 'saveProfile'> {
  /** Exactly what the agent was handed at its start; null before it was started. */
  envelope(id: string): Promise<Json>;
  /** Runs an allocated agent to its end. Never throws for what the agent did; a lost lease is an outcome too. */
  supervise(spec: RunSpec, hooks: RunHooks, options?: SuperviseOptions): Promise<RunOutcome>;
  /** Ends what dead supervisors left: processes, worktrees, agents that no longer run. */
  reconcile(): Promise<Reconciliation>;
  /** Cancels every run of this process and comes back when all of them have ended. */
  close(): Promise<void>;
}

export interface SuperviseOptions {
  /**
   * Ends the run. With a ColibriError of the code LEASE_LOST as its reason everything is killed and nothing is written,
   * because the rows belong to somebody else; with any other reason the agent is FAILED as CANCELLED.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Where the owner of the task takes part in a run. */
export interface RunHooks {
  /** In every transaction of the run: throws ColibriError LEASE_LOST when the task is somebody else's by now. */
  guard(transaction: RecordTransaction): Promise<void>;
  /** Called once the agent is BUSY. Runs the phases; when it comes back, the agent has nothing more to do. */
  drive(agent: LiveAgent): Promise<void>;
  /** In the transaction that ends a successful run: what is missing, or null. */
  checkWriteback(transaction: RecordTransaction, facts: RunFacts): Promise<string | null>;
  /** In the transaction that ends the run, whichever way; never after a lost lease. */
  onEnd?(transaction: RecordTransaction, outcome: RunOutcome): Promise<void>;
  onProgress?(progress: RunProgress): void;
}

/** An agent that has shown its tools and waits for work. */
export interface LiveAgent {
  readonly agent: Agent;
  readonly worktree: string;
  readonly branch: string;
  /** Aborted when the run is being ended for whatever reason. */
  readonly signal: AbortSignal;
  /** One phase after the other. A phase that failed is a result; an agent that died, stalled or overspent throws. */
  runPhase(phase: string, input: Json): Promise<PhaseResult>;
}
