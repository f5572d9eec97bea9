/** Writes of the `skills` table, shared by the contracted loader and the registry. */
import type Database from 'better-sqlite3';

import { SKILL_COLUMNS, type SkillRowValues } from './skill-row.ts';

const GENERATION = 'registry.generation';

export interface SkillRowWriter {
  /** Counts the states of the catalog. A write that changes something ends with `nextGeneration`. */
  generation(): number;
  nextGeneration(): void;
  upsert(row: SkillRowValues): void;
  delete(name: string): void;
  /** Deletes every row whose name is not in the list and says how many went. */
  prune(keepNames: readonly string[]): number;
  /** Makes the registry read every root anew, because somebody else has written the rows. */
  forgetScans(): void;
}

export function skillRowWriter(db: Database.Database): SkillRowWriter {
  const updates = SKILL_COLUMNS.filter((column) => column !== 'name').map(
    (column) => `${column} = excluded.${column}`,
  );
  const upsert = db.prepare(
    `INSERT INTO skills (${SKILL_COLUMNS.join(', ')}) VALUES (${SKILL_COLUMNS.map(() => '?').join(', ')})
     ON CONFLICT(name) DO UPDATE SET ${updates.join(', ')}`,
  );
  const remove = db.prepare('DELETE FROM skills WHERE name = ?');
  // The names travel as one JSON value: SQLite limits the number of bound parameters, not their size.
  const prune = db.prepare('DELETE FROM skills WHERE name NOT IN (SELECT value FROM json_each(?))');
  const generation = db.prepare('SELECT value FROM settings WHERE key = ?').pluck();
  const setGeneration = db.prepare(
    `INSERT INTO settings (key, value, updated_at) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))
     ON CONFLICT(key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
  );
  const readGeneration = () => Number(generation.get(GENERATION) ?? 0);
  return {
    generation: readGeneration,
    nextGeneration: () => {
      setGeneration.run(GENERATION, String(readGeneration() + 1));
    },
    upsert: (row) => {
      upsert.run(row);
    },
    delete: (name) => {
      remove.run(name);
    },
    prune: (keepNames) => prune.run(JSON.stringify(keepNames)).changes,
    forgetScans: () => {
      // A scan that was planned before must notice, so the generation goes up as well.
      db.exec(
        `DELETE FROM skill_roots; DELETE FROM skill_shadowed; DELETE FROM skill_rejections; DELETE FROM skill_aliases;
         UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'registry.generation';`,
      );
    },
  };
}
