/**
 * Learns the weights of `src/domains/skills/search/weights.ts` from the training queries and prints them as they stand there.
 *
 *   node --import tsx bench/search-train.ts <folder of the development set>
 *
 * Second stage: a listwise softmax, the share of the right skill's score among the documents of the first stage. Match: a
 * logistic regression of the first answer, right ones against the first answers to texts that call for nothing.
 */

import type { SearchParts } from '../src/domains/skills/search/index-reader.ts';
import { type Judged, judged } from '../src/domains/skills/search/match.ts';
import { createReranker } from '../src/domains/skills/search/rerank.ts';
import { askedOf, firstStage } from '../src/domains/skills/search/search.ts';
import { createSearchReads } from '../src/domains/skills/search/search-repository.ts';
import { createLexicon } from '../src/domains/skills/search/tokenise.ts';
import {
  FEATURE_WEIGHTS,
  type Features,
  MATCH_WEIGHTS,
  type MatchSigns,
} from '../src/domains/skills/search/weights.ts';
import { TRAINING_NEGATIVES } from './search/calibration.ts';
import { type BenchQuery, requireBenchData } from './search/data.ts';
import { buildStoredIndex, GENERATION } from './search/stored-index.ts';

interface Example {
  /** One row of numbers for each document. */
  readonly rows: readonly (readonly number[])[];
  readonly right: readonly number[];
}

const FEATURES = Object.keys(FEATURE_WEIGHTS) as (keyof Features)[];
const SIGNS = Object.keys(MATCH_WEIGHTS).filter((sign) => sign !== 'bias') as (keyof MatchSigns)[];
const FEATURE_ROUNDS = 150;
const MATCH_ROUNDS = 600;
const STEP = 0.1;

async function main(): Promise<void> {
  const data = requireBenchData(process.argv[2]);
  const stored = await buildStoredIndex(data.skills);
  createSearchReads(stored.db.handle).read(GENERATION, (reader) =>
    learn(data.train, { reader, lexicon: createLexicon() }),
  );
  await stored.close();
}

function learn(train: readonly BenchQuery[], parts: SearchParts): void {
  const examples = train.map((query) => exampleOf(query, parts)).filter(({ right }) => right.length > 0);
  console.log(`second stage, ${examples.length} queries`);
  const weights = descend(FEATURES.length, FEATURE_ROUNDS, (w) => softmaxGradient(examples, w));
  print(FEATURES, weights);
  learnMatch(train, parts);
}

function exampleOf({ query, relevant }: BenchQuery, parts: SearchParts): Example {
  const asked = askedOf(query, parts);
  const first = firstStage(asked, parts.reader);
  const reranker = createReranker(asked, parts.reader, first);
  return {
    rows: first.documents.map((document) => {
      const { features } = reranker.rank(document);
      return FEATURES.map((feature) => features[feature]);
    }),
    right: first.documents.flatMap((document, row) =>
      relevant.has(parts.reader.name(document)) ? [row] : [],
    ),
  };
}

function softmaxGradient(examples: readonly Example[], weights: readonly number[]): readonly number[] {
  const gradient = weights.map(() => 0);
  for (const { rows, right } of examples) {
    const powers = rows.map((row) => Math.exp(dot(row, weights)));
    const total = powers.reduce((sum, power) => sum + power, 0);
    rows.forEach((row, index) => {
      const error = (powers[index] ?? 0) / total - (right.includes(index) ? 1 / right.length : 0);
      row.forEach((value, at) => {
        gradient[at] = (gradient[at] ?? 0) + (error * value) / examples.length;
      });
    });
  }
  return gradient;
}

function learnMatch(train: readonly BenchQuery[], parts: SearchParts): void {
  const rows: { readonly row: readonly number[]; readonly right: boolean }[] = [];
  const top = (text: string): Judged | undefined => {
    const [best] = judged(askedOf(text, parts), parts);
    return best;
  };
  for (const { query, relevant } of train) {
    const best = top(query);
    if (best !== undefined && relevant.has(parts.reader.name(best.document))) {
      rows.push({ row: [1, ...SIGNS.map((sign) => best.signs[sign])], right: true });
    }
  }
  for (const text of TRAINING_NEGATIVES) {
    const best = top(text);
    if (best !== undefined) rows.push({ row: [1, ...SIGNS.map((sign) => best.signs[sign])], right: false });
  }
  const rightCount = rows.filter(({ right }) => right).length;
  const wrongCount = rows.length - rightCount;
  console.log(
    `match, ${rightCount} right first answers against ${wrongCount} to texts that call for nothing`,
  );
  const weights = descend(SIGNS.length + 1, MATCH_ROUNDS, (w) => {
    const gradient = w.map((value, at) => (at === 0 ? 0 : 0.0002 * value));
    for (const { row, right } of rows) {
      // Both kinds count the same, however many there are.
      const share = 0.5 / (right ? rightCount : wrongCount);
      const error = share * (1 / (1 + Math.exp(-dot(row, w))) - (right ? 1 : 0));
      row.forEach((value, at) => {
        gradient[at] = (gradient[at] ?? 0) + error * value;
      });
    }
    return gradient;
  });
  print(['bias', ...SIGNS], weights);
  const scores = rows.map(({ row, right }) => ({
    right,
    likelihood: 1 / (1 + Math.exp(-dot(row, weights))),
  }));
  for (const threshold of [0.3, 0.4, 0.5, 0.6, 0.7, 0.8]) {
    const over = scores.filter(({ likelihood }) => likelihood >= threshold);
    const hits = over.filter(({ right }) => right).length / rightCount;
    const misses = over.filter(({ right }) => !right).length / TRAINING_NEGATIVES.length;
    console.log(
      `threshold ${threshold}: ${(100 * hits).toFixed(1)} % of right ones, ${(100 * misses).toFixed(1)} % false`,
    );
  }
}

/** Adam, from ones. */
function descend(
  size: number,
  rounds: number,
  gradientOf: (weights: readonly number[]) => readonly number[],
): readonly number[] {
  const weights = new Array<number>(size).fill(1);
  const mean = new Array<number>(size).fill(0);
  const square = new Array<number>(size).fill(0);
  for (let round = 1; round <= rounds; round++) {
    gradientOf(weights).forEach((slope, at) => {
      const m = (mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope);
      const v = (square[at] = 0.99 * (square[at] ?? 0) + 0.01 * slope * slope);
      const move = m / (1 - 0.9 ** round) / (Math.sqrt(v / (1 - 0.99 ** round)) + 1e-9);
      weights[at] = (weights[at] ?? 0) - STEP * move;
    });
  }
  return weights;
}

function dot(row: readonly number[], weights: readonly number[]): number {
  return row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
}

function print(names: readonly string[], weights: readonly number[]): void {
  names.forEach((name, at) => {
    console.log(`  ${name}: ${(weights[at] ?? 0).toFixed(2)},`);
  });
}

await main();
