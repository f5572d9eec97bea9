/** A configured folder of skills. The list of roots is in order of precedence: the first to name a skill wins it. */
import { ColibriError, type ErrorCode } from '../../../lib/errors.ts';
import type { Profile } from '../schema.ts';
import type { SkillSource } from '../skill-row.ts';

export interface SkillRoot {
  /** Absolute. */
  readonly path: string;
  /** As users know it, for example `.agents/skills`. */
  readonly display: string;
  readonly source: SkillSource;
  readonly profile: Profile;
  /** How many levels below the root a skill's directory may lie. */
  readonly depth: number;
}

/** Why nothing may be written to a root. */
export interface RootRefusal {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly fix: string;
}

/** Null for a root that may be written to. */
export type RefuseRoot = (root: Pick<SkillRoot, 'path' | 'display'>) => RootRefusal | null;

/** Asked for anew by each command, because trust comes and goes. */
export type RootRefusals = () => Promise<RefuseRoot>;

export function refusalError({ code, reason, fix }: RootRefusal): ColibriError {
  return new ColibriError(code, `${reason}, so nothing is written there; ${fix}`);
}

/** Changes when the same files would be read or shown differently. */
export function rootKey(root: SkillRoot): string {
  return `${root.source} ${root.profile} ${root.depth} ${root.display}`;
}

/** Why the first of two skills with one name won, in words for reports. */
export function precedenceRule(winner: SkillRoot, loser: SkillRoot): string {
  if (winner.path === loser.path) return 'the first path in order wins';
  if (loser.source === 'mirror' && winner.source !== 'mirror') return 'canonical overrides mirror';
  if (winner.source !== loser.source) return `${winner.source} overrides ${loser.source}`;
  return 'the root that is configured first wins';
}
