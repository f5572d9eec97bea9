import type Database from 'better-sqlite3';

import { searchText } from './search-text.ts';

const statements = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/** A statement made once per connection; with the first comes the SQL function that the search needs. */
export function prepared(db: Database.Database, sql: string): Database.Statement {
  let known = statements.get(db);
  if (known === undefined) {
    known = new Map();
    statements.set(db, known);
    db.function('colibri_search_text', { deterministic: true }, (name, description) =>
      searchText(String(name), String(description)),
    );
  }
  let statement = known.get(sql);
  if (statement === undefined) {
    statement = db.prepare(sql);
    known.set(sql, statement);
  }
  return statement;
}
