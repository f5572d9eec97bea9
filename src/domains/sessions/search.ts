/** Finds skills by words of their name and description. Pure; ties are broken by name. */
import { foldCase } from '../../lib/text.ts';

export interface Searchable {
  readonly name: string;
  readonly description: string;
  readonly source: string;
}

export interface SearchHit {
  readonly name: string;
  readonly source: string;
  readonly description: string;
  readonly score: number;
  /** Why it was found, in a few words. */
  readonly why: string;
}

/** A whole query inside the name or description always outranks single words of it. */
const NAME_SCORE = 200;
const DESCRIPTION_SCORE = 100;
const WORD_IN_NAME = 2;
const WORD_IN_DESCRIPTION = 1;
const WORDS_MAX = 32;
/** Shorter plain words stand in every description. Other scripts say much in one or two characters. */
const PLAIN_WORD = /^[a-z0-9]{1,2}$/;
const FILLERS: ReadonlySet<string> = new Set(
  'and are but can for from has have how not that the this use was what when where which who why will with you your'.split(
    ' ',
  ),
);
const QUERY_CHARS_MAX = 2_000;

/** An empty query lists by name. */
export function searchSkills(
  skills: readonly Searchable[],
  query: string,
  limit: number,
): readonly SearchHit[] {
  const wanted = foldCase(query.slice(0, QUERY_CHARS_MAX)).trim();
  if (wanted === '') return skills.slice(0, limit).map((skill) => hit(skill, 0, 'listed by name'));
  const words = [...new Set(wanted.match(/[\p{L}\p{N}]+/gu) ?? [])].filter(tells).slice(0, WORDS_MAX);
  const hits: SearchHit[] = [];
  for (const skill of skills) {
    const { score, why } = scoreOf(foldCase(skill.name), foldCase(skill.description), { wanted, words });
    if (score > 0) hits.push(hit(skill, score, why));
  }
  hits.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  return hits.slice(0, limit);
}

/** Whether a word of a sentence says anything about what is wanted. */
function tells(word: string): boolean {
  return !PLAIN_WORD.test(word) && !FILLERS.has(word);
}

function scoreOf(
  name: string,
  description: string,
  { wanted, words }: { readonly wanted: string; readonly words: readonly string[] },
): { readonly score: number; readonly why: string } {
  const inName = name.includes(wanted);
  const inDescription = description.includes(wanted);
  if (inName || inDescription) {
    const score = (inName ? NAME_SCORE : 0) + (inDescription ? DESCRIPTION_SCORE : 0);
    return { score, why: inName ? 'name' : 'description' };
  }
  const found = words.filter((word) => name.includes(word) || description.includes(word));
  const score = found.reduce(
    (sum, word) => sum + (name.includes(word) ? WORD_IN_NAME : WORD_IN_DESCRIPTION),
    0,
  );
  return { score, why: `words: ${found.join(', ')}` };
}

function hit({ name, source, description }: Searchable, score: number, why: string): SearchHit {
  return { name, source, description, score, why };
}
