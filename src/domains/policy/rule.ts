/** What a policy is made of. */
import type { AgentTier } from '../skills/schema.ts';
import type { ToolPattern } from './patterns.ts';

export type Effect = 'allow' | 'ask' | 'deny';

export interface Rule {
  readonly effect: Effect;
  readonly tool: ToolPattern;
  /** A glob over the name of the skill that the call is made for. */
  readonly skill?: string;
  readonly agent_tier?: readonly AgentTier[];
  /** A glob over the root that the skill comes from, as `colibri list` shows it. */
  readonly root?: string;
  /** Lifts the limits that the skill's own `allowed-tools` set; see docs/policy.md. */
  readonly widen?: boolean;
  /** Shown to whoever is asked or refused. */
  readonly reason?: string;
}

/** Decides where skills may come from. */
export interface InstallRule {
  readonly effect: Effect;
  /** A glob over the source as docs/install.md spells it. */
  readonly source: string;
  readonly reason?: string;
}

export interface Profile {
  readonly rules: readonly Rule[];
}

export interface Policy {
  readonly profiles: Readonly<Record<string, Profile>>;
  /** The profile in force. */
  readonly use: string;
  /** In order: the first that matches a source decides it. */
  readonly install: readonly InstallRule[];
  /** Whether scripts may run where there is no sandbox. */
  readonly unsandboxed: boolean;
  /** What a script in the sandbox may reach. */
  readonly network: 'none' | 'host';
}
