/** Which events had their hooks: one mark for all processes of a database, so that each event is taken once. */
import type { Kysely } from 'kysely';

import type { RecordTransaction } from '../../db/database.ts';

interface HookSchema {
  readonly settings: { readonly key: string; readonly value: string; readonly updated_at: string };
}

const KEY = 'hooks.taken';
/** Of the largest sequence number, so that texts compare as numbers do. */
const DIGITS = 16;

/** False when another process has taken this event, or a later one. */
export async function takeEvent(transaction: RecordTransaction, seq: number, at: string): Promise<boolean> {
  const settings = transaction as unknown as Kysely<HookSchema>;
  const value = String(seq).padStart(DIGITS, '0');
  await settings
    .insertInto('settings')
    .values({ key: KEY, value: '0'.padStart(DIGITS, '0'), updated_at: at })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const { numUpdatedRows } = await settings
    .updateTable('settings')
    .set({ value, updated_at: at })
    .where('key', '=', KEY)
    .where('value', '<', value)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
