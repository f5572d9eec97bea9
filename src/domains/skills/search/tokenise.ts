/** Turns text into the words that are indexed and looked up. Indexing and asking use the same function. */
import { stem } from './stem.ts';

/** A word as written, folded, and what it is indexed under. */
export interface Word {
  readonly form: string;
  readonly term: string;
}

/** Words that say nothing about what a text is for. They are neither indexed nor looked up. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any are as at be because been before being below between both but ' +
    'by can cannot could did do does doing don down during each either else etc ever few for from further get gets got had ' +
    'has have having he her here hers him his how i if in into is it its itself just let like may me might more most must my ' +
    'myself no nor not now of off on once only or other others our ours out over own per please rather same shall she should ' +
    'since so some such than that the their theirs them then there these they this those through thus to too under until up ' +
    'upon us use used uses using very via was we were what when where whether which while who whom whose why will with ' +
    'within without would yet you your yours yourself ll re ve isn doesn didn won wasn aren'
  ).split(' '),
);

/** Longer runs of letters are keys, hashes or encoded data; their beginning is enough to find them by. */
export const WORD_CHARS_MAX = 40;

/**
 * Anything but ASCII and the dashes, quotes, arrows, boxes and pictures that English prose is sprinkled with. A text without
 * it has only ASCII words, which are found several times faster.
 */
const FOREIGN = /[^\p{ASCII}\u2010-\u205e\u2190-\u23ff\u2500-\u2bff\u{1f300}-\u{1faff}]/u;
const ASCII_WORDS = /[a-z0-9]+/g;
const WORDS = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
/** Scripts that put no blanks between words: their runs are cut into overlapping pairs. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;
const STEMMABLE = /^[a-z]+$/;

/** Lower case, compatibility forms resolved, accents off: `Ｃafé` and `cafe` are one word, `STRASSE` and `straße` another. */
export function foldText(text: string): string {
  if (!FOREIGN.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss');
}

/** The words of a text in their order, without stop words. */
export function tokenise(text: string, lexicon: Lexicon): readonly Word[] {
  const words: Word[] = [];
  const isPlain = !FOREIGN.test(text);
  const folded = isPlain ? text.toLowerCase() : foldText(text);
  for (const run of folded.match(isPlain ? ASCII_WORDS : WORDS) ?? []) {
    if (isPlain || !FOREIGN.test(run)) pushWord(run, lexicon, words);
    else pushMixed(run, lexicon, words);
  }
  return words;
}

/** A shorter run of letters stands in too many words to lead anywhere. */
const RUN_CHARS_MIN = 3;

/** Parts of words that every folded text with this one in it has been indexed by, the longest first. */
export function indexedParts(folded: string): readonly string[] {
  const isPlain = !FOREIGN.test(folded);
  const runs = folded.match(isPlain ? ASCII_WORDS : WORDS) ?? [];
  const spaced = isPlain ? runs : runs.flatMap((run) => run.split(UNSPACED));
  const pairs = isPlain
    ? []
    : (folded.match(UNSPACED) ?? []).filter((run) => run.length > 1).flatMap(pairsOf);
  const parts = spaced.filter((run) => run.length >= RUN_CHARS_MIN && run.length < WORD_CHARS_MAX);
  return [...new Set([...parts, ...pairs])]
    .filter((part) => !isInStopWord(part))
    .sort((a, b) => b.length - a.length);
}

/** Stop words are not indexed, so a part of one may stand where the index knows of none. */
function isInStopWord(part: string): boolean {
  for (const word of STOP_WORDS) if (word.includes(part)) return true;
  return false;
}

/** Remembers what became of each word, since a text repeats few of them often. */
export interface Lexicon {
  /** Null for a stop word. */
  word(form: string): Word | null;
}

const LEXICON_WORDS_MAX = 50_000;

export function createLexicon(): Lexicon {
  let known = new Map<string, Word | null>();
  return {
    word(form) {
      let word = known.get(form);
      if (word !== undefined) return word;
      // Starting over is cheaper than keeping an order of use; the common words are back within a few texts.
      if (known.size >= LEXICON_WORDS_MAX) known = new Map();
      word = makeWord(form);
      known.set(form, word);
      return word;
    },
  };
}

function makeWord(form: string): Word | null {
  if (STOP_WORDS.has(form)) return null;
  return { form, term: STEMMABLE.test(form) ? stem(form) : form };
}

function pushWord(run: string, lexicon: Lexicon, words: Word[]): void {
  const word = lexicon.word(run.length > WORD_CHARS_MAX ? run.slice(0, WORD_CHARS_MAX) : run);
  if (word !== null) words.push(word);
}

/** A run such as `pdf文件处理` holds words of both kinds. */
function pushMixed(run: string, lexicon: Lexicon, words: Word[]): void {
  let end = 0;
  for (const match of run.matchAll(UNSPACED)) {
    if (match.index > end) pushWord(run.slice(end, match.index), lexicon, words);
    for (const pair of pairsOf(match[0])) pushWord(pair, lexicon, words);
    end = match.index + match[0].length;
  }
  if (end < run.length) pushWord(run.slice(end), lexicon, words);
}

function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
