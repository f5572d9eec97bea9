/** What a search asks of an index. */
import type { Corpus } from './corpus.ts';
import type { TriggerPhrase } from './document.ts';
import type { TermFacts } from './query.ts';
import type { DocumentStreams } from './token-stream.ts';
import type { Lexicon } from './tokenise.ts';

export interface IndexReader {
  readonly corpus: Corpus;
  facts(terms: readonly string[]): readonly (TermFacts | null)[];
  /** The lists of a term. Documents of other generations may stand in them; their norms are 0. */
  postings(termNumber: number): Postings;
  streams(document: number): DocumentStreams;
  name(document: number): string;
  /** Name and description, folded, as a whole query is looked for in them. */
  text(document: number): string;
  /** Documents whose text holds one of the phrases. Reads every text. */
  containing(phrases: readonly string[]): readonly number[];
  /** Words of names and descriptions, as written, that hold this run of letters. Some may be of skills that are gone. */
  formsHolding(run: string): readonly string[];
  /** Words that names are made of, of a length between these two. */
  nameWords(shortest: number, longest: number): readonly string[];
  /** Documents in order of name, after this one. */
  namesAfter(name: string, limit: number): readonly { readonly document: number; readonly name: string }[];
  /** Phrases that call for a skill and begin with this term. */
  triggers(firstTerm: string): readonly (TriggerPhrase & { readonly document: number })[];
}

/** By where the term stands: in the name or the description, or in the body. */
export interface Postings {
  readonly head: readonly Uint8Array[];
  readonly body: readonly Uint8Array[];
}

/** What every search works with. */
export interface SearchParts {
  readonly reader: IndexReader;
  readonly lexicon: Lexicon;
}
