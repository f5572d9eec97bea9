/** Reads of the index that a list takes, and no more: a command that only lists must not load what reads files. */
import type Database from 'better-sqlite3';

import { foldCase } from '../../lib/text.ts';
import { currentGeneration } from './generation-repository.ts';
import { prepared } from './prepared-repository.ts';
import type { AgentTier, SkillTier } from './schema.ts';
import { FIELD_SEPARATOR } from './search-text.ts';
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

export interface SkillFilters {
  readonly search?: string | undefined;
  readonly capability?: string | undefined;
}

export interface SkillPageFilters extends SkillFilters {
  /** Only names after this one. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export const SUMMARY_COLUMNS: string = `name, version, description, capabilities, greek_letter, source_path AS path,
  tier, invokable_by, source, directory AS source_dir`;
/** Columns of it that hold JSON. */
export const SUMMARY_JSON: readonly string[] = ['capabilities', 'invokable_by'];

export function findSummaries(
  db: Database.Database,
  filters: SkillPageFilters = {},
): readonly SkillSummary[] {
  const rows = filteredSkills(db, SUMMARY_COLUMNS, filters) as Record<string, unknown>[];
  return rows.map((row) => decodeJson<SkillSummary>(row, SUMMARY_JSON));
}

/**
 * Name, version, source and description of each skill in one line, parted by tabs. SQLite puts them together, because a
 * row of cells costs more to hand over than to read. Breaks and tabs within a cell become blanks.
 */
export function findLines(db: Database.Database, filters: SkillFilters): readonly string[] {
  const rows = filteredSkills(db, `${LINE_CELLS.map(inOneLine).join(' || char(9) || ')} AS line`, filters);
  return (rows as { line: string }[]).map(({ line }) => line);
}

const LINE_CELLS: readonly string[] = ['name', "ifnull(version, '-')", 'source', 'description'];

function inOneLine(cell: string): string {
  return `replace(replace(${cell}, char(10), ' '), char(9), ' ')`;
}

export function countSkills(db: Database.Database, filters: SkillFilters = {}): number {
  const [row] = filteredSkills(db, 'count(*) AS count', filters) as { count: number }[];
  return row?.count ?? 0;
}

const totals = new WeakMap<Database.Database, { readonly generation: number; readonly skills: number }>();

/** All skills. Counting takes the longer the more there are, so it is done once for each state of the index. */
export function totalSkills(db: Database.Database): number {
  const generation = currentGeneration(db);
  const known = totals.get(db);
  if (known?.generation === generation) return known.skills;
  const skills = countSkills(db);
  totals.set(db, { generation, skills });
  return skills;
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

// `instr` takes the text literally, so `%`, `_` and `\\` need no escaping. Rows without search_text are folded on the
// spot: by SQLite where every character is a byte, because it knows no other letters.
const SEARCH_SQL = `instr(CASE
    WHEN search_text <> '' THEN search_text
    WHEN length(name) + length(description) = octet_length(name) + octet_length(description)
    THEN lower(name) || char(${FIELD_SEPARATOR.charCodeAt(0)}) || lower(description)
    ELSE colibri_search_text(name, description)
  END, :search) > 0`;

/** The columns were written by `skillRowValues`, so their JSON has the types of `T`. */
export function decodeJson<T>(row: Record<string, unknown>, columns: readonly string[]): T {
  for (const column of columns) row[column] = JSON.parse(String(row[column]));
  return row as T;
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
