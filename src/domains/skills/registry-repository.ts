/** Reads of the whole index: everything a row holds, beyond the contracted `SkillRow`. */
import type Database from 'better-sqlite3';

import type { Diagnostic } from '../../lib/diagnostics.ts';
import { type BodyPlace, findBody } from './body-repository.ts';
import { bodyVersion } from './parse.ts';
import { prepared } from './prepared-repository.ts';
import type { IndexedSkill, RegistryRecords } from './report.ts';
import type { RejectedSkill, ShadowedSkill, SkillAlias } from './scan/scan-repository.ts';
import type { SkillFrontmatter, WorkflowStep } from './schema.ts';
import { decodeJson, type SkillSummary, SUMMARY_COLUMNS, SUMMARY_JSON } from './summary-repository.ts';

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

const DETAIL_COLUMNS = `${SUMMARY_COLUMNS}, entrypoint, category, license, compatibility, metadata, allowed_tools,
  triggers, required_tools, workflow, verification, root, digest, body_version, body_tokens, diagnostics,
  frontmatter_json AS frontmatter, loaded_at, user_invocable, model_invocable, argument_hint, arguments, when_to_use,
  disallowed_tools, model, body`;

export function findDetail(db: Database.Database, name: string): SkillDetail | null {
  const statement = prepared(db, `SELECT ${DETAIL_COLUMNS} FROM skills WHERE name = ?`);
  const row = statement.get(name) as Record<string, unknown> | undefined;
  if (row === undefined) return null;
  for (const flag of ['user_invocable', 'model_invocable']) row[flag] = row[flag] === 1;
  const detail = decodeJson<SkillDetail>(row, DETAIL_JSON);
  const body = findBody(db, { ...detail, directory: detail.source_dir });
  return { ...detail, body, body_version: bodyVersion(body) };
}

const DETAIL_JSON: readonly string[] = [
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
];

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
