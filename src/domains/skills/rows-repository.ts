/** Writes of the `skills` table, shared by the contracted loader and the registry. */
import type Database from 'better-sqlite3';

import { RARE_COLUMNS, type SkillRowValues, USUAL_COLUMNS } from './skill-row.ts';

const GENERATION = 'registry.generation';

export interface SkillRowWriter {
  /** Counts the states of the catalog. A write that changes something ends with `nextGeneration`. */
  generation(): number;
  nextGeneration(): void;
  count(): number;
  /** The capabilities stand in the row, too; they are indexed one by one. */
  upsert(row: SkillRowValues, capabilities: readonly string[]): void;
  /** Has the search index read the rows of these names. To be called for all that were upserted. */
  noteForSearch(names: ReadonlySet<string>): void;
  delete(name: string): void;
  /** Deletes every row whose name is not in the list and says how many went. */
  prune(keepNames: readonly string[]): number;
  /** Makes the registry read every root anew, because somebody else has written the rows. */
  forgetScans(): void;
}

export function skillRowWriter(db: Database.Database): SkillRowWriter {
  const columns = [...USUAL_COLUMNS, ...Object.keys(RARE_COLUMNS)];
  const upsert = db.prepare(upsertSql(columns, columns));
  // Binding a value costs more than anything else in a write; most rows need less than half of them.
  const upsertUsual = db.prepare(upsertSql(USUAL_COLUMNS, columns));
  const putCapability = db.prepare(
    'INSERT OR IGNORE INTO skill_capabilities (capability, name) VALUES (?, ?)',
  );
  const remove = db.prepare('DELETE FROM skills WHERE name = ?');
  // The names travel as one JSON value: SQLite limits the number of bound parameters, not their size.
  const prune = db.prepare('DELETE FROM skills WHERE name NOT IN (SELECT value FROM json_each(?))');
  const generation = db.prepare('SELECT value FROM settings WHERE key = ?').pluck();
  const setGeneration = db.prepare(
    `INSERT INTO settings (key, value, updated_at) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))
     ON CONFLICT(key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
  );
  const count = db.prepare('SELECT count(*) FROM skills').pluck();
  const readCount = () => Number(count.get());
  const readGeneration = () => Number(generation.get(GENERATION) ?? 0);
  return {
    generation: readGeneration,
    nextGeneration: () => {
      setGeneration.run(GENERATION, String(readGeneration() + 1));
    },
    upsert: (row, capabilities) => {
      if (row.length === USUAL_COLUMNS.length) {
        upsertUsual.run(...row);
        return;
      }
      upsert.run(...row);
      for (const capability of capabilities) putCapability.run(capability, row[0]);
    },
    ...searchNotes(db, readCount),
    count: readCount,
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

function searchNotes(db: Database.Database, count: () => number): Pick<SkillRowWriter, 'noteForSearch'> {
  const note = db.prepare('INSERT OR IGNORE INTO search_pending (name) VALUES (?)');
  return {
    noteForSearch: (names) => {
      if (names.size > 0 && names.size === count()) {
        db.exec('INSERT OR IGNORE INTO search_pending (name) SELECT name FROM skills ORDER BY name');
        return;
      }
      for (const name of names) note.run(name);
    },
  };
}

/** Columns that are not written get the table's defaults, also where the row was there before. */
function upsertSql(written: readonly string[], columns: readonly string[]): string {
  const updates = columns
    .filter((column) => column !== 'name')
    .map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO skills (${written.join(', ')}) VALUES (${written.map(() => '?').join(', ')})
    ON CONFLICT(name) DO UPDATE SET ${updates.join(', ')}`;
}
