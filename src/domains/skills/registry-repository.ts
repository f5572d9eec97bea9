/** Reads of the whole index: everything a row holds, beyond the contracted `SkillRow`. */
import type Database from 'better-sqlite3';

import type { Diagnostic } from '../../lib/diagnostics.ts';
import { foldCase } from '../../lib/text.ts';
import type { AgentTier, SkillFrontmatter, SkillTier, WorkflowStep } from './schema.ts';
import { type SkillSource, searchText } from './skill-row.ts';

/** What a list shows of a skill: the union of the concept's and the contract's fields. */
export interface SkillSummary {
  readonly name: string;
  readonly version: string | null;
  readonly description: string;
  readonly capabilities: readonly string[];
  readonly greek_letter: string | null;
  /** Path of SKILL.md, relative to the workspace where it lies inside. */
  readonly path: string;
  readonly tier: SkillTier;
  readonly invokable_by: readonly AgentTier[];
  readonly source: SkillSource;
  /** The skill's own directory. */
  readonly source_dir: string;
}

/** Everything the index knows of one skill. */
export interface SkillDetail extends SkillSummary {
  readonly entrypoint: string | null;
  readonly category: string | null;
  readonly license: string | null;
  readonly compatibility: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly allowed_tools: readonly string[];
  readonly triggers: readonly string[];
  readonly required_tools: readonly string[];
  readonly workflow: readonly WorkflowStep[];
  readonly verification: readonly string[];
  readonly root: string;
  readonly digest: string;
  readonly body_version: string;
  readonly body_tokens: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly frontmatter: SkillFrontmatter;
  readonly loaded_at: string;
  readonly body: string;
}

export interface SkillFilters {
  readonly search?: string | undefined;
  readonly capability?: string | undefined;
}

// `instr` takes the text literally, so `%`, `_` and `\` need no escaping. Rows written without search_text are folded
// on the spot. The first capability test is cheap and may say yes too often; the second is exact.
export const SKILL_FILTER_SQL = `
  (:search IS NULL
    OR instr(CASE search_text WHEN '' THEN colibri_search_text(name, description) ELSE search_text END, :search) > 0)
  AND (:capability IS NULL
    OR (instr(capabilities, :token) > 0
      AND EXISTS (SELECT 1 FROM json_each(skills.capabilities) WHERE value = :capability)))
  ORDER BY name ASC`;

/** An empty filter is no filter. */
export function skillFilterParameters(filters: SkillFilters): Readonly<Record<string, string | null>> {
  const capability = filters.capability || null;
  return {
    search: filters.search ? foldCase(filters.search) : null,
    capability,
    token: capability === null ? null : JSON.stringify(capability),
  };
}

/** Statements made once per connection; the SQL function that the filter needs comes with them. */
export function preparedOnce<T>(prepare: (db: Database.Database) => T): (db: Database.Database) => T {
  const made = new WeakMap<Database.Database, T>();
  return (db) => {
    const known = made.get(db);
    if (known !== undefined) return known;
    db.function('colibri_search_text', { deterministic: true }, (name, description) =>
      searchText(String(name), String(description)),
    );
    const fresh = prepare(db);
    made.set(db, fresh);
    return fresh;
  };
}

const SUMMARY_COLUMNS = `name, version, description, capabilities, greek_letter, source_path AS path,
  tier, invokable_by, source, directory AS source_dir`;

const statements = preparedOnce((db) => ({
  summaries: db.prepare(`SELECT ${SUMMARY_COLUMNS} FROM skills WHERE ${SKILL_FILTER_SQL}`),
  detail: db.prepare(
    `SELECT ${SUMMARY_COLUMNS}, entrypoint, category, license, compatibility, metadata, allowed_tools, triggers,
       required_tools, workflow, verification, root, digest, body_version, body_tokens, diagnostics,
       frontmatter_json AS frontmatter, loaded_at, body
     FROM skills WHERE name = ?`,
  ),
  names: db.prepare('SELECT name FROM skills ORDER BY name').pluck(),
}));

export function findSummaries(db: Database.Database, filters: SkillFilters = {}): readonly SkillSummary[] {
  const rows = statements(db).summaries.all(skillFilterParameters(filters)) as Record<string, unknown>[];
  return rows.map((row) => decodeJson<SkillSummary>(row, SUMMARY_JSON));
}

export function findDetail(db: Database.Database, name: string): SkillDetail | null {
  const row = statements(db).detail.get(name) as Record<string, unknown> | undefined;
  return row === undefined ? null : decodeJson<SkillDetail>(row, DETAIL_JSON);
}

export function allNames(db: Database.Database): readonly string[] {
  return statements(db).names.all() as string[];
}

const SUMMARY_JSON = ['capabilities', 'invokable_by'] as const;
const DETAIL_JSON = [
  ...SUMMARY_JSON,
  'metadata',
  'allowed_tools',
  'triggers',
  'required_tools',
  'workflow',
  'verification',
  'diagnostics',
  'frontmatter',
] as const;

/** The columns were written by `skillRowValues`, so their JSON has the types of `T`. */
function decodeJson<T>(row: Record<string, unknown>, columns: readonly string[]): T {
  for (const column of columns) row[column] = JSON.parse(String(row[column]));
  return row as T;
}
