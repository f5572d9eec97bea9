/** The first stage: BM25F over all documents, one term after the other. */
import type { Corpus } from './corpus.ts';
import type { IndexReader } from './index-reader.ts';
import { createPostingBuffer, decodeList, type PostingBuffer } from './postings.ts';
import type { Query } from './query.ts';
import { FIELD_WEIGHTS, SATURATION } from './weights.ts';

/** Scores by document number; 0 for what does not match. */
export function scoreDocuments(
  query: Query,
  { corpus, postings }: Pick<IndexReader, 'corpus' | 'postings'>,
): Float64Array {
  const scores = new Float64Array(corpus.size);
  const term = createTermScorer(corpus);
  const buffer = createPostingBuffer();
  for (const { number, weight } of query.terms) {
    const { head, body } = postings(number);
    for (const list of head) {
      decodeList(list, buffer);
      term.addHead(buffer);
    }
    for (const list of corpus.bodies ? body : []) {
      decodeList(list, buffer);
      term.addBody(buffer);
    }
    term.flush(weight, scores);
  }
  return scores;
}

interface TermScorer {
  addHead(postings: PostingBuffer): void;
  addBody(postings: PostingBuffer): void;
  /** Adds what the term is worth in each document, and forgets the term. */
  flush(weight: number, scores: Float64Array): void;
}

const { name: NAME, description: DESCRIPTION, body: BODY } = FIELD_WEIGHTS;

/** Adds up the occurrences of one term over the fields: only their sum saturates. */
function createTermScorer({ size, norms: { name, description, body } }: Corpus): TermScorer {
  const occurrences = new Float64Array(size);
  const touched = new Int32Array(size);
  let count = 0;

  function add(document: number, amount: number): void {
    // Documents of other generations have norms of 0.
    if (amount <= 0) return;
    const before = occurrences[document] ?? 0;
    if (before === 0) touched[count++] = document;
    occurrences[document] = before + amount;
  }

  return {
    addHead({ documents, packed, length }) {
      for (let at = 0; at < length; at++) {
        const document = documents[at] ?? 0;
        const byte = packed[at] ?? 0;
        const inName = NAME * (byte >> 6) * (name[document] ?? 0);
        add(document, inName + DESCRIPTION * (byte & 63) * (description[document] ?? 0));
      }
    },
    addBody({ documents, packed, length }) {
      for (let at = 0; at < length; at++) {
        const document = documents[at] ?? 0;
        add(document, BODY * (packed[at] ?? 0) * (body[document] ?? 0));
      }
    },
    flush(weight, scores) {
      for (let at = 0; at < count; at++) {
        const document = touched[at] ?? 0;
        const sum = occurrences[document] ?? 0;
        scores[document] = (scores[document] ?? 0) + (weight * sum) / (SATURATION + sum);
        occurrences[document] = 0;
      }
      count = 0;
    },
  };
}

export interface Best {
  /** The best, and with the last of them all that score the same: who comes first among those is not decided here. */
  readonly documents: readonly number[];
  /** All that match. */
  readonly total: number;
  readonly top: number;
}

export function bestDocuments(scores: Float64Array, wanted: number): Best {
  const { threshold, total } = nthLargest(scores, wanted);
  const documents: number[] = [];
  let top = 0;
  for (let document = 0; document < scores.length; document++) {
    const score = scores[document] ?? 0;
    if (score > top) top = score;
    if (score > 0 && score >= threshold) documents.push(document);
  }
  return { documents, total, top };
}

/** A heap of the best, the smallest of them on top. */
export function nthLargest(
  scores: Float64Array,
  wanted: number,
): { readonly threshold: number; readonly total: number } {
  const heap: number[] = [];
  let total = 0;
  // Not with an iterator: this is done for every document of every search.
  for (let document = 0; document < scores.length; document++) {
    const score = scores[document] ?? 0;
    if (score <= 0) continue;
    total++;
    if (heap.length < wanted) {
      heap.push(score);
      siftUp(heap);
    } else if (score > (heap[0] ?? 0)) {
      heap[0] = score;
      siftDown(heap);
    }
  }
  return { threshold: heap.length < wanted ? 0 : (heap[0] ?? 0), total };
}

function siftUp(heap: number[]): void {
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if ((heap[parent] ?? 0) <= (heap[child] ?? 0)) return;
    swap(heap, parent, child);
    child = parent;
  }
}

function siftDown(heap: number[]): void {
  let parent = 0;
  for (;;) {
    let child = 2 * parent + 1;
    if (child >= heap.length) return;
    if (child + 1 < heap.length && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child++;
    if ((heap[parent] ?? 0) <= (heap[child] ?? 0)) return;
    swap(heap, parent, child);
    parent = child;
  }
}

function swap(heap: number[], a: number, b: number): void {
  const kept = heap[a] ?? 0;
  heap[a] = heap[b] ?? 0;
  heap[b] = kept;
}
