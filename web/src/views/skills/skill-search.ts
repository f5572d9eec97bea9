/** Finds skills while somebody types: thousands in a few milliseconds, in this very page. Pure. */
import { foldCase } from '../../../../src/lib/text.ts';
import type { SkillLine } from '../../api/contract.ts';

export interface SkillFilters {
  readonly source: string;
  readonly tier: string;
  readonly capability: string;
  /** `warnings`, `copies`, or empty. */
  readonly health: string;
}

export interface IndexedLine {
  readonly skill: SkillLine;
  readonly name: string;
  readonly text: string;
}

export function indexLines(skills: readonly SkillLine[]): readonly IndexedLine[] {
  return skills.map((skill) => ({
    skill,
    name: foldCase(skill.name),
    text: foldCase(`${skill.description}\n${skill.capabilities.join(' ')}`),
  }));
}

/** Every word must be found; a word in the name weighs more, and a name that begins with it most. */
export function findSkills(
  lines: readonly IndexedLine[],
  query: string,
  filters: SkillFilters,
): readonly SkillLine[] {
  const words = foldCase(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  const found: { readonly skill: SkillLine; readonly score: number }[] = [];
  for (const line of lines) {
    if (!passes(line.skill, filters)) continue;
    const score = scoreOf(line, words);
    if (score >= 0) found.push({ skill: line.skill, score });
  }
  // Without words everything scores the same, and the order of the list stays.
  if (words.length > 0) found.sort((a, b) => b.score - a.score);
  return found.map(({ skill }) => skill);
}

const BEGINS = 4;
const IN_NAME = 3;
const IN_TEXT = 1;

function scoreOf({ name, text }: IndexedLine, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    if (name.startsWith(word)) score += BEGINS;
    else if (name.includes(word)) score += IN_NAME;
    else if (text.includes(word)) score += IN_TEXT;
    else return -1;
  }
  return score;
}

function passes(skill: SkillLine, { source, tier, capability, health }: SkillFilters): boolean {
  if (source !== '' && skill.source !== source) return false;
  if (tier !== '' && String(skill.tier) !== tier) return false;
  if (capability !== '' && !skill.capabilities.includes(capability)) return false;
  if (health === 'warnings') return skill.warnings > 0;
  return health === 'copies' ? skill.copies > 0 : true;
}
