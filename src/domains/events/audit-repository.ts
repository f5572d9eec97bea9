/** The append-only audit log. */
import type { Kysely } from 'kysely';

import type { RecordTransaction } from '../../db/database.ts';

export interface AuditRow {
  /** ULID. */
  readonly id: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** `ok`, or the error's code. */
  readonly outcome: string;
  readonly duration_ms: number | null;
  /** JSON. */
  readonly detail: string;
}

export interface AuditSchema {
  readonly audit_log: AuditRow;
}

export interface AuditRepository {
  append(rows: readonly AuditRow[]): Promise<void>;
  /** Newest first. */
  latest(limit: number): Promise<readonly AuditRow[]>;
}

export function createAuditRepository(records: Kysely<AuditSchema>): AuditRepository {
  return {
    async append(rows) {
      await records.insertInto('audit_log').values(rows).execute();
    },
    latest: (limit) =>
      records.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(limit).execute(),
  };
}

/** In the transaction of the change that the row is about, so that neither is there without the other. */
export async function insertAudit(transaction: RecordTransaction, row: AuditRow): Promise<void> {
  await (transaction as unknown as Kysely<AuditSchema>).insertInto('audit_log').values(row).execute();
}
