/** What was told of drift, and what mirrors were when they were last in step. */
import type { Kysely } from 'kysely';
import { z } from 'zod';

import type { RecordTransaction } from '../../db/database.ts';
import type { SyncedFile } from './drift-manifest.ts';

export interface DriftSchema {
  readonly drift_told: {
    readonly mirror: string;
    readonly name: string;
    readonly finding: string;
    readonly told_at: string;
  };
  readonly mirror_states: {
    readonly mirror: string;
    readonly name: string;
    /** JSON. */
    readonly files: string;
    readonly synced_at: string;
  };
}

export interface ToldFinding {
  readonly mirror: string;
  readonly name: string;
  readonly finding: string;
}

export async function readTold(db: Kysely<DriftSchema> | RecordTransaction): Promise<readonly ToldFinding[]> {
  return records(db).selectFrom('drift_told').select(['mirror', 'name', 'finding']).execute();
}

export async function putTold(transaction: RecordTransaction, told: ToldFinding, at: string): Promise<void> {
  const rest = { finding: told.finding, told_at: at };
  await records(transaction)
    .insertInto('drift_told')
    .values({ mirror: told.mirror, name: told.name, ...rest })
    .onConflict((conflict) => conflict.columns(['mirror', 'name']).doUpdateSet(rest))
    .execute();
}

export async function removeTold(
  transaction: RecordTransaction,
  { mirror, name }: Pick<ToldFinding, 'mirror' | 'name'>,
): Promise<void> {
  await records(transaction)
    .deleteFrom('drift_told')
    .where('mirror', '=', mirror)
    .where('name', '=', name)
    .execute();
}

/** By name of the skill. */
export async function readStates(
  db: Kysely<DriftSchema>,
  mirror: string,
): Promise<ReadonlyMap<string, readonly SyncedFile[]>> {
  const rows = await db
    .selectFrom('mirror_states')
    .select(['name', 'files'])
    .where('mirror', '=', mirror)
    .execute();
  return new Map(rows.map(({ name, files }) => [name, syncedFiles.parse(JSON.parse(files))]));
}

export interface MirrorState {
  readonly mirror: string;
  readonly name: string;
  readonly files: readonly SyncedFile[];
}

export async function putState(
  transaction: RecordTransaction,
  state: MirrorState,
  at: string,
): Promise<void> {
  const rest = { files: JSON.stringify(state.files), synced_at: at };
  await records(transaction)
    .insertInto('mirror_states')
    .values({ mirror: state.mirror, name: state.name, ...rest })
    .onConflict((conflict) => conflict.columns(['mirror', 'name']).doUpdateSet(rest))
    .execute();
}

export async function removeState(
  transaction: RecordTransaction,
  { mirror, name }: Pick<MirrorState, 'mirror' | 'name'>,
): Promise<void> {
  await records(transaction)
    .deleteFrom('mirror_states')
    .where('mirror', '=', mirror)
    .where('name', '=', name)
    .execute();
}

const syncedFiles: z.ZodType<readonly SyncedFile[]> = z.array(
  z.strictObject({ path: z.string(), digest: z.string(), executable: z.boolean() }),
);

/** Each repository sees its own tables of the one database. */
function records(db: Kysely<DriftSchema> | RecordTransaction): Kysely<DriftSchema> {
  return db as unknown as Kysely<DriftSchema>;
}
