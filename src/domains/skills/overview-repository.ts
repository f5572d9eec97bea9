/** One line per skill with what a person sorts and filters by. */
import type Database from 'better-sqlite3';
import type { AgentTier, SkillTier } from './schema.ts';
import type { SkillSource } from './skill-row.ts';
import { filteredSkills, type SkillFilters } from './summary-repository.ts';

export interface SkillOverview {
  readonly name: string;
  readonly version: string | null;
  readonly description: string;
  readonly source: SkillSource;
  readonly root: string;
  readonly path: string;
  readonly tier: SkillTier;
  readonly invokable_by: readonly AgentTier[];
  readonly capabilities: readonly string[];
  readonly category: string | null;
  readonly body_tokens: number;
  readonly model_invocable: boolean;
  readonly user_invocable: boolean;
  /** Diagnostics of the skill; none of them an error, or it would not be indexed. */
  readonly warnings: number;
  /** Other skills of this name that lost it to this one. */
  readonly copies: number;
  readonly digest: string;
}

export interface OverviewPage extends SkillFilters {
  readonly after?: string | undefined;
  readonly limit: number;
}

const COLUMNS = `name, version, description, source, root, source_path AS path, tier, invokable_by, capabilities, category,
  body_tokens, model_invocable, user_invocable, json_array_length(diagnostics) AS warnings,
  (SELECT count(*) FROM skill_shadowed WHERE skill_shadowed.name = skills.name) AS copies, digest`;

export function findOverview(db: Database.Database, page: OverviewPage): readonly SkillOverview[] {
  const rows = filteredSkills(db, COLUMNS, page) as (Omit<SkillOverview, JsonColumn | FlagColumn> &
    Record<JsonColumn, string> &
    Record<FlagColumn, number>)[];
  return rows.map((row) => ({
    ...row,
    // Written from the same types by the scan.
    invokable_by: JSON.parse(row.invokable_by) as AgentTier[],
    capabilities: JSON.parse(row.capabilities) as string[],
    model_invocable: row.model_invocable === 1,
    user_invocable: row.user_invocable === 1,
  }));
}

type JsonColumn = 'invokable_by' | 'capabilities';
type FlagColumn = 'model_invocable' | 'user_invocable';
