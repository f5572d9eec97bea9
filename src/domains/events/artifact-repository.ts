/** Content by its digest, kept while a session refers to it. */
import type { Kysely } from 'kysely';

import { builtQuery } from '../../db/built-query.ts';
import type { RecordTransaction } from '../../db/database.ts';
import type { StoredArtifact } from './schema.ts';

export interface ArtifactSchema {
  readonly artifacts: {
    readonly digest: string;
    readonly size: number;
    readonly bytes: Uint8Array;
    readonly created_at: string;
  };
  readonly artifact_refs: { readonly digest: string; readonly session_id: string };
}

/** Storing the same content again only adds the reference. */
export async function putArtifacts(
  transaction: RecordTransaction,
  session: string,
  { artifacts, at }: { readonly artifacts: readonly StoredArtifact[]; readonly at: string },
): Promise<void> {
  for (const { digest, bytes } of artifacts) {
    await PUT_ARTIFACT(records(transaction), [digest, bytes.length, bytes, at]);
    await PUT_REFERENCE(records(transaction), [digest, session]);
  }
}

const PUT_ARTIFACT = builtQuery((db: Kysely<ArtifactSchema>) =>
  db
    .insertInto('artifacts')
    .values({ digest: '', size: 0, bytes: new Uint8Array(), created_at: '' })
    .onConflict((conflict) => conflict.column('digest').doNothing()),
);

const PUT_REFERENCE = builtQuery((db: Kysely<ArtifactSchema>) =>
  db
    .insertInto('artifact_refs')
    .values({ digest: '', session_id: '' })
    .onConflict((conflict) => conflict.columns(['digest', 'session_id']).doNothing()),
);

/** Works on the database and inside a transaction alike. */
export async function findArtifact(
  db: Kysely<ArtifactSchema> | RecordTransaction,
  digest: string,
): Promise<Uint8Array | null> {
  const row = await records(db)
    .selectFrom('artifacts')
    .select('bytes')
    .where('digest', '=', digest)
    .executeTakeFirst();
  return row?.bytes ?? null;
}

export function artifactsOf(db: Kysely<ArtifactSchema>, session: string): Promise<StoredArtifact[]> {
  return db
    .selectFrom('artifact_refs')
    .innerJoin('artifacts', 'artifacts.digest', 'artifact_refs.digest')
    .where('artifact_refs.session_id', '=', session)
    .select(['artifacts.digest', 'artifacts.bytes'])
    .orderBy('artifacts.digest')
    .execute();
}

/** Deletes content that nothing refers to and says how much went. */
export async function collectArtifacts(transaction: RecordTransaction): Promise<number> {
  const { numDeletedRows } = await records(transaction)
    .deleteFrom('artifacts')
    .where('digest', 'not in', (query) => query.selectFrom('artifact_refs').select('digest'))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function records(db: Kysely<ArtifactSchema> | RecordTransaction): Kysely<ArtifactSchema> {
  return db as unknown as Kysely<ArtifactSchema>;
}
