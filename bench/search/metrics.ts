/** How good answers are: hit at 1, 5, 10, mean reciprocal rank and nDCG at 10, in per cent. */
import type { BenchQuery } from './data.ts';

export interface Quality {
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr: number;
  readonly ndcg10: number;
}

export const METRICS = ['recall1', 'recall5', 'recall10', 'mrr', 'ndcg10'] as const;

/** Names in order, at most ten. */
export type Answer = (query: string) => readonly string[];

export interface Judged {
  readonly query: BenchQuery;
  readonly quality: Quality;
  /** Time of the processor, so that a busy machine changes little. */
  readonly ms: number;
}

export function judge(queries: readonly BenchQuery[], answer: Answer): readonly Judged[] {
  return queries.map((query) => {
    const before = process.cpuUsage();
    const names = answer(query.query);
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    return { query, ms, quality: qualityOf(names, query.relevant) };
  });
}

export function mean(judged: readonly { readonly quality: Quality }[]): Quality {
  const average = (metric: keyof Quality): number =>
    (100 * judged.reduce((sum, { quality }) => sum + quality[metric], 0)) / Math.max(1, judged.length);
  return {
    recall1: average('recall1'),
    recall5: average('recall5'),
    recall10: average('recall10'),
    mrr: average('mrr'),
    ndcg10: average('ndcg10'),
  };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function qualityOf(names: readonly string[], relevant: ReadonlySet<string>): Quality {
  const ranks = names.slice(0, 10).flatMap((name, rank) => (relevant.has(name) ? [rank] : []));
  const recall = (depth: number): number => ranks.filter((rank) => rank < depth).length / relevant.size;
  const gain = ranks.reduce((sum, rank) => sum + 1 / Math.log2(rank + 2), 0);
  let ideal = 0;
  for (let rank = 0; rank < Math.min(10, relevant.size); rank++) ideal += 1 / Math.log2(rank + 2);
  return {
    recall1: recall(1),
    recall5: recall(5),
    recall10: recall(10),
    mrr: ranks[0] === undefined ? 0 : 1 / (ranks[0] + 1),
    ndcg10: gain / ideal,
  };
}
