/** Writes several rows with one statement, which spares SQLite most of what a statement costs besides its rows. */
import type Database from 'better-sqlite3';

type Value = string | number | null;

export interface Batch {
  /** Values that all following rows have, in front of their own. */
  share(values: readonly Value[]): void;
  add(row: readonly Value[]): void;
  flush(): void;
  discard(): void;
}

/** Enough that a row costs little more than its values, few enough that they fit into the processor's cache. */
const BATCH_ROWS = 16;

/** `sqlFor` gives the statement for so many rows. What was added is sure to be written only after `flush`. */
export function createBatch(db: Database.Database, sqlFor: (rows: number) => string): Batch {
  // Made with the first use: most starts write nothing.
  let many: Database.Statement | undefined;
  let one: Database.Statement | undefined;
  // One array for all that is bound: to join the rows would take as long as to bind them.
  const values: Value[] = [];
  let shared = 0;
  let rows = 0;
  const discard = () => {
    values.length = shared;
    rows = 0;
  };
  return {
    discard,
    share: (all) => {
      values.splice(0, values.length, ...all);
      shared = all.length;
    },
    add: (row) => {
      values.push(...row);
      if (++rows < BATCH_ROWS) return;
      many ??= db.prepare(sqlFor(BATCH_ROWS));
      many.run(values);
      discard();
    },
    flush: () => {
      if (rows === 0) return;
      one ??= db.prepare(sqlFor(1));
      const width = (values.length - shared) / rows;
      for (let at = shared; at < values.length; at += width)
        one.run([...values.slice(0, shared), ...values.slice(at, at + width)]);
      discard();
    },
  };
}
