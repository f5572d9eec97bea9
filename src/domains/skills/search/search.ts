/** The search itself: exact phrases first, then what the two stages rank highest, with slips mended where nothing fits. */
import type { FoundTerms } from './features.ts';
import type { IndexReader, SearchParts } from './index-reader.ts';
import { PlainRank } from './plain-bounds.ts';
import { plainMatches } from './plain-match.ts';
import { parseQuery, type Query } from './query.ts';
import { type Best, bestDocuments, scoreDocuments } from './rank.ts';
import { createReranker, type Reranked, SCORE_MOST } from './rerank.ts';
import { allByName } from './score-order.ts';
import { MENDED_WORDS_MAX, mendQuery } from './typo.ts';
import { RERANK_DEPTH } from './weights.ts';

export interface RankedSkill {
  readonly name: string;
  /** Above 1 when the whole query stands in the name or the description; otherwise from 0 to 1. */
  readonly score: number;
  /** Why it was found, in a few words. */
  readonly why: string;
}

export interface Ranking {
  readonly hits: readonly RankedSkill[];
  /** Skills that have anything of the query. */
  readonly total: number;
}

export interface SearchOptions {
  readonly limit: number;
  /** Whether a skill may be shown; asked in the order of the ranking, until enough are found. */
  readonly accepts?: ((name: string) => boolean) | undefined;
  /** How often a skill was used: decides between skills that fit equally well, and nothing else. */
  readonly usage?: ((name: string) => number) | undefined;
}

/** Never fails on a query: it is text, whatever it holds. An empty one lists by name. */
export function searchSkills(query: string, options: SearchOptions, parts: SearchParts): Ranking {
  if (query.trim() === '') return listed(options, parts.reader);
  const found = find(query, options, parts);
  const mended = needsMending(found) ? mend(query, parts) : null;
  if (mended === null) return { hits: found.hits, total: found.total };
  const better = find(mended.query, options, parts);
  // What was typed fits nothing exactly, so no hit of the mended query may claim to.
  const hits = better.hits.map((hit) => ({
    ...hit,
    score: rounded(SCORE_MENDED + hit.score / 100),
    why: `${mended.read}; ${hit.why}`,
  }));
  const known = new Set(hits.map(({ name }) => name));
  const others = found.hits
    .filter(({ name }) => !known.has(name))
    .map((hit) => ({ ...hit, score: Math.min(hit.score, SCORE_MENDED) }));
  return {
    hits: [...hits, ...others].slice(0, options.limit),
    total: Math.max(better.total, found.total, hits.length),
  };
}

export interface FirstStage extends Best {
  readonly scores: Float64Array;
}

/** The best documents by BM25F, the best first. */
export function firstStage(query: Query, reader: IndexReader, depth: number = RERANK_DEPTH): FirstStage {
  const scores = scoreDocuments(query, reader);
  const best = bestDocuments(scores, depth);
  const named = best.documents.map((document) => ({ document, name: reader.name(document) }));
  named.sort((a, b) => (scores[b.document] ?? 0) - (scores[a.document] ?? 0) || (a.name < b.name ? -1 : 1));
  return { ...best, scores, documents: named.slice(0, depth).map(({ document }) => document) };
}

export function askedOf(text: string, { reader, lexicon }: SearchParts): Query {
  return parseQuery(text, lexicon, { documents: reader.corpus.count, facts: reader.facts });
}

interface Found extends Ranking {
  readonly query: Query;
}

function find(text: string, options: SearchOptions, parts: SearchParts): Found {
  const { reader } = parts;
  const query = askedOf(text, parts);
  // Skills that may not be shown are passed over, so more are looked at until enough are left.
  for (let depth = RERANK_DEPTH; ; depth *= 4) {
    const first = firstStage(query, reader, depth);
    const plain = plainMatches(text, { wanted: depth, scores: first.scores, usage: options.usage }, parts);
    const documents = [...new Set([...plain.ranks.keys(), ...first.documents])];
    const hits = shown(query, { reader, first, plain: plain.ranks, documents }, options);
    const isAll = depth >= first.total && !plain.hasMore;
    if (hits.length >= options.limit || isAll) return { query, hits, total: first.total + plain.unscored };
  }
}

