/** A short query that stands as it is in a name or a description: such skills come before everything else. */
import { FIELD_SEPARATOR, plain } from './document.ts';
import type { IndexReader, SearchParts } from './index-reader.ts';
import { createPostingBuffer, decodeList, IN_NAME_FROM } from './postings.ts';
import { STOP_WORDS, WORD_CHARS_MAX } from './tokenise.ts';

/** How well the whole query fits: 1 for the description, 2 for the name, their sum for both, and above that the very name. */
export const PlainRank = { none: 0, description: 1, name: 2, both: 3, exact: 4 } as const;
export type PlainRank = (typeof PlainRank)[keyof typeof PlainRank];

/** Longer queries are tasks, not phrases that somebody expects to find word for word. */
const PHRASE_CHARS_MAX = 100;
/** A shorter run of letters stands in too many words to lead anywhere. */
const RUN_CHARS_MIN = 3;

export interface PlainOptions {
  /** As many of the best are needed. */
  readonly wanted: number;
  /** First-stage scores, which order what fits equally well. */
  readonly scores: Float64Array;
}

/** The best of the skills that have the whole query in name or description. */
export function plainMatches(
  query: string,
  { wanted, scores }: PlainOptions,
  { reader, lexicon }: SearchParts,
): ReadonlyMap<number, PlainRank> {
  const phrases = phrasesOf(query);
  const [phrase] = phrases;
  if (phrase === undefined) return new Map();
  const candidates = byWord(phrase, { reader, lexicon }) ?? everywhere(phrases, reader);
  const scoreOf = (document: number): number => scores[document] ?? 0;
  const ordered = [...candidates].sort(
    ([a, aInName], [b, bInName]) => Number(bInName) - Number(aInName) || scoreOf(b) - scoreOf(a) || a - b,
  );
  const found = new Map<number, PlainRank>();
  let last = 0;
  for (const [document, mayBeInName] of ordered) {
    // Once enough have it, no description can reach the answer, unless it scores like the last one that does.
    if (!mayBeInName && found.size >= wanted && scoreOf(document) < last) break;
    const rank = plainRank(reader.text(document), phrases);
    if (rank === PlainRank.none) continue;
    found.set(document, rank);
    last = scoreOf(document);
  }
  return found;
}

/** As typed, and with hyphens for blanks, since that is how names are written. */
function phrasesOf(query: string): readonly string[] {
  if (query.length > PHRASE_CHARS_MAX * 2) return [];
  const phrase = plain(query);
  if (phrase === '' || phrase.length > PHRASE_CHARS_MAX) return [];
  return [...new Set([phrase, phrase.replaceAll(' ', '-')])];
}

/** Documents, and whether the phrase may stand in their name. */
type Candidates = ReadonlyMap<number, boolean>;

function everywhere(phrases: readonly string[], { containing, corpus }: IndexReader): Candidates {
  const documents = containing(phrases).filter((document) => (corpus.norms.name[document] ?? 0) > 0);
  return new Map(documents.map((document) => [document, true]));
}

/** From the words that hold the longest run of letters of the phrase. Null when that leads nowhere. */
function byWord(phrase: string, { reader, lexicon }: SearchParts): Candidates | null {
  if (!/^\p{ASCII}*$/u.test(phrase)) return null;
  const runs = phrase.match(/[a-z0-9]+/g) ?? [];
  const run = runs.reduce((longest, next) => (next.length > longest.length ? next : longest), '');
  if (run.length < RUN_CHARS_MIN || run.length >= WORD_CHARS_MAX) return null;
  // Stop words are not indexed, so a run that is part of one may stand where no posting tells.
  if ([...STOP_WORDS].some((word) => word.includes(run))) return null;
  const terms = new Set(reader.formsHolding(run).flatMap((form) => lexicon.word(form)?.term ?? []));
  const { name } = reader.corpus.norms;
  const found = new Map<number, boolean>();
  const buffer = createPostingBuffer();
  for (const facts of reader.facts([...terms])) {
    for (const list of facts === null ? [] : reader.postings(facts.number).head) {
      decodeList(list, buffer);
      for (let at = 0; at < buffer.length; at++) {
        const document = buffer.documents[at] ?? 0;
        if ((name[document] ?? 0) === 0) continue;
        found.set(document, (buffer.packed[at] ?? 0) >= IN_NAME_FROM || found.get(document) === true);
      }
    }
  }
  return found;
}

function plainRank(text: string, phrases: readonly string[]): PlainRank {
  const end = text.indexOf(FIELD_SEPARATOR);
  const name = text.slice(0, end);
  const description = text.slice(end + 1);
  if (phrases.includes(name)) return PlainRank.exact;
  const inName = phrases.some((phrase) => name.includes(phrase));
  const inDescription = phrases.some((phrase) => description.includes(phrase));
  if (inName) return inDescription ? PlainRank.both : PlainRank.name;
  return inDescription ? PlainRank.description : PlainRank.none;
}
