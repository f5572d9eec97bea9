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
  /** Words of names, of a length between these two; some may be of skills that are gone. */
  readonly nameWords: (shortest: number, longest: number) => readonly string[];
}

/** Null when nothing can be mended. */
export function mendQuery(query: string, { isKnown, nameWords }: Vocabulary): Mended | null {
  const words = foldText(query).match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length > MENDED_WORDS_MAX) return null;
  const unknown = words.filter((word) => word.length >= SHORTEST_MENDED && !isKnown(word));
  const changes = [...new Set(unknown)].flatMap((typed) => {
    const words = nameWords(typed.length - 2, typed.length + COMPLETED_CHARS_MAX);
    const meant = nearestWord(typed, words, isKnown);
    return meant === null ? [] : [{ typed, meant }];
  });
  if (changes.length === 0) return null;
  const meantBy = new Map(changes.map(({ typed, meant }) => [typed, meant]));
  return { query: words.map((word) => meantBy.get(word) ?? word).join(' '), changes };
}

function nearestWord(typed: string, words: readonly string[], isKnown: Vocabulary['isKnown']): string | null {
  const begun = words.filter((word) => word.startsWith(typed)).sort(byLength);
  const whole = begun.find(isKnown);
  if (whole !== undefined) return whole;
  const slips = typed.length <= SHORT_WORD_MAX ? 1 : 2;
  const letters = lettersOf(typed);
  let best: string | null = null;
  let fewest = slips + 1;
  for (const word of words) {
    if (bitsSet(letters ^ lettersOf(word)) > 2 * slips) continue;
    const distance = editDistance(typed, word, slips);
    if (distance > slips || distance > fewest) continue;
    if (distance === fewest && best !== null && byLength(best, word) < 0) continue;
    if (!isKnown(word)) continue;
    best = word;
    fewest = distance;
  }
  return best;
}

/** One bit for each letter, some sharing one. A slip changes two at most, which tells most words apart at once. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bitsSet(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}
