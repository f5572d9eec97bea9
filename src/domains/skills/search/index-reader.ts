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
  /** Those of names and descriptions alone. */
  headPostings(termNumber: number): Postings['head'];
  streams(document: number): DocumentStreams;
  name(document: number): string;
  /** Name and description, folded, as a whole query is looked for in them. */
  text(document: number): string;
  /** Documents whose text holds one of the phrases: 1 in the description, 2 in the name, 3 in both. Reads every text, or those of some. */
  containing(
    phrases: readonly string[],
    among?: readonly number[],
  ): readonly { readonly document: number; readonly where: number }[];
  /** Documents with one of these very names. */
  named(names: readonly string[]): readonly number[];
  /** Words of names and descriptions, as written, that hold this run of letters. Some may be of skills that are gone. */
  formsHolding(run: string): readonly string[];
  /** Words that names are made of, of a length between these two. Some may be of skills that are gone. */
  nameWords(shortest: number, longest: number): readonly string[];
  /** Documents in order of name, after this one; without one, from the first. */
  namesAfter(last: NamedDocument | undefined, limit: number): readonly NamedDocument[];
  /** Phrases that call for a skill and begin with this term. */
  triggers(firstTerm: string): readonly (TriggerPhrase & { readonly document: number })[];
}

export interface NamedDocument {
  readonly document: number;
  readonly name: string;
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
