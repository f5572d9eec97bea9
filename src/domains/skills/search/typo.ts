/** Mends words that no skill has, with the words that names are made of. Only for short queries, and only as a last resort. */
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

/** Insertions, deletions, substitutions and swaps of neighbours; more than `most` is all the same. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(best);
      least = Math.min(least, best);
    }
    if (least > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}
