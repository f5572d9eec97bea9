/** Proposals: waiting, accepted, rejected. */
import type { Kysely } from 'kysely';

import type { RecordTransaction } from '../../../db/database.ts';
import type { Proposal } from './proposal.ts';

type Row = Omit<Proposal, 'files' | 'findings'> & {
  /** JSON. */
  readonly files: string;
  readonly findings: string;
};

export interface ProposalSchema {
  readonly proposals: Row;
}

export async function insertProposal(transaction: RecordTransaction, proposal: Proposal): Promise<void> {
  const { files, findings, ...rest } = proposal;
  const row = { ...rest, files: JSON.stringify(files), findings: JSON.stringify(findings) };
  await records(transaction).insertInto('proposals').values(row).execute();
}

/** Oldest first. */
export async function findProposals(
  db: Kysely<ProposalSchema> | RecordTransaction,
  { state, limit }: { readonly state?: Proposal['state'] | undefined; readonly limit: number },
): Promise<readonly Proposal[]> {
  let query = records(db).selectFrom('proposals').selectAll().orderBy('id').limit(limit);
  if (state !== undefined) query = query.where('state', '=', state);
  return (await query.execute()).map(proposalOf);
}

export async function findProposal(
  db: Kysely<ProposalSchema> | RecordTransaction,
  id: string,
): Promise<Proposal | null> {
  const row = await records(db).selectFrom('proposals').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : proposalOf(row);
}

/** False when it was decided already. */
export async function decideProposal(
  transaction: RecordTransaction,
  id: string,
  decision: Pick<Proposal, 'state' | 'decided_by' | 'decided_at' | 'note'>,
): Promise<boolean> {
  const { numUpdatedRows } = await records(transaction)
    .updateTable('proposals')
    .set(decision)
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function proposalOf({ files, findings, ...rest }: Row): Proposal {
  return { ...rest, files: JSON.parse(files), findings: JSON.parse(findings) };
}

function records(db: Kysely<ProposalSchema> | RecordTransaction): Kysely<ProposalSchema> {
  return db as unknown as Kysely<ProposalSchema>;
}
