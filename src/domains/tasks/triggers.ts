/** Which skills a task calls for by its words. Pure. */
import { foldCase } from '../../lib/text.ts';

/** Characters that belong to a word, so that `test` is not found in `latest`. */
const WORD = /[\p{Letter}\p{Number}_]/u;

/** Triggers that stand in the text as whole words, whatever their case. */
export function matchingTriggers(triggers: readonly string[], text: string): readonly string[] {
  const folded = spaced(foldCase(text));
  return triggers.filter((trigger) => hasWords(folded, spaced(foldCase(trigger))));
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function hasWords(text: string, wanted: string): boolean {
  if (wanted === '') return false;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + wanted.length])) return true;
  }
  return false;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && WORD.test(character);
}
