/** Skills as they stood at one state of the catalog. */
import type { Diagnostic } from '../../lib/diagnostics.ts';
import type { AgentTier, SkillFrontmatter, SkillTier } from './schema.ts';
import type { SkillSource } from './skill-row.ts';

/** What a catalog and a search need of a skill. */
export interface SnapshotSkill {
  readonly name: string;
  readonly description: string;
  readonly source: SkillSource;
  readonly root: string;
  /** Of its SKILL.md, as displayed. */
  readonly path: string;
  readonly tier: SkillTier;
  readonly invokable_by: readonly AgentTier[];
  readonly model_invocable: boolean;
  readonly compatibility: string | null;
  readonly allowed_tools: readonly string[];
  readonly triggers: readonly string[];
  readonly body_tokens: number;
}

/** What a load needs of a skill. */
export interface SnapshotDetail extends SnapshotSkill {
  readonly version: string | null;
  readonly capabilities: readonly string[];
  readonly greek_letter: string | null;
  readonly directory: string;
  readonly disallowed_tools: readonly string[];
  readonly when_to_use: string | null;
  readonly user_invocable: boolean;
  readonly argument_hint: string | null;
  readonly arguments: readonly string[];
  readonly digest: string;
  readonly body_version: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly frontmatter: SkillFrontmatter;
  readonly body: string;
}
