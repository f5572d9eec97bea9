/** Signed-off states of the registry. */
import type { Kysely } from 'kysely';

import type { RecordTransaction } from '../../db/database.ts';
import type { RoundSkill } from './round-facts.ts';

export interface RoundSchema {
  readonly rounds: RoundRow;
  readonly round_skills: {
    readonly round_id: string;
    readonly name: string;
    /** JSON. */
    readonly facts: string;
  };
}

export interface RoundRow {
  readonly id: string;
  readonly name: string | null;
  readonly started_at: string;
  readonly started_by: string;
  readonly digest: string;
  readonly event_id: string;
}

export interface CountedRound extends RoundRow {
  readonly skills: number;
}

export async function insertRound(
  transaction: RecordTransaction,
  round: RoundRow,
  skills: readonly RoundSkill[],
): Promise<void> {
  await records(transaction).insertInto('rounds').values(round).execute();
  for (const skill of skills) {
    const row = { round_id: round.id, name: skill.name, facts: JSON.stringify(skill) };
    await records(transaction).insertInto('round_skills').values(row).execute();
  }
}

/** Newest first. */
export async function readRounds(db: Kysely<RoundSchema>): Promise<readonly CountedRound[]> {
  return db
    .selectFrom('rounds')
    .selectAll('rounds')
    .select((select) =>
      select
        .selectFrom('round_skills')
        .whereRef('round_skills.round_id', '=', 'rounds.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('skills'),
    )
    .orderBy('id', 'desc')
    .execute() as Promise<readonly CountedRound[]>;
}

/** By name. The rows were written by `insertRound`; whoever reads them checks the digest of the round. */
export async function readRoundSkills(
  db: Kysely<RoundSchema>,
  round: string,
): Promise<readonly RoundSkill[]> {
  const rows = await db
    .selectFrom('round_skills')
    .select('facts')
    .where('round_id', '=', round)
    .orderBy('name')
    .execute();
  return rows.map(({ facts }) => JSON.parse(facts) as RoundSkill);
}

function records(db: RecordTransaction): Kysely<RoundSchema> {
  return db as unknown as Kysely<RoundSchema>;
}
