/** The catalog as it was at one generation: today's rows that are old enough, and archived ones that were valid then. */
import type Database from 'better-sqlite3';

import { findBody } from './body-repository.ts';
import { bodyVersion } from './parse.ts';
import { prepared } from './prepared-repository.ts';
import type { SnapshotDetail, SnapshotSkill } from './snapshot.ts';

const COLUMNS = `name, description, source, root, source_path AS path, tier, invokable_by, model_invocable, compatibility, allowed_tools,
  triggers, body_tokens`;
const DETAIL_COLUMNS = `${COLUMNS}, version, capabilities, greek_letter, directory,
  disallowed_tools, when_to_use, user_invocable, argument_hint, arguments, digest, body_version, diagnostics,
  frontmatter_json AS frontmatter, body`;

/** All skills of a generation, by name. */
export function snapshotSkills(db: Database.Database, generation: number): readonly SnapshotSkill[] {
  const sql = `SELECT ${COLUMNS} FROM skills WHERE generation <= :generation
    UNION ALL SELECT ${COLUMNS} FROM archived_skills WHERE valid_from <= :generation AND valid_to > :generation
    ORDER BY name`;
  return (prepared(db, sql).all({ generation }) as Record<string, unknown>[]).map((row) =>
    decode<SnapshotSkill>(row),
  );
}

/** One skill of a generation without its text, which may have to be read from a file. */
export function snapshotHead(db: Database.Database, generation: number, name: string): SnapshotSkill | null {
  const sql = `SELECT ${COLUMNS} FROM skills WHERE name = :name AND generation <= :generation
    UNION ALL SELECT ${COLUMNS} FROM archived_skills
      WHERE name = :name AND valid_from <= :generation AND valid_to > :generation`;
  const row = prepared(db, sql).get({ generation, name }) as Record<string, unknown> | undefined;
  return row === undefined ? null : decode<SnapshotSkill>(row);
}

export function snapshotSkill(
  db: Database.Database,
  generation: number,
  name: string,
): SnapshotDetail | null {
  const sql = `SELECT ${DETAIL_COLUMNS} FROM skills WHERE name = :name AND generation <= :generation
    UNION ALL SELECT ${DETAIL_COLUMNS} FROM archived_skills
      WHERE name = :name AND valid_from <= :generation AND valid_to > :generation`;
  const row = prepared(db, sql).get({ generation, name }) as Record<string, unknown> | undefined;
  if (row === undefined) return null;
  const detail = decode<SnapshotDetail>(row);
  const body = findBody(db, detail);
  return { ...detail, body, body_version: bodyVersion(body) };
}

const JSON_COLUMNS = [
  'invokable_by',
  'allowed_tools',
  'triggers',
  'capabilities',
  'disallowed_tools',
  'arguments',
  'diagnostics',
  'frontmatter',
];
const FLAG_COLUMNS = ['model_invocable', 'user_invocable'];

/** The columns were written by `skillRowValues`, so their JSON has the types of `T`. */
function decode<T>(row: Record<string, unknown>): T {
  for (const column of JSON_COLUMNS) if (column in row) row[column] = JSON.parse(String(row[column]));
  for (const column of FLAG_COLUMNS) if (column in row) row[column] = row[column] === 1;
  return row as T;
}
