/** The second stage: the best documents of the first are looked at word by word. */
import { createFeatureReader, type FoundTerms } from './features.ts';
import type { IndexReader } from './index-reader.ts';
import type { Query } from './query.ts';
import { createStreamBuffer, decodeStreams } from './token-stream.ts';
import { FEATURE_WEIGHTS, type Features } from './weights.ts';

export interface Reranked {
  readonly document: number;
  readonly features: Features;
  readonly score: number;
}

export interface FirstStage {
  readonly scores: Float64Array;
  /** The best of them. */
  readonly top: number;
}

export interface Reranker {
  rank(document: number): Reranked;
  /** What a document has of the query. Asked for the few that are shown. */
  found(document: number): FoundTerms;
}

export function createReranker(query: Query, reader: IndexReader, first: FirstStage): Reranker {
  const features = createFeatureReader(query);
  const buffer = createStreamBuffer();
  const { norms } = reader.corpus;

  function read(document: number): Features {
    decodeStreams(reader.streams(document), buffer);
    return features.read(buffer, {
      norms: {
        name: norms.name[document] ?? 0,
        description: norms.description[document] ?? 0,
        body: norms.body[document] ?? 0,
      },
      first: first.top === 0 ? 0 : (first.scores[document] ?? 0) / first.top,
    });
  }

  return {
    rank(document) {
      const seen = read(document);
      return { document, features: seen, score: weigh(seen) };
    },
    found(document) {
      read(document);
      return features.found();
    },
  };
}

function weigh(features: Features): number {
  const w = FEATURE_WEIGHTS;
  return (
    w.pairs * features.pairs +
    w.close * features.close +
    w.first * features.first +
    w.exact * features.exact +
    w.phrase * features.phrase +
    w.passage * features.passage +
    w.section * features.section +
    w.described * features.described +
    w.named * features.named
  );
}

/** What a document could reach at most. */
export const SCORE_MOST: number = Object.values(FEATURE_WEIGHTS).reduce((sum, weight) => sum + weight, 0);
