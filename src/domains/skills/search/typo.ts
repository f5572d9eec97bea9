/** Mends words that no skill has, with the words that names are made of. Only for short queries, and only as a last resort. */
import { editDistance } from '../../../lib/text.ts';
import { foldText } from './tokenise.ts';

export const MENDED_WORDS_MAX = 8;
const SHORTEST_MENDED = 3;
/** Up to this length one slip is meant, beyond it two. */
const SHORT_WORD_MAX = 5;
/** A word that was only begun is completed by at most so many letters. */
const COMPLETED_CHARS_MAX = 12;

export interface Mended {
  readonly query: string;
  /** What was read as what. */
  readonly changes: readonly { readonly typed: string; readonly meant: string }[];
}

export interface Vocabulary {
  /** Whether any skill has the word. */
  readonly isKnown: (word: string) => boolean;
  /** Words of names, of a length between these two. */
  readonly nameWords: (shortest: number, longest: number) => readonly string[];
}

/** Null when nothing can be mended. */
export function mendQuery(query: string, { isKnown, nameWords }: Vocabulary): Mended | null {
  const words = foldText(query).match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length > MENDED_WORDS_MAX) return null;
  const unknown = words.filter((word) => word.length >= SHORTEST_MENDED && !isKnown(word));
  const changes = [...new Set(unknown)].flatMap((typed) => {
    const meant = nearestWord(typed, nameWords(typed.length - 2, typed.length + COMPLETED_CHARS_MAX));
    return meant === null ? [] : [{ typed, meant }];
  });
  if (changes.length === 0) return null;
  const meantBy = new Map(changes.map(({ typed, meant }) => [typed, meant]));
  return { query: words.map((word) => meantBy.get(word) ?? word).join(' '), changes };
}

function nearestWord(typed: string, vocabulary: readonly string[]): string | null {
  const begun = vocabulary.filter((word) => word.startsWith(typed)).sort(byLength);
  if (begun[0] !== undefined) return begun[0];
  const slips = typed.length <= SHORT_WORD_MAX ? 1 : 2;
  let best: string | null = null;
  let fewest = slips + 1;
  for (const word of vocabulary) {
    const distance = editDistance(typed, word, slips);
    if (distance > slips || distance > fewest) continue;
    if (distance === fewest && best !== null && byLength(best, word) < 0) continue;
    best = word;
    fewest = distance;
  }
  return best;
}

function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}
