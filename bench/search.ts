/**
 * How well and how fast skills are found, next to what others do.
 *
 *   npm run bench:search -- <folder of the development set> [--skills 100000]
 *
 * `--skills` adds the time of a search among so many: the corpus again and again under other names.
 */
import { parseArgs } from 'node:util';

import { ftsBaselines, miniSearchBaselines, substringBaselines } from './search/baselines.ts';
import { calibration } from './search/calibration.ts';
import { type BenchData, type BenchQuery, type BenchSkill, requireBenchData } from './search/data.ts';
import { type Answer, type Judged, judge, METRICS, mean, percentile } from './search/metrics.ts';
import { buildStoredIndex, GENERATION, type StoredIndex } from './search/stored-index.ts';

const SETS = ['swe', 'store'] as const;
const WORST = 20;
const TOP = 10;
const MATCHED = 5;
const TIMED_QUERIES = 200;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { skills: { type: 'string' } },
  });
  const data = requireBenchData(positionals[0]);
  console.log(`${data.skills.length} skills, ${data.dev.length} queries\n`);
  const stored = await buildStoredIndex(data.skills);
  const ours = judge(data.dev, answerOf(stored));
  printQuality(data, ours);
  console.log(`\nworst ${WORST} queries, by the place of the right skill\n`);
  printWorst(ours, stored);
  console.log(`\nskill_match\n${calibration(matchOf(stored), data.dev)}`);
  console.log('\nmilliseconds of the processor for a search, top 10\n');
  printTimes(`${data.skills.length} skills`, stored, data.dev);
  await stored.close();
  if (values.skills !== undefined) await timeAmong(Number(values.skills), data);
}

function answerOf({ search }: StoredIndex): Answer {
  return (query) => search.search(query, { generation: GENERATION, limit: TOP }).hits.map(({ name }) => name);
}

function matchOf({ search }: StoredIndex): Answer {
  return (task) =>
    search.match(task, { generation: GENERATION, limit: MATCHED }).hits.map(({ name }) => name);
}

function printQuality({ skills, dev }: BenchData, ours: readonly Judged[]): void {
  console.log(
    `${'per cent'.padEnd(34)}set    ${METRICS.map((metric) => metric.padStart(8)).join('')}   ms p50/p95`,
  );
  printRows('Colibri', ours);
  const others = [...substringBaselines(skills), ...ftsBaselines(skills), ...miniSearchBaselines(skills)];
  const beaten = others.flatMap(({ name, answer }) => {
    const judged = judge(dev, answer);
    printRows(name, judged);
    return SETS.flatMap((set) =>
      METRICS.filter((metric) => mean(of(judged, set))[metric] > mean(of(ours, set))[metric]).map(
        (metric) => `${name} beats us in ${metric} on ${set}`,
      ),
    );
  });
  console.log(beaten.length === 0 ? '\nno other is better in any figure' : `\n${beaten.join('\n')}`);
}

function of(judged: readonly Judged[], set: BenchQuery['set']): readonly Judged[] {
  return judged.filter(({ query }) => query.set === set);
}

function printRows(name: string, judged: readonly Judged[]): void {
  for (const set of SETS) {
    const rows = of(judged, set);
    const quality = mean(rows);
    const figures = METRICS.map((metric) => quality[metric].toFixed(1).padStart(8)).join('');
    const ms = rows.map((row) => row.ms);
    console.log(
      `${name.padEnd(34)}${set.padEnd(7)}${figures}   ${percentile(ms, 0.5).toFixed(1)}/${percentile(ms, 0.95).toFixed(1)}`,
    );
  }
}

/** The place of the right skill among the first fifty tells how far off an answer is. */
function printWorst(judged: readonly Judged[], { search }: StoredIndex): void {
  const depth = 50;
  const missed = judged.filter(({ quality }) => quality.recall10 === 0);
  const placed = missed.map(({ query }) => {
    const { hits } = search.search(query.query, { generation: GENERATION, limit: depth });
    const place = hits.findIndex(({ name }) => query.relevant.has(name)) + 1;
    return { query, place: place === 0 ? depth + 1 : place, first: hits[0]?.name ?? '(nothing)' };
  });
  placed.sort((a, b) => b.place - a.place || (a.query.id < b.query.id ? -1 : 1));
  console.log(`${missed.length} of ${judged.length} have no right skill among the first ten`);
  for (const { query, place, first } of placed.slice(0, WORST)) {
    const text = query.query.replaceAll(/\s+/g, ' ').slice(0, 70);
    console.log(
      `${query.set.padEnd(6)}${place > depth ? `>${depth}` : place}  ${text}\n        wanted ${[...query.relevant].join(', ')}; first was ${first}`,
    );
  }
}

function printTimes(what: string, stored: StoredIndex, dev: readonly BenchQuery[]): void {
  for (const set of SETS) {
    const queries = dev.filter((query) => query.set === set).slice(0, TIMED_QUERIES);
    judge(queries.slice(0, TIMED_QUERIES / 4), answerOf(stored));
    const ms = judge(queries, answerOf(stored)).map((row) => row.ms);
    console.log(
      `${what.padEnd(16)}${set.padEnd(7)}p50 ${percentile(ms, 0.5).toFixed(1)}  p95 ${percentile(ms, 0.95).toFixed(1)}  most ${Math.max(...ms).toFixed(1)}`,
    );
  }
  console.log(
    `${what.padEnd(16)}index built in ${(stored.buildMs / 1000).toFixed(1)} s of the processor, ${stored.megabytes.toFixed(0)} MB in the file`,
  );
}

async function timeAmong(count: number, { skills, dev }: BenchData): Promise<void> {
  const many: BenchSkill[] = [];
  for (let round = 0; many.length < count; round++) {
    for (const skill of skills.slice(0, count - many.length))
      many.push(round === 0 ? skill : { ...skill, name: `${skill.name}-x${round}` });
  }
  const stored = await buildStoredIndex(many);
  printTimes(`${count} skills`, stored, dev);
  await stored.close();
}

await main();
