/** A short query that stands as it is in a name or a description: such skills come before everything else. */
import { FIELD_SEPARATOR, plain } from './document.ts';
import type { IndexReader, SearchParts } from './index-reader.ts';
import { boundsByTexts, boundsByWords, type PlainBounds, PlainRank, withBound } from './plain-bounds.ts';
import { heaviestFirst } from './score-order.ts';

/** Longer queries are tasks, not phrases that somebody expects to find word for word. */
const PHRASE_CHARS_MAX = 100;
/** Texts that are read one by one. After so many in vain the database looks through all of them at once. */
const TEXTS_READ_MAX = 256;

export interface PlainOptions {
  /** As many of the best are needed. */
  readonly wanted: number;
  /** First-stage scores, which order what fits equally well. */
  readonly scores: Float64Array;
  /** And how often a skill was used, where scores are the same. */
  readonly usage?: ((name: string) => number) | undefined;
}

export interface PlainMatches {
  /** The best of the skills that have the whole query in name or description. */
  readonly ranks: ReadonlyMap<number, PlainRank>;
  /** How many skills have it, or may have it, that no word of it finds. */
  readonly unscored: number;
  /** Whether there may be more than those in `ranks`. */
  readonly hasMore: boolean;
}

const NOTHING: PlainMatches = { ranks: new Map(), unscored: 0, hasMore: false };

/** Places that are worth more come first. */
const BOUNDS = [PlainRank.both, PlainRank.name, PlainRank.description];

export function plainMatches(query: string, options: PlainOptions, parts: SearchParts): PlainMatches {
  const phrases = phrasesOf(query);
  const [phrase] = phrases;
  if (phrase === undefined) return NOTHING;
  const { reader } = parts;
  const likely = boundsByWords(phrase, parts);
  const best = likely && bestWithin(likely, { ...options, phrases, reader, textsMax: TEXTS_READ_MAX });
  if (best !== null) return best;
  const certain = boundsByTexts(phrases, reader, likely);
  const all = bestWithin(certain, { ...options, phrases, reader, textsMax: Number.POSITIVE_INFINITY });
  return all ?? NOTHING;
}

interface Reading extends PlainOptions {
  readonly phrases: readonly string[];
  readonly reader: IndexReader;
  readonly textsMax: number;
}

/** Null when `textsMax` texts were read in vain. */
function bestWithin(bounds: PlainBounds, reading: Reading): PlainMatches | null {
  const { phrases, reader, scores, wanted } = reading;
  const ranks = new Map<number, PlainRank>();
  let unscored = withBound(bounds, (bound, document) => bound > 0 && scores[document] === 0).length;
  let inVain = 0;
  const look = (document: number): PlainRank => {
    const rank = plainRank(reader.text(document), phrases);
    if (rank !== PlainRank.none) ranks.set(document, rank);
    else inVain++;
    if (rank === PlainRank.none && scores[document] === 0) unscored--;
    return rank;
  };
  // The very name is first, however little else speaks for it.
  for (const document of reader.named(phrases)) if ((bounds[document] ?? 0) > 0) look(document);
  for (const bound of BOUNDS) {
    let found = [...ranks.values()].filter((rank) => rank >= bound).length;
    const candidates = withBound(bounds, (each) => each === bound);
    for (const document of heaviestFirst(candidates, reading)) {
      if (found >= wanted) return { ranks, unscored, hasMore: true };
      if (inVain >= reading.textsMax) return null;
      if (!ranks.has(document) && look(document) >= bound) found++;
    }
  }
  return { ranks, unscored, hasMore: false };
}

/** As typed, and with hyphens for blanks, since that is how names are written. */
function phrasesOf(query: string): readonly string[] {
  if (query.length > PHRASE_CHARS_MAX * 2) return [];
  const phrase = plain(query);
  if (phrase === '' || phrase.length > PHRASE_CHARS_MAX) return [];
  return [...new Set([phrase, phrase.replaceAll(' ', '-')])];
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
