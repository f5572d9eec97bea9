/** Writes of the `skills` table, shared by the contracted loader and the registry. */
import type Database from 'better-sqlite3';

import { createBatch } from './row-batch-repository.ts';
import { RARE_COLUMNS, type RowOrigin, type SkillRowValues, USUAL_COLUMNS } from './skill-row.ts';

const GENERATION = 'registry.generation';

export interface SkillRowWriter {
  /** Counts the states of the catalog. A write that changes something ends with `nextGeneration`. */
  generation(): number;
  nextGeneration(): void;
  count(): number;
  /** The capabilities stand in the row, too; they are indexed one by one. Nothing is sure to be written before `flush`. */
  upsert(
    row: SkillRowValues,
    shared: { readonly origin: RowOrigin; readonly capabilities: readonly string[] },
  ): void;
  flush(): void;
  /** Forgets rows that wait to be written, because what they belonged to has failed. */
  discard(): void;
  /** Has the search index read the rows of these names, so many. To be called for all that were upserted. */
  noteForSearch(names: Iterable<string>, count: number): void;
  delete(name: string): void;
  /** Deletes every row whose name is not in the list and says how many went. */
  prune(keepNames: readonly string[]): number;
  /** Makes the registry read every root anew, because somebody else has written the rows. */
  forgetScans(): void;
}

export function skillRowWriter(db: Database.Database): SkillRowWriter {
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
    ...upserts(db),
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

function upserts(db: Database.Database): Pick<SkillRowWriter, 'upsert' | 'flush' | 'discard'> {
  // Binding a value costs more than anything else in a write; most rows need less than a third of them.
  const usual = createBatch(db, upsertSql(USUAL_COLUMNS));
  const whole = createBatch(db, upsertSql([...USUAL_COLUMNS, ...Object.keys(RARE_COLUMNS)]));
  const capability = createBatch(db, (rows) => {
    const values = Array.from({ length: rows }, () => '(?, ?)').join(', ');
    return `INSERT OR IGNORE INTO skill_capabilities (capability, name) VALUES ${values}`;
  });
  const batches = [usual, whole, capability];
  const flush = () => {
    for (const batch of batches) batch.flush();
  };
  let shared: RowOrigin | undefined;
  return {
    flush,
    discard: () => {
      for (const batch of batches) batch.discard();
    },
    upsert: (row, { origin, capabilities }) => {
      if (origin !== shared) {
        flush();
        shared = origin;
        const values = [origin.loadedAt, origin.source, origin.root, origin.generation];
        usual.share(values);
        whole.share(values);
      }
      (row.length === USUAL_COLUMNS.length ? usual : whole).add(row);
      for (const name of capabilities) capability.add([name, row[0] ?? '']);
    },
  };
}

function searchNotes(db: Database.Database, count: () => number): Pick<SkillRowWriter, 'noteForSearch'> {
  const note = db.prepare('INSERT OR IGNORE INTO search_pending (name) VALUES (?)');
  return {
    noteForSearch: (names, many) => {
      if (many === 0) return;
      if (many === count()) {
        db.exec('INSERT OR IGNORE INTO search_pending (name) SELECT name FROM skills ORDER BY name');
        return;
      }
      for (const name of names) note.run(name);
    },
  };
}

/** Of `RowOrigin`, in the order of its values. */
const ORIGIN_COLUMNS = ['loaded_at', 'source', 'root', 'generation'];

/** Columns that are not given get their defaults, also where the row was there before. */
function upsertSql(given: readonly string[]): (rows: number) => string {
  const numbered = given.map((_, index) => `column${index + 1}`);
  const directory = numbered[given.indexOf('directory')];
  const body = given.includes('body') ? [] : ['body'];
  const columns = [...ORIGIN_COLUMNS, 'source_path', ...body, ...given];
  const values = [
    ...ORIGIN_COLUMNS.map(() => '?'),
    `${directory} || '/SKILL.md'`,
    ...body.map(() => "''"),
    ...numbered,
  ];
  const updated = [...ORIGIN_COLUMNS, 'source_path', ...USUAL_COLUMNS, ...Object.keys(RARE_COLUMNS)];
  const updates = updated.flatMap((column) => (column === 'name' ? [] : [`${column} = excluded.${column}`]));
  const row = `(${given.map(() => '?').join(', ')})`;
  return (rows) => `INSERT INTO skills (${columns.join(', ')})
    SELECT ${values.join(', ')} FROM (VALUES ${Array.from({ length: rows }, () => row).join(', ')}) WHERE true
    ON CONFLICT(name) DO UPDATE SET ${updates.join(', ')}`;
}
