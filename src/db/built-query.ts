/** Queries that are built once: where a row is small, building its query costs more than running it. */
import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely';

/** Runs with these parameters, in the order in which the query names them. */
export type BuiltQuery<Schema, Row> = (
  db: Kysely<Schema>,
  parameters: readonly unknown[],
) => Promise<QueryResult<Row>>;

export function builtQuery<Schema, Row>(
  build: (db: Kysely<Schema>) => Compilable<Row>,
): BuiltQuery<Schema, Row> {
  let built: CompiledQuery<Row> | undefined;
  return (db, parameters) => {
    built ??= build(db).compile();
    return db.executeQuery({ ...built, parameters });
  };
}
