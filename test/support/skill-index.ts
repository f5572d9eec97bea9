import path from 'node:path';

import type Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';

import { initDb } from '../../src/db/open.ts';
import {
  type LoadSkillsOptions,
  type LoadSkillsResult,
  loadSkillsFromDisk,
} from '../../src/domains/skills/repository.ts';
import { fixedClock } from './fixed-clock.ts';
import { temporaryDirectory } from './temporary.ts';

export interface TestIndex {
  readonly db: Database.Database;
  readonly workspace: string;
  /** `<workspace>/.agents/skills`; not made yet. */
  readonly root: string;
  /** What was logged, one line per call. */
  readonly lines: string[];
  /** Scans `root`, or another one. */
  load(root?: string, options?: LoadSkillsOptions): LoadSkillsResult;
}

/** A migrated database in memory and a workspace on disk, both gone when the test ends. */
export function testIndex(): TestIndex {
  const workspace = temporaryDirectory();
  const root = path.join(workspace, '.agents', 'skills');
  const db = openMemory();
  const lines: string[] = [];
  return {
    db,
    workspace,
    root,
    lines,
    load: (from = root, options = {}) =>
      loadSkillsFromDisk(db, from, (...args) => lines.push(args.map(String).join(' ')), {
        workspace,
        clock: fixedClock(),
        ...options,
      }),
  };
}

export function openMemory(): Database.Database {
  const db = initDb(':memory:');
  onTestFinished(() => {
    db.close();
  });
  return db;
}

/** A row as a writer makes it that knows only the ten contracted columns. */
export function seedContractedRow(
  db: Database.Database,
  name: string,
  values: { readonly description?: string; readonly capabilities?: readonly string[] } = {},
): void {
  db.prepare(
    `INSERT INTO skills (name, description, version, entrypoint, capabilities, greek_letter, body, source_path,
       frontmatter_json, loaded_at)
     VALUES (?, ?, NULL, NULL, ?, NULL, 'body', ?, '{}', '2026-01-01T00:00:00.000Z')`,
  ).run(
    name,
    values.description ?? `About ${name}.`,
    JSON.stringify(values.capabilities ?? []),
    `.agents/skills/${name}/SKILL.md`,
  );
}

export function namesOf(rows: readonly { readonly name: string }[]): string[] {
  return rows.map(({ name }) => name);
}
