/** Who vouched for what. */
import type { Kysely } from 'kysely';
import { z } from 'zod';

import type { RecordTransaction } from '../../db/database.ts';
import type { TrustedFile, TrustRecord } from './trust.ts';

export interface TrustSchema {
  readonly trust: {
    readonly path: string;
    readonly kind: 'skill' | 'file';
    readonly name: string;
    readonly digest: string;
    /** JSON. */
    readonly files: string;
    readonly trusted_at: string;
    readonly trusted_by: string;
    readonly seal: string;
  };
}

/** Replaces what was trusted at that path before. */
export async function putTrust(transaction: RecordTransaction, record: TrustRecord): Promise<void> {
  const row = { ...record, files: JSON.stringify(record.files) };
  const { path: _, ...rest } = row;
  await records(transaction)
    .insertInto('trust')
    .values(row)
    .onConflict((conflict) => conflict.column('path').doUpdateSet(rest))
    .execute();
}

export async function removeTrust(transaction: RecordTransaction, path: string): Promise<void> {
  await records(transaction).deleteFrom('trust').where('path', '=', path).execute();
}

/** By path; those of some paths, or all. */
export async function readTrust(
  db: Kysely<TrustSchema> | RecordTransaction,
  paths: readonly string[] | null,
): Promise<ReadonlyMap<string, TrustRecord>> {
  if (paths?.length === 0) return new Map();
  let query = records(db).selectFrom('trust').selectAll().orderBy('path');
  if (paths !== null) query = query.where('path', 'in', paths);
  const rows = await query.execute();
  return new Map(rows.map((row) => [row.path, { ...row, files: filesOf(row.files) }]));
}

const trustedFiles: z.ZodType<readonly TrustedFile[]> = z.array(
  z.strictObject({ path: z.string(), digest: z.string(), executable: z.boolean() }),
);

/** A list that `putTrust` did not write becomes an empty one, which fits no digest. */
function filesOf(json: string): readonly TrustedFile[] {
  const parsed = trustedFiles.safeParse(parseJson(json));
  return parsed.success ? parsed.data : [];
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function records(db: Kysely<TrustSchema> | RecordTransaction): Kysely<TrustSchema> {
  return db as unknown as Kysely<TrustSchema>;
}
