/** What the second stage looks at in one document: numbers that a weighted sum makes a score of. */
import type { Query } from './query.ts';
import { FORM_BITS, type StreamBuffer } from './token-stream.ts';
import { type Features, FIELD_WEIGHTS, SATURATION, type SearchField } from './weights.ts';

/** Stretches of a body, in words. */
const PHRASE = 12;
const PASSAGE = 30;
const SECTION = 180;
/** Words apart that still count as close. */
const CLOSE = 2;

const FORM_MASK = (1 << FORM_BITS) - 1;
const NAME = 0;
const DESCRIPTION = 1;
const BODY = 2;

/** What else is known of the document. */
export interface DocumentFacts {
  readonly norms: Readonly<Record<SearchField, number>>;
  /** First-stage score over the best one. */
  readonly first: number;
}

/** Terms of the query, as indices, that each field has, the heaviest first. */
export type FoundTerms = { readonly [field in SearchField]: readonly number[] };

/** Looks at documents for one query, one after the other, in memory that is used again. */
export interface FeatureReader {
  read(stream: StreamBuffer, facts: DocumentFacts): Features;
  /** What the document that was read last has of the query. */
  found(): FoundTerms;
}

export function createFeatureReader(query: Query): FeatureReader {
  const size = query.terms.length;
  const weights = Float64Array.from(query.terms, ({ weight }) => weight);
  const ones = new Float64Array(size).fill(1);
  const total = weights.reduce((sum, weight) => sum + weight, 0) + query.unknownWeight || 1;
  const scan = createScan(query, weights);
  const closeMost = total * Math.sqrt(size) || 1;

  function exactScore(norms: DocumentFacts['norms']): number {
    let score = 0;
    for (let slot = 0; slot < size; slot++) {
      const occurrences =
        FIELD_WEIGHTS.name * scan.exact(slot, NAME) * norms.name +
        FIELD_WEIGHTS.description * scan.exact(slot, DESCRIPTION) * norms.description +
        FIELD_WEIGHTS.body * scan.exact(slot, BODY) * norms.body;
      score += ((weights[slot] ?? 0) * occurrences) / (SATURATION + occurrences);
    }
    return score / total;
  }

  return {
    read(stream, { norms, first }) {
      scan.run(stream);
      const described = stream.descriptionEnd - stream.nameEnd;
      return {
        pairs: query.pairs.length === 0 ? 0 : scan.pairs() / query.pairs.length,
        close: scan.close() / closeMost,
        first,
        exact: exactScore(norms),
        phrase: size === 0 ? 0 : scan.densest(PHRASE, ones) / size,
        passage: scan.densest(PASSAGE, weights) / total,
        section: scan.densest(SECTION, weights) / total,
        described: described === 0 ? 0 : scan.hits(DESCRIPTION) / described,
        named: stream.nameEnd === 0 ? 0 : scan.hits(NAME) / stream.nameEnd,
      };
    },
    found: () => ({ name: scan.slots(NAME), description: scan.slots(DESCRIPTION), body: scan.slots(BODY) }),
  };
}

interface Scan {
  run(stream: StreamBuffer): void;
  /** How often a term stands in a field exactly as the query has it. */
  exact(slot: number, field: number): number;
  /** Places of a field where some term of the query stands. */
  hits(field: number): number;
  /** Terms that stand in a field, the heaviest first. */
  slots(field: number): readonly number[];
  pairs(): number;
  close(): number;
  /** The most that a stretch of the body holds of the query. */
  densest(length: number, weights: Float64Array): number;
}

function createScan(query: Query, weights: Float64Array): Scan {
  const size = query.terms.length;
  const slotOf = createSlotTable(query);
  const forms = Int32Array.from(query.terms, (term) => term.forms);
  const counts = new Uint16Array(size * 3);
  const exactCounts = new Uint16Array(size * 3);
  const inStretch = new Uint16Array(size);
  const fieldHits = [0, 0, 0];
  const found: Matches = {
    places: new Int32Array(1024),
    slots: new Int32Array(1024),
    length: 0,
    bodyFrom: 0,
  };
  const neighbours = createNeighbours(query, weights);

  function reset(most: number): void {
    counts.fill(0);
    exactCounts.fill(0);
    fieldHits.fill(0);
    neighbours.reset();
    found.length = 0;
    found.bodyFrom = -1;
    if (found.places.length >= most) return;
    found.places = new Int32Array(most * 2);
    found.slots = new Int32Array(most * 2);
  }

  return {
    run({ tokens, length, nameEnd, descriptionEnd }) {
      reset(length);
      for (let position = 0; position < length; position++) {
        const token = tokens[position] ?? 0;
        const slot = slotOf(token >> FORM_BITS);
        if (slot < 0) continue;
        const field = position < nameEnd ? NAME : position < descriptionEnd ? DESCRIPTION : BODY;
        if (field === BODY && found.bodyFrom < 0) found.bodyFrom = found.length;
        const cell = slot * 3 + field;
        counts[cell] = (counts[cell] ?? 0) + 1;
        fieldHits[field] = (fieldHits[field] ?? 0) + 1;
        if (((forms[slot] ?? 0) >> (token & FORM_MASK)) & 1) exactCounts[cell] = (exactCounts[cell] ?? 0) + 1;
        neighbours.add(found, slot, position);
        found.places[found.length] = position;
        found.slots[found.length++] = slot;
      }
      if (found.bodyFrom < 0) found.bodyFrom = found.length;
    },
    exact: (slot, field) => exactCounts[slot * 3 + field] ?? 0,
    hits: (field) => fieldHits[field] ?? 0,
    slots: (field) => query.terms.flatMap((_, slot) => ((counts[slot * 3 + field] ?? 0) > 0 ? [slot] : [])),
    pairs: neighbours.pairs,
    close: neighbours.close,
    densest: (length, by) => densest(found, length, { by, inStretch }),
  };
}

