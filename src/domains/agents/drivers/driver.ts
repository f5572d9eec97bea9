/** What every way of speaking to an agent has in common. */
import type { Readable, Writable } from 'node:stream';

import type { Json } from '../../../lib/json.ts';
import type { Envelope } from '../envelope.ts';
import type { RunFailure } from '../failure.ts';

export interface AgentStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

export interface Hello {
  readonly name: string;
  /** Null where the protocol has no word for it. */
  readonly tools: readonly string[] | null;
  readonly reportsUsage: boolean | null;
}

export interface DriverPhase {
  readonly status: 'ok' | 'failed';
  readonly output: Json;
  readonly detail: string;
  readonly transient: boolean;
}

/** What the agent asks leave for. */
export interface PermissionRequest {
  /** In the words of the policy: `Bash`, `Edit`, `mcp__…`. */
  readonly tool: string;
  readonly argument: string | null;
  readonly writes: boolean;
  /** Absolute paths that it wants to touch. */
  readonly paths: readonly string[];
}

/** Told what happens while the agent works. */
export interface DriverListener {
  /** Anything at all was heard. */
  active(): void;
  /** All tokens of the run so far. */
  used(tokens: number): void;
  said(text: string): void;
  tool(name: string, status: 'started' | 'finished'): void;
  permits(request: PermissionRequest): Promise<boolean>;
  /** The agent can no longer be understood. */
  broke(failure: RunFailure): void;
}

export interface DriverSession {
  readonly hello: Hello;
  runPhase(phase: string, input: Json): Promise<DriverPhase>;
  /** Asks the agent to stop what it is doing. */
  cancel(reason: string): void;
  /** Says that nothing more will come; an agent that behaves ends by itself now. */
  end(): void;
}

export type StartDriver = (
  streams: AgentStreams,
  envelope: Envelope,
  listener: DriverListener,
) => Promise<DriverSession>;
