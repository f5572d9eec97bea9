/** Where a phrase may stand in each skill, told from the index before any text is read. */
import type { IndexReader, SearchParts } from './index-reader.ts';
import { createPostingBuffer, decodeList, IN_NAME_FROM, isInDescription } from './postings.ts';
import { indexedParts } from './tokenise.ts';

/** How well the whole query fits: 1 for the description, 2 for the name, their sum for both, and above that the very name. */
export const PlainRank = { none: 0, description: 1, name: 2, both: 3, exact: 4 } as const;
export type PlainRank = (typeof PlainRank)[keyof typeof PlainRank];

/** By document: name and description as far as the phrase may stand there, as their rank; 0 where it cannot. */
export type PlainBounds = Uint8Array;

/** The longest tell most; what is left of a long phrase tells no more. */
const PARTS_MAX = 4;

/** From the words that hold parts of the phrase. Null when that leads nowhere. */
export function boundsByWords(phrase: string, { reader, lexicon }: SearchParts): PlainBounds | null {
  const parts = indexedParts(phrase).slice(0, PARTS_MAX);
  if (parts.length === 0) return null;
  const bounds = new Uint8Array(reader.corpus.size);
  const { name } = reader.corpus.norms;
  for (let document = 0; document < bounds.length; document++)
    if ((name[document] ?? 0) > 0) bounds[document] = PlainRank.both;
  const buffer = createPostingBuffer();
  for (const part of parts) {
    const here = new Uint8Array(bounds.length);
    const terms = new Set(reader.formsHolding(part).flatMap((form) => lexicon.word(form)?.term ?? []));
    for (const facts of reader.facts([...terms])) {
      for (const list of facts === null ? [] : reader.headPostings(facts.number)) {
        decodeList(list, buffer);
        for (let at = 0; at < buffer.length; at++) {
          const packed = buffer.packed[at] ?? 0;
          const inName = packed >= IN_NAME_FROM ? PlainRank.name : 0;
          const inDescription = isInDescription(packed) ? PlainRank.description : 0;
          const document = buffer.documents[at] ?? 0;
          here[document] = (here[document] ?? 0) | inName | inDescription;
        }
      }
    }
    // A field that lacks one part of the phrase cannot hold the phrase.
    for (let document = 0; document < bounds.length; document++)
      bounds[document] = (bounds[document] ?? 0) & (here[document] ?? 0);
  }
  return bounds;
}

/** Of more than this share of all documents, the texts are read faster one after the other than each by its number. */
const AMONG_SHARE_MAX = 1 / 4;

/** From the texts themselves, of all or of those that may hold it: what this says is so. */
export function boundsByTexts(
  phrases: readonly string[],
  { containing, corpus }: IndexReader,
  among: PlainBounds | null,
): PlainBounds {
  const some = among === null ? [] : withBound(among, (bound) => bound > 0);
  const isFew = among !== null && some.length <= corpus.size * AMONG_SHARE_MAX;
  const bounds = new Uint8Array(corpus.size);
  for (const { document, where } of containing(phrases, isFew ? some : undefined))
    if ((corpus.norms.name[document] ?? 0) > 0) bounds[document] = where;
  return bounds;
}

export function withBound(
  bounds: PlainBounds,
  accepts: (bound: number, document: number) => boolean,
): readonly number[] {
  const documents: number[] = [];
  for (let document = 0; document < bounds.length; document++)
    if (accepts(bounds[document] ?? 0, document)) documents.push(document);
  return documents;
}
