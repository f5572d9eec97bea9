/** Reads of the whole index: everything a row holds, beyond the contracted `SkillRow`. */
import type Database from 'better-sqlite3';

import type { Diagnostic } from '../../lib/diagnostics.ts';
import { foldCase } from '../../lib/text.ts';
import { type BodyPlace, findBody } from './body-repository.ts';
import { bodyVersion } from './parse.ts';
import { prepared } from './prepared-repository.ts';
import type { IndexedSkill, RegistryRecords } from './report.ts';
import type { RejectedSkill, ShadowedSkill, SkillAlias } from './scan/scan-repository.ts';
import type { AgentTier, SkillFrontmatter, SkillTier, WorkflowStep } from './schema.ts';
import type { SkillSource } from './skill-row.ts';

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
  readonly user_invocable: boolean;
  readonly model_invocable: boolean;
  readonly argument_hint: string | null;
  readonly arguments: readonly string[];
  readonly when_to_use: string | null;
  readonly disallowed_tools: readonly string[];
  readonly model: string | null;
  readonly body: string;
}

/** A skill as a command that a person can give. */
export interface SkillCommand {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly string[];
  readonly argument_hint: string | null;
  readonly body: string;
}

export interface SkillFilters {
  readonly search?: string | undefined;
  readonly capability?: string | undefined;
}

export interface SkillPageFilters extends SkillFilters {
  /** Only names after this one. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

const SUMMARY_COLUMNS = `name, version, description, capabilities, greek_letter, source_path AS path,
  tier, invokable_by, source, directory AS source_dir`;
const DETAIL_COLUMNS = `${SUMMARY_COLUMNS}, entrypoint, category, license, compatibility, metadata, allowed_tools,
  triggers, required_tools, workflow, verification, root, digest, body_version, body_tokens, diagnostics,
  frontmatter_json AS frontmatter, loaded_at, user_invocable, model_invocable, argument_hint, arguments, when_to_use,
  disallowed_tools, model, body`;

export function findSummaries(
  db: Database.Database,
  filters: SkillPageFilters = {},
): readonly SkillSummary[] {
  const rows = filteredSkills(db, SUMMARY_COLUMNS, filters) as Record<string, unknown>[];
  return rows.map((row) => decodeJson<SkillSummary>(row, SUMMARY_JSON));
}

export function countSkills(db: Database.Database, filters: SkillFilters = {}): number {
  const [row] = filteredSkills(db, 'count(*) AS count', filters) as { count: number }[];
  return row?.count ?? 0;
}

export function findDetail(db: Database.Database, name: string): SkillDetail | null {
  const statement = prepared(db, `SELECT ${DETAIL_COLUMNS} FROM skills WHERE name = ?`);
  const row = statement.get(name) as Record<string, unknown> | undefined;
  if (row === undefined) return null;
  for (const flag of ['user_invocable', 'model_invocable']) row[flag] = row[flag] === 1;
  const detail = decodeJson<SkillDetail>(row, DETAIL_JSON);
  const body = findBody(db, { ...detail, directory: detail.source_dir });
  return { ...detail, body, body_version: bodyVersion(body) };
}

export function findSummary(db: Database.Database, name: string): SkillSummary | null {
  const row = prepared(db, `SELECT ${SUMMARY_COLUMNS} FROM skills WHERE name = ?`).get(name);
  return row === undefined ? null : decodeJson<SkillSummary>(row as Record<string, unknown>, SUMMARY_JSON);
}

export function allNames(db: Database.Database): readonly string[] {
  return (prepared(db, 'SELECT name FROM skills ORDER BY name').all() as { name: string }[]).map(
    ({ name }) => name,
  );
}

/** Rows of `skills` that match all given filters, by name. An empty filter is no filter. */
export function filteredSkills(db: Database.Database, columns: string, filters: SkillPageFilters): unknown[] {
  const conditions: string[] = [];
  if (filters.search) conditions.push(SEARCH_SQL);
  if (filters.capability) {
    conditions.push('name IN (SELECT name FROM skill_capabilities WHERE capability = :capability)');
  }
  if (filters.after !== undefined) conditions.push('name > :after');
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const limit = filters.limit === undefined ? '' : 'LIMIT :limit';
  return prepared(db, `SELECT ${columns} FROM skills ${where} ORDER BY name ASC ${limit}`).all({
    search: foldCase(filters.search ?? ''),
    capability: filters.capability,
    after: filters.after,
    limit: filters.limit,
  });
}

// `instr` takes the text literally, so `%`, `_` and `\\` need no escaping. Rows written without search_text are folded
// on the spot.
const SEARCH_SQL =
  "instr(CASE search_text WHEN '' THEN colibri_search_text(name, description) ELSE search_text END, :search) > 0";

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
  'arguments',
  'disallowed_tools',
] as const;

