/** Reads what is left of a damaged database, and copies it, table by table, into a sound one. */
import type Database from 'better-sqlite3';

import { systemCodeOf } from '../lib/errors.ts';
import { attempt } from './damaged-source.ts';

export interface TableRecovery {
  readonly name: string;
  readonly copied: number;
  readonly lost: number;
  /** False when damage hides how many rows there were: then at least `lost` are gone. */
  readonly lostIsExact: boolean;
}

/** The index is a cache: it is rebuilt from the skill folders, never copied. */
const INDEX_TABLE = /^(?:skill|search_)/;
// Rows between two damaged places are looked up one by one; the bound keeps a hostile file from taking for ever.
const LOOKUPS_MAX = 1_000_000;
const ROWS_MAX = 20_000_000;
const ROWID_MIN = -(2n ** 63n);
const ROWID_MAX = 2n ** 63n - 1n;

/** Names of the record tables, sorted. */
export function recordTables(handle: Database.Database): readonly string[] {
  // Tables that belong to a virtual table are its business, and so is the virtual table itself.
  const rows = handle
    .prepare<[], { name: string; type: string }>(
      "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all();
  return rows
    .filter(({ name, type }) => type === 'table' && !INDEX_TABLE.test(name))
    .map(({ name }) => name)
    .sort();
}

export interface CopyOptions {
  readonly table: string;
  /** False when whole commits are missing, so that no count of what is lost can be exact. */
  readonly countable: boolean;
}

/** Copies what can be read of one table: the columns that both sides have. */
export function copyTable(
  source: Database.Database,
  target: Database.Database,
  { table, countable }: CopyOptions,
): TableRecovery {
  const columns = sharedColumns(source, target, table);
  if (columns.length === 0) return { name: table, copied: 0, lost: 0, lostIsExact: false };
  const rowids = rowidsByIndex(source, table);
  const insert = inserter(target, table, columns);
  let seen = 0;
  const complete = readRows(source, { table, columns, rowids }, (row) => {
    seen++;
    insert(row);
  });
  const copied = Number(
    target
      .prepare(`SELECT count(*) FROM ${quote(table)}`)
      .pluck()
      .get(),
  );
  const known = complete || rowids !== undefined;
  const lost = Math.max(seen, rowids?.length ?? 0) - copied;
  return { name: table, copied, lost: Math.max(lost, known ? 0 : 1), lostIsExact: known && countable };
}

type Row = readonly unknown[];

interface Reading {
  readonly table: string;
  readonly columns: readonly string[];
  /** All rowids in order, where an index could tell. */
  readonly rowids: readonly bigint[] | undefined;
}

/** Forward to the damage, backward to it from the end, then one by one what an index says lies between. */
function readRows(source: Database.Database, reading: Reading, take: (row: Row) => void): boolean {
  const { table, rowids } = reading;
  const sql = `SELECT _rowid_, ${reading.columns.map(quote).join(', ')} FROM ${quote(table)} NOT INDEXED WHERE _rowid_ BETWEEN ? AND ? ORDER BY _rowid_`;
  const forward = readRange(source, { sql, low: ROWID_MIN, high: ROWID_MAX, step: 1 }, take);
  if (forward.complete) return true;
  const low = forward.last === undefined ? ROWID_MIN : forward.last + 1n;
  const backward = readRange(source, { sql: `${sql} DESC`, low, high: ROWID_MAX, step: -1 }, take);
  if (backward.complete) return false;
  const high = backward.last === undefined ? ROWID_MAX : backward.last - 1n;
  const between = rowids?.filter((rowid) => rowid >= low && rowid <= high) ?? [];
  for (const rowid of between.slice(0, LOOKUPS_MAX)) {
    readRange(source, { sql, low: rowid, high: rowid, step: 1 }, take);
  }
  return false;
}

interface Range {
  readonly sql: string;
  readonly low: bigint;
  readonly high: bigint;
  /** Which way the rowids must go. */
  readonly step: 1 | -1;
}

interface Stretch {
  readonly last: bigint | undefined;
  readonly complete: boolean;
}

function readRange(source: Database.Database, range: Range, take: (row: Row) => void): Stretch {
  let last: bigint | undefined;
  const step = attempt(() =>
    source
      .prepare<[bigint, bigint], unknown[]>(range.sql)
      .safeIntegers()
      .raw()
      .iterate(range.low, range.high),
  );
  if (step === undefined) return { last, complete: false };
  try {
    for (;;) {
      // Only reading may fail here: what goes wrong in `take` is not the source's damage.
      const next = attempt(() => step.next());
      if (next === undefined) return { last, complete: false };
      if (next.done === true) return { last, complete: true };
      const rowid = next.value[0];
      // A damaged page can name rows that cannot be there and lead the walk in circles.
      if (typeof rowid !== 'bigint' || !follows(rowid, last, range)) return { last, complete: false };
      take(next.value);
      last = rowid;
    }
  } finally {
    attempt(() => step.return?.());
  }
}

function follows(rowid: bigint, last: bigint | undefined, { low, high, step }: Range): boolean {
  if (rowid < low || rowid > high) return false;
  return last === undefined || (step === 1 ? rowid > last : rowid < last);
}

function inserter(target: Database.Database, table: string, columns: readonly string[]): (row: Row) => void {
  // Rows keep their place: without this, those read backward would come to lie in reverse.
  const names = ['_rowid_', ...columns].map(quote);
  const places = names.map(() => '?');
  // Replacing, because a migration may have put a default row there.
  const statement = target.prepare(
    `INSERT OR REPLACE INTO ${quote(table)} (${names.join(', ')}) VALUES (${places.join(', ')})`,
  );
  return (row) => {
    try {
      statement.run(...row);
    } catch (error) {
      // The damaged row breaks a rule of the table: it counts as lost.
      if (!/^SQLITE_(?:CONSTRAINT|MISMATCH)/.test(systemCodeOf(error) ?? '')) throw error;
    }
  };
}

function sharedColumns(source: Database.Database, target: Database.Database, table: string): string[] {
  const wanted = new Set(columnsOf(target, table));
  return (attempt(() => columnsOf(source, table)) ?? []).filter((column) => wanted.has(column));
}

function columnsOf(handle: Database.Database, table: string): string[] {
  // Hidden columns are generated ones; they cannot be written.
  return handle
    .prepare<[string]>('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0')
    .pluck()
    .all(table)
    .map(String);
}

/** An index holds every rowid, so it can tell what the table has lost. */
function rowidsByIndex(source: Database.Database, table: string): readonly bigint[] | undefined {
  const list = source.prepare<[string]>('SELECT name FROM pragma_index_list(?) WHERE partial = 0').pluck();
  for (const index of attempt(() => list.all(table)) ?? []) {
    const sql = `SELECT _rowid_ FROM ${quote(table)} INDEXED BY ${quote(String(index))} LIMIT ${ROWS_MAX}`;
    // Rowids are integers, and integers come as bigint here.
    const rowids = attempt(() => source.prepare(sql).safeIntegers().pluck().all() as bigint[]);
    if (rowids !== undefined) return rowids.sort((a, b) => (a < b ? -1 : 1));
  }
  return undefined;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
