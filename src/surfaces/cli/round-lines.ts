/** How rounds are written. */
import type { Round } from '../../domains/integrity/round-service.ts';
import { factLines } from './facts.ts';
import type { Output } from './output.ts';

const DIGEST_CHARS = 12;

export function roundFacts(round: Round, out: Output): string[] {
  return factLines(
    [
      ['round', round.id],
      ['name', round.name ?? ''],
      ['started', timeOf(round)],
      ['by', round.started_by],
      ['skills', String(round.skills)],
      ['digest', round.digest],
    ],
    out,
  );
}

/** Id, name, time, person, skills, digest. */
export function roundRow(round: Round): string[] {
  const { id, name, started_by, skills, digest } = round;
  return [id, name ?? '-', timeOf(round), started_by, String(skills), digest.slice(0, DIGEST_CHARS)];
}

export function roundLabel({ id, name }: Pick<Round, 'id' | 'name'>): string {
  return name ?? id;
}

function timeOf({ started_at }: Round): string {
  return started_at.replace('T', ' ').replace(/\.\d+Z$/, '');
}
