/** How often a task triggers a skill when it should, and when it should not. */
import type { BenchQuery } from './data.ts';
import type { Answer } from './metrics.ts';
import { NEGATIVES } from './negatives.ts';

const FALSE_SHOWN = 10;

/** Every other text was used for training; the rest are for measuring. */
export const TRAINING_NEGATIVES: readonly string[] = NEGATIVES.filter((_, at) => at % 2 === 0);
const MEASURED_NEGATIVES: readonly string[] = NEGATIVES.filter((_, at) => at % 2 === 1);

export function calibration(match: Answer, dev: readonly BenchQuery[]): string {
  const wrong = MEASURED_NEGATIVES.filter((text) => match(text).length > 0);
  return [
    `${MEASURED_NEGATIVES.length} texts that call for nothing (not used in training): ${wrong.length} trigger, ${share(wrong.length, MEASURED_NEGATIVES.length)}`,
    ...wrong.slice(0, FALSE_SHOWN).map((text) => `  ${text.slice(0, 80)} → ${match(text)[0]}`),
    ...(['swe', 'store'] as const).map((set) => hits(set, dev, match)),
  ].join('\n');
}

function hits(set: string, dev: readonly BenchQuery[], match: Answer): string {
  const queries = dev.filter((query) => query.set === set);
  let triggered = 0;
  let among = 0;
  let first = 0;
  for (const { query, relevant } of queries) {
    const names = match(query);
    if (names.length > 0) triggered++;
    if (names.some((name) => relevant.has(name))) among++;
    if (names[0] !== undefined && relevant.has(names[0])) first++;
  }
  return `${set}: ${share(triggered, queries.length)} of ${queries.length} tasks trigger; then the right skill is among five in ${share(among, triggered)}, first in ${share(first, triggered)}`;
}

function share(count: number, of: number): string {
  return `${((100 * count) / Math.max(1, of)).toFixed(1)} %`;
}
