/** Documents in the order of their scores, as far as somebody asks. */
import type { IndexReader, NamedDocument } from './index-reader.ts';
import { nthLargest } from './rank.ts';

/** Up to so many, names are read and sorted; of more, the first are found by walking through all names in their order. */
const NAMES_SORTED_MAX = 512;
const NAMES_AT_ONCE = 512;
/** How much more is sorted when what was sorted before has not sufficed. */
const GROWTH = 8;

export interface ScoreOrder {
  readonly scores: Float64Array;
  readonly reader: Pick<IndexReader, 'name' | 'namesAfter'>;
  /** About as many will be asked for. */
  readonly wanted: number;
  /** What was used more often comes first among those that score the same. */
  readonly usage?: ((name: string) => number) | undefined;
}

/** The best first; where more score the same than are wanted, those come by use and by name. */
export function* heaviestFirst(documents: readonly number[], order: ScoreOrder): Generator<number> {
  const scoreOf = (document: number): number => order.scores[document] ?? 0;
  let rest = documents;
  for (let take = order.wanted; rest.length > 0; take *= GROWTH) {
    const { threshold } = nthLargest(Float64Array.from(rest, scoreOf), take);
    const above = rest.filter((document) => scoreOf(document) > threshold);
    yield* above.sort((a, b) => scoreOf(b) - scoreOf(a));
    const equal = rest.filter((document) => scoreOf(document) === threshold);
    yield* amongEquals(equal, order);
    rest = threshold === 0 ? [] : rest.filter((document) => scoreOf(document) < threshold);
  }
}

function* amongEquals(documents: readonly number[], { reader, usage }: ScoreOrder): Generator<number> {
  const named = documents.length <= NAMES_SORTED_MAX ? sorted(documents, reader) : found(documents, reader);
  const ordered = usage === undefined ? named : [...named].sort((a, b) => usage(b.name) - usage(a.name));
  for (const { document } of ordered) yield document;
}

function sorted(documents: readonly number[], reader: ScoreOrder['reader']): readonly NamedDocument[] {
  const named = documents.map((document) => ({ document, name: reader.name(document) }));
  return named.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function* found(documents: readonly number[], reader: ScoreOrder['reader']): Generator<NamedDocument> {
  const wanted = new Set(documents);
  for (const each of allByName(reader)) if (wanted.has(each.document)) yield each;
}

/** Every document of every generation, in order of name. */
export function* allByName(reader: Pick<IndexReader, 'namesAfter'>): Generator<NamedDocument> {
  for (let last: NamedDocument | undefined; ; ) {
    const page = reader.namesAfter(last, NAMES_AT_ONCE);
    yield* page;
    last = page.at(-1);
    if (page.length < NAMES_AT_ONCE) return;
  }
}