/** Where terms of the query stand in a document, in order. */
interface Matches {
  places: Int32Array;
  slots: Int32Array;
  length: number;
  /** The first one that stands in the body. */
  bodyFrom: number;
}

interface Neighbours {
  reset(): void;
  /** A term at a position, after those that were found before it. */
  add(before: Matches, slot: number, position: number): void;
  /** Pairs of the query that stand side by side in the same order. */
  pairs(): number;
  /** What terms weigh that stand close together, in any order. */
  close(): number;
}

function createNeighbours({ terms, pairs }: Query, weights: Float64Array): Neighbours {
  const size = terms.length;
  const isPair = new Uint8Array(size * size);
  for (const [first, second] of pairs) isPair[first * size + second] = 1;
  /** By two terms: 1 when they were close, 2 when they were a pair. Each counts once. */
  const seen = new Uint8Array(size * size);
  let pairsFound = 0;
  let closeness = 0;

  function meet(earlier: number, later: number, isNext: boolean): void {
    if (earlier === later) return;
    const either = Math.min(earlier, later) * size + Math.max(earlier, later);
    if (((seen[either] ?? 0) & 1) === 0) {
      seen[either] = (seen[either] ?? 0) | 1;
      closeness += Math.min(weights[earlier] ?? 0, weights[later] ?? 0);
    }
    const pair = earlier * size + later;
    if (isNext && isPair[pair] === 1 && ((seen[pair] ?? 0) & 2) === 0) {
      seen[pair] = (seen[pair] ?? 0) | 2;
      pairsFound++;
    }
  }

  return {
    reset() {
      seen.fill(0);
      pairsFound = 0;
      closeness = 0;
    },
    add({ places, slots, length }, slot, position) {
      for (let back = length - 1; back >= 0; back--) {
        const distance = position - (places[back] ?? 0);
        if (distance > CLOSE) return;
        meet(slots[back] ?? 0, slot, distance === 1);
      }
    },
    pairs: () => pairsFound,
    close: () => closeness,
  };
}

/** A window of so many words that moves over the body; each term in it counts once. */
function densest(
  { places, slots, length: matches, bodyFrom }: Matches,
  length: number,
  { by, inStretch }: { readonly by: Float64Array; readonly inStretch: Uint16Array },
): number {
  inStretch.fill(0);
  let held = 0;
  let most = 0;
  let start = bodyFrom;
  for (let end = bodyFrom; end < matches; end++) {
    const slot = slots[end] ?? 0;
    inStretch[slot] = (inStretch[slot] ?? 0) + 1;
    if (inStretch[slot] === 1) held += by[slot] ?? 0;
    while ((places[end] ?? 0) - (places[start] ?? 0) >= length) {
      const left = slots[start++] ?? 0;
      inStretch[left] = (inStretch[left] ?? 0) - 1;
      if (inStretch[left] === 0) held -= by[left] ?? 0;
    }
    if (held > most) most = held;
  }
  return most;
}

/** From the number of a term to its place in the query, or -1. Asked for every word of every document that is read. */
function createSlotTable({ terms }: Query): (termNumber: number) => number {
  let cells = 16;
  while (cells < terms.length * 4) cells *= 2;
  const mask = cells - 1;
  const numbers = new Int32Array(cells).fill(-1);
  const slots = new Int32Array(cells).fill(-1);
  terms.forEach(({ number }, slot) => {
    let cell = number & mask;
    while (numbers[cell] !== -1) cell = (cell + 1) & mask;
    numbers[cell] = number;
    slots[cell] = slot;
  });
  return (termNumber) => {
    let cell = termNumber & mask;
    for (;;) {
      const number = numbers[cell];
      if (number === termNumber) return slots[cell] ?? -1;
      if (number === -1 || number === undefined) return -1;
      cell = (cell + 1) & mask;
    }
  };
}
