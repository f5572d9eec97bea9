/**
 * Every number that the ranking was tuned with, in one place. `bench/search/train.ts` learns the weights of the second stage
 * and of the match anew and prints them as they stand here.
 */

export type SearchField = 'name' | 'description' | 'body';

/** What an occurrence in a field counts (BM25F). */
export const FIELD_WEIGHTS: Readonly<Record<SearchField, number>> = { name: 4, description: 4, body: 1 };

/** How much a long field devalues its words, from 0 to 1. */
export const LENGTH_NORMALISATION: Readonly<Record<SearchField, number>> = {
  name: 0.3,
  description: 0.5,
  body: 0.8,
};

/** How soon further occurrences stop to count. */
export const SATURATION = 2.5;

/** Words of a query that are looked up: those that weigh most. More of them is slower, not better. */
export const QUERY_TERMS_MAX = 48;

/** Documents that the second stage looks at. Deeper changes nothing. */
export const RERANK_DEPTH = 50;

/** What the second stage sees in a document; each from 0 to about 1. */
export interface Features {
  /** Share of the query's neighbouring words that are neighbours here. */
  readonly pairs: number;
  /** Any words of the query that stand close together here. */
  readonly close: number;
  /** First-stage score, the best of the query being 1. */
  readonly first: number;
  /** Score of the words exactly as written. */
  readonly exact: number;
  /** Share of the query's words within the best dozen words of the body. */
  readonly phrase: number;
  /** Share of the query, by weight, within the best sentence or two. */
  readonly passage: number;
  /** The same within the best section. */
  readonly section: number;
  /** Share of the description's words that the query has. */
  readonly described: number;
  /** Share of the name's words that the query has. */
  readonly named: number;
}

export const FEATURE_WEIGHTS: Features = {
  pairs: 3.0,
  close: 2.56,
  first: 3.67,
  exact: 3.56,
  phrase: 2.45,
  passage: 2.46,
  section: 1.47,
  described: 3.22,
  named: 0.31,
};

/** What tells whether a skill is meant at all; each from 0 to about 1. */
export interface MatchSigns {
  /** First-stage score over that of a skill with every word of the task in its name and its description. */
  readonly share: number;
  /** How many words of the task the skill has, 31 and more being 1. A single word in common says little. */
  readonly words: number;
  readonly close: number;
  readonly described: number;
  readonly named: number;
}

export const MATCH_WEIGHTS: MatchSigns & { readonly bias: number } = {
  bias: -9.9,
  share: 3.36,
  words: 15.46,
  close: 4.47,
  described: 6.74,
  named: 1.08,
};

/** Likelihood from which on a skill triggers: 3 in 100 texts that call for nothing still do. */
export const MATCH_THRESHOLD = 0.7;