interface Candidates {
  readonly reader: IndexReader;
  readonly first: FirstStage;
  readonly plain: ReadonlyMap<number, PlainRank>;
  readonly documents: readonly number[];
}

/** Ranks the candidates and takes as many as are wanted. */
function shown(
  query: Query,
  { reader, first, plain, documents }: Candidates,
  { limit, accepts = () => true, usage = () => 0 }: SearchOptions,
): readonly RankedSkill[] {
  const reranker = createReranker(query, reader, first);
  const ranked = documents.map((document) => {
    const rank = plain.get(document) ?? PlainRank.none;
    const name = reader.name(document);
    return { document, rank, name, score: scoreOf(reranker.rank(document), rank), used: usage(name) };
  });
  ranked.sort((a, b) => b.score - a.score || b.used - a.used || (a.name < b.name ? -1 : 1));
  const hits: RankedSkill[] = [];
  for (const { document, rank, score, name } of ranked) {
    if (hits.length >= limit) break;
    if (accepts(name)) hits.push({ name, score, why: reasonOf(query, reranker.found(document), rank) });
  }
  return hits;
}

/** Below every whole phrase. */
const SCORE_WORDS_MOST = 0.999;
/** Where the scores of a mended query begin; they stay below 1. */
const SCORE_MENDED = 0.9;

function scoreOf({ score }: Reranked, rank: PlainRank): number {
  return rounded(rank + Math.min(SCORE_WORDS_MOST, score / SCORE_MOST));
}

/** Three decimals: what differs less fits equally well. */
function rounded(score: number): number {
  return Math.round(score * 1000) / 1000;
}

function listed({ limit, accepts = () => true }: SearchOptions, reader: IndexReader): Ranking {
  const { corpus } = reader;
  const hits: RankedSkill[] = [];
  for (const { document, name } of allByName(reader)) {
    if (hits.length >= limit) break;
    if ((corpus.norms.name[document] ?? 0) > 0 && accepts(name))
      hits.push({ name, score: 0, why: 'listed by name' });
  }
  return { hits, total: corpus.count };
}

function needsMending({ query, hits }: Found): boolean {
  return query.unknownWeight > 0 && query.wordCount <= MENDED_WORDS_MAX && (hits[0]?.score ?? 0) < 1;
}

function mend(
  query: string,
  { reader, lexicon }: SearchParts,
): { readonly query: string; readonly read: string } | null {
  const isKnown = (word: string): boolean => {
    const term = lexicon.word(word)?.term;
    return term === undefined || (reader.facts([term])[0]?.documents ?? 0) > 0;
  };
  const mended = mendQuery(query, { isKnown, nameWords: reader.nameWords });
  if (mended === null) return null;
  const read = mended.changes.map(({ typed, meant }) => `${typed} read as ${meant}`).join(', ');
  return { query: mended.query, read };
}

const WORDS_NAMED = 3;

const PLAIN_REASONS: Readonly<Record<PlainRank, string>> = {
  [PlainRank.none]: '',
  [PlainRank.description]: 'in description',
  [PlainRank.name]: 'in name',
  [PlainRank.both]: 'in name and description',
  [PlainRank.exact]: 'exact name',
};

/** A word is told once, where it counts most. */
export function reasonOf(query: Query, found: FoundTerms, rank: PlainRank = PlainRank.none): string {
  if (rank !== PlainRank.none) return PLAIN_REASONS[rank];
  const named = new Set<number>();
  const parts: string[] = [];
  for (const field of ['name', 'description', 'body'] as const) {
    const slots = found[field].filter((slot) => !named.has(slot)).slice(0, WORDS_NAMED);
    for (const slot of found[field]) named.add(slot);
    if (slots.length > 0)
      parts.push(`${field}: ${slots.map((slot) => query.terms[slot]?.written).join(', ')}`);
  }
  return parts.join('; ');
}
