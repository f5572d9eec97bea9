/** Whether a task calls for a skill. Unlike a search it may answer with nothing. */
import type { TriggerPhrase } from './document.ts';
import type { FoundTerms } from './features.ts';
import type { SearchParts } from './index-reader.ts';
import type { Query } from './query.ts';
import { createReranker } from './rerank.ts';
import {
  askedOf,
  firstStage,
  type RankedSkill,
  type Ranking,
  reasonOf,
  type SearchOptions,
} from './search.ts';
import { tokenise } from './tokenise.ts';
import {
  type Features,
  FIELD_WEIGHTS,
  MATCH_THRESHOLD,
  MATCH_WEIGHTS,
  type MatchSigns,
  SATURATION,
} from './weights.ts';

/** Longer texts are cut, as queries are. */
const TASK_CHARS_MAX = 32_000;
/** A trigger that stands in the task is as good as a name. */
const TRIGGER_SCORE = 0.95;

export function matchSkills(
  task: string,
  { limit, accepts = () => true }: SearchOptions,
  parts: SearchParts,
): Ranking {
  const { reader } = parts;
  const text = task.slice(0, TASK_CHARS_MAX);
  const query = askedOf(text, parts);
  const hits = new Map<string, RankedSkill>();
  let least = 1;
  for (const { document, likelihood, found } of judged(query, parts)) {
    // The best answer decides whether there is one: the threshold was set on it.
    if (likelihood < MATCH_THRESHOLD) break;
    // Whatever ranks lower is no likelier than what ranks above it.
    least = Math.min(least, likelihood);
    const name = reader.name(document);
    hits.set(name, { name, score: rounded(least), why: reasonOf(query, found) });
  }
  for (const [document, phrase] of triggeredBy(text, parts)) {
    const name = reader.name(document);
    const score = Math.max(TRIGGER_SCORE, hits.get(name)?.score ?? 0);
    hits.set(name, { name, score, why: `trigger: ${phrase}` });
  }
  const allowed = [...hits.values()].filter(({ name }) => accepts(name));
  // A stable sort: what is equally likely stays in the order of the ranking.
  allowed.sort((a, b) => b.score - a.score);
  return { hits: allowed.slice(0, limit), total: allowed.length };
}

export interface Judged {
  readonly document: number;
  readonly signs: MatchSigns;
  readonly found: FoundTerms;
  /** That the skill is meant, from 0 to 1. */
  readonly likelihood: number;
}

/** The documents of the second stage, the best first, each with its likelihood. */
export function* judged(query: Query, { reader }: SearchParts): Iterable<Judged> {
  const first = firstStage(query, reader);
  const ideal = idealScore(query);
  const reranker = createReranker(query, reader, first);
  const ranked = first.documents.map((document) => ({
    ...reranker.rank(document),
    name: reader.name(document),
  }));
  ranked.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  for (const { document, features } of ranked) {
    const found = reranker.found(document);
    const signs = signsOf(features, found, (first.scores[document] ?? 0) / ideal);
    yield { document, signs, found, likelihood: likelihoodOf(signs) };
  }
}

/** What a skill would score that has every word of the query once in its name and once in its description. */
function idealScore({ terms, unknownWeight }: Query): number {
  const occurrences = FIELD_WEIGHTS.name + FIELD_WEIGHTS.description;
  const weight = terms.reduce((sum, term) => sum + term.weight, 0) + unknownWeight;
  return (weight * occurrences) / (SATURATION + occurrences) || 1;
}

function signsOf(features: Features, found: FoundTerms, share: number): MatchSigns {
  const matched = new Set([...found.name, ...found.description, ...found.body]);
  return {
    share,
    words: Math.min(1, Math.log2(1 + matched.size) / 5),
    close: Math.min(1, features.close),
    described: features.described,
    named: features.named,
  };
}

function likelihoodOf(signs: MatchSigns): number {
  const w = MATCH_WEIGHTS;
  const sum =
    w.bias +
    w.share * signs.share +
    w.words * signs.words +
    w.close * signs.close +
    w.described * signs.described +
    w.named * signs.named;
  return 1 / (1 + Math.exp(-sum));
}

/** Skills whose trigger stands in the task, word after word, by name. The longest trigger is the one that is told. */
function triggeredBy(task: string, { reader, lexicon }: SearchParts): readonly (readonly [number, string])[] {
  const terms = tokenise(task, lexicon).map(({ term }) => term);
  const text = ` ${terms.join(' ')} `;
  const longest = new Map<number, TriggerPhrase>();
  for (const term of new Set(terms)) {
    for (const { document, ...trigger } of reader.triggers(term)) {
      if (!text.includes(` ${trigger.terms} `)) continue;
      const known = longest.get(document);
      if (known === undefined || known.terms.length < trigger.terms.length) longest.set(document, trigger);
    }
  }
  const found = [...longest].map(([document, { phrase }]) => [document, phrase] as const);
  return found.sort(([a], [b]) => (reader.name(a) < reader.name(b) ? -1 : 1));
}

function rounded(score: number): number {
  return Math.round(score * 1000) / 1000;
}
