/** What is asked, as weighted terms. Any text is a query; there are no operators. */
import { formBits } from './token-stream.ts';
import { type Lexicon, tokenise } from './tokenise.ts';
import { QUERY_TERMS_MAX } from './weights.ts';

export interface QueryTerm {
  readonly term: string;
  /** Under which the index knows the term. */
  readonly number: number;
  /** How much it counts for this query: how often it is asked for, and how rare it is. */
  readonly weight: number;
  readonly idf: number;
  /** One bit for every written form in the query. */
  readonly forms: number;
  /** As first written, for people to read. */
  readonly written: string;
}

export interface Query {
  /** The heaviest first. */
  readonly terms: readonly QueryTerm[];
  /** Terms that follow one another in the text, as indices into `terms`, each pair once. */
  readonly pairs: readonly (readonly [number, number])[];
  /** What the words weigh that no skill has. */
  readonly unknownWeight: number;
  /** Different words that count. */
  readonly wordCount: number;
}

/** What an index knows of a term. */
export interface TermFacts {
  readonly number: number;
  /** How many documents hold it. */
  readonly documents: number;
}

/** Longer texts are cut: what is wanted is said by then. */
export const QUERY_CHARS_MAX = 32_000;
const DISTINCT_TERMS_MAX = 1_000;

export interface QueryVocabulary {
  readonly documents: number;
  facts(terms: readonly string[]): readonly (TermFacts | null)[];
}

interface Asked {
  count: number;
  forms: number;
  readonly written: string;
}

export function parseQuery(text: string, lexicon: Lexicon, vocabulary: QueryVocabulary): Query {
  const words = tokenise(text.slice(0, QUERY_CHARS_MAX), lexicon);
  const asked = new Map<string, Asked>();
  for (const { form, term } of words) {
    let entry = asked.get(term);
    if (entry === undefined) {
      if (asked.size >= DISTINCT_TERMS_MAX) continue;
      asked.set(term, (entry = { count: 0, forms: 0, written: form }));
    }
    entry.count++;
    entry.forms |= 1 << formBits(form);
  }
  const names = [...asked.keys()];
  const facts = vocabulary.facts(names);
  let unknownWeight = 0;
  const known: QueryTerm[] = [];
  [...asked].forEach(([term, { count, forms, written }], index) => {
    const found = facts[index] ?? null;
    // Documents of other generations are counted, too; there cannot be more than all.
    const idf = idfOf(vocabulary.documents, Math.min(found?.documents ?? 0, vocabulary.documents));
    const weight = repeated(count) * idf;
    if (found === null || found.documents === 0) unknownWeight += weight;
    else known.push({ term, number: found.number, weight, idf, forms, written });
  });
  known.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1));
  const terms = known.slice(0, QUERY_TERMS_MAX);
  return { terms, pairs: pairsOf(words, terms), unknownWeight, wordCount: asked.size };
}

/** Rare terms tell more. Never negative, also for a term that every document has. */
function idfOf(documents: number, withTerm: number): number {
  return Math.log(1 + (documents - withTerm + 0.5) / (withTerm + 0.5));
}

/** The second mention counts almost as much as the first, the twentieth hardly. */
function repeated(count: number): number {
  return (9 * count) / (8 + count);
}

function pairsOf(
  words: readonly { readonly term: string }[],
  terms: readonly QueryTerm[],
): readonly (readonly [number, number])[] {
  const index = new Map(terms.map(({ term }, position) => [term, position]));
  const pairs = new Map<number, readonly [number, number]>();
  for (let position = 1; position < words.length; position++) {
    const first = index.get(words[position - 1]?.term ?? '');
    const second = index.get(words[position]?.term ?? '');
    if (first === undefined || second === undefined || first === second) continue;
    pairs.set(first * terms.length + second, [first, second]);
  }
  return [...pairs.values()];
}
