/** What a SKILL.md says, as values. */
import type { Json } from '../../lib/json.ts';

/** How severe a finding is depends on it; see docs/skill-format.md. */
export type Profile = 'strict' | 'lenient' | 'publish';

export type AgentTier = 'T0' | 'T1' | 'T2' | 'T3' | 'T4';

export type SkillTier = 1 | 2 | 3;

/** The frontmatter as JSON, with every field exactly as written. */
export interface SkillFrontmatter {
  readonly [field: string]: Json;
}

export interface WorkflowStep {
  readonly step: string;
  readonly tool: string | null;
  readonly params: Readonly<Record<string, Json>>;
}

/** The fields that Colibri understands, read from the top level or from `metadata."colibri.<field>"`. */
export interface SkillFields {
  readonly name: string;
  readonly description: string;
  readonly license: string | null;
  readonly compatibility: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly allowedTools: readonly string[];
  readonly version: string | null;
  readonly entrypoint: string | null;
  readonly capabilities: readonly string[];
  readonly greekLetter: string | null;
  readonly tier: SkillTier;
  readonly invokableBy: readonly AgentTier[];
  readonly category: string | null;
  readonly triggers: readonly string[];
  readonly requiredTools: readonly string[];
  readonly workflow: readonly WorkflowStep[];
  readonly verification: readonly string[];
  readonly disableModelInvocation: boolean;
  readonly userInvocable: boolean;
  readonly argumentHint: string | null;
  readonly arguments: readonly string[];
  readonly whenToUse: string | null;
  readonly disallowedTools: readonly string[];
  readonly model: string | null;
}

export interface ParsedSkill extends SkillFields {
  readonly frontmatter: SkillFrontmatter;
  readonly body: string;
  /** sha256 of the file's bytes, hex. */
  readonly digest: string;
  /** The first 16 hex digits of the body's sha256. */
  readonly bodyVersion: string;
  /** An estimate: a quarter of the body's code points, at least 1. */
  readonly bodyTokens: number;
}