/** The columns were written by `skillRowValues`, so their JSON has the types of `T`. */
function decodeJson<T>(row: Record<string, unknown>, columns: readonly string[]): T {
  for (const column of columns) row[column] = JSON.parse(String(row[column]));
  return row as T;
}

/** User-invocable skills by name, without their bodies. */
export function findCommands(
  db: Database.Database,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
): readonly Omit<SkillCommand, 'body'>[] {
  const sql = `SELECT name, description, arguments, argument_hint FROM skills
    WHERE user_invocable = 1 AND name > ? ORDER BY name LIMIT ?`;
  const rows = prepared(db, sql).all(after, limit) as Record<string, unknown>[];
  return rows.map((row) => decodeJson<SkillCommand>(row, ['arguments']));
}

export function findCommand(db: Database.Database, name: string): SkillCommand | null {
  const sql = `SELECT name, description, arguments, argument_hint, body, digest, root, directory FROM skills
    WHERE user_invocable = 1 AND name = ?`;
  const row = prepared(db, sql).get(name) as Record<string, unknown> | undefined;
  if (row === undefined) return null;
  const { digest, root, directory, ...command } = decodeJson<SkillCommand & BodyPlace>(row, ['arguments']);
  return { ...command, body: findBody(db, { ...command, digest, root, directory }) };
}

export function findShadowed(db: Database.Database, name?: string): readonly ShadowedSkill[] {
  const where = name === undefined ? '' : 'WHERE name = :name';
  const sql = `SELECT directory, name, description, version, source, root, source_path AS path, digest, winner_path
    FROM skill_shadowed ${where} ORDER BY name, directory`;
  return prepared(db, sql).all(name === undefined ? {} : { name }) as ShadowedSkill[];
}

export function findRejections(db: Database.Database): readonly RejectedSkill[] {
  const sql =
    'SELECT directory, root, source, lenient_ok, diagnostics FROM skill_rejections ORDER BY directory';
  return (prepared(db, sql).all() as Record<string, unknown>[]).map((row) => ({
    ...decodeJson<RejectedSkill>(row, ['diagnostics']),
    lenient_ok: row['lenient_ok'] === 1,
  }));
}

export function findAliases(db: Database.Database): readonly SkillAlias[] {
  return prepared(
    db,
    'SELECT directory, root, target FROM skill_aliases ORDER BY directory',
  ).all() as SkillAlias[];
}

/** Where each indexed skill lies and what was found about it, by name. */
function findIndexed(db: Database.Database): readonly IndexedSkill[] {
  const sql = `SELECT name, source_path AS path, directory, source, root, digest, diagnostics
    FROM skills ORDER BY name`;
  return (prepared(db, sql).all() as Record<string, unknown>[]).map((row) =>
    decodeJson<IndexedSkill>(row, ['diagnostics']),
  );
}

export type StoredRecords = Omit<RegistryRecords<ShadowedSkill, RejectedSkill, SkillAlias>, 'roots'>;

/** In one transaction, so that another process's scan is seen whole or not at all. */
export function findRecords(db: Database.Database): StoredRecords {
  return db.transaction(() => ({
    indexed: findIndexed(db),
    shadowed: findShadowed(db),
    rejected: findRejections(db),
    aliases: findAliases(db),
  }))();
}

/** Displayed roots that have at least one indexed skill. */
export function rootsWithSkills(db: Database.Database): readonly string[] {
  return prepared(db, 'SELECT DISTINCT root FROM skills ORDER BY root')
    .all()
    .map((row) => (row as { root: string }).root);
}

/** How much the registry holds. */
export interface RegistryCounts {
  readonly skills: number;
  readonly shadowed: number;
  readonly rejected: number;
  /** Of the rejected, those that the lenient profile would load. */
  readonly lenient_ok: number;
  readonly aliases: number;
}

export function registryCounts(db: Database.Database): RegistryCounts {
  const sql = `SELECT (SELECT count(*) FROM skills) AS skills, (SELECT count(*) FROM skill_shadowed) AS shadowed,
    (SELECT count(*) FROM skill_rejections) AS rejected,
    (SELECT count(*) FROM skill_rejections WHERE lenient_ok = 1) AS lenient_ok,
    (SELECT count(*) FROM skill_aliases) AS aliases`;
  return prepared(db, sql).get() as RegistryCounts;
}
