/** How long the registry takes on the skills that are there, beside what the disk alone takes for them. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';

import type { Clock } from '../../lib/clock.ts';
import type { SkillsService } from './service.ts';

export interface Measured {
  readonly what: string;
  readonly ms: number;
  /** The least that this can take; null where there is nothing to compare with. */
  readonly floor: { readonly what: string; readonly ms: number } | null;
}

export interface MeasureParts {
  readonly skills: SkillsService;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** What opening an empty database and indexing everything has taken. */
  readonly firstMs: number;
}

/** The smallest of so many runs: whatever else the machine does only ever adds. */
const RUNS = 5;
const READS_MAX = 1_000;
const SEARCHES_MAX = 200;
const QUERY_WORDS = 4;
const PAGE = 50;
/** More than any SKILL.md that the registry takes. */
const BUFFER_BYTES = 1024 * 1024;

export async function measureRegistry({
  skills,
  clock,
  firstMs,
}: MeasureParts): Promise<readonly Measured[]> {
  const listed = skills.list();
  const files = listed.flatMap(({ source_dir }) => {
    const place = skills.placeOf(source_dir);
    return place === null ? [] : [path.join(place, 'SKILL.md')];
  });
  const many = `${listed.length} ${listed.length === 1 ? 'skill' : 'skills'}`;
  const time = (work: () => unknown) => timed(clock, work);
  const names = spread(skills.names(), READS_MAX);
  const readMs = await leastOf(RUNS, () => time(() => readAll(files)));
  const statMs = await leastOf(RUNS, () => time(() => statAll(files)));
  const againMs = await leastOf(RUNS, () => time(() => skills.reload()));
  const getMs = await time(() => {
    for (const name of names) skills.get(name);
  });
  const pageMs = await time(() => {
    for (const after of names) skills.list({ after, limit: PAGE });
  });
  const searches = await searchTimes({ skills, clock }, listed);
  return [
    measured(`open an empty database and index ${many}`, firstMs, ['read every SKILL.md', readMs]),
    measured(`look again at ${many}, nothing changed`, againMs, [
      'look at the times of every SKILL.md',
      statMs,
    ]),
    measured('get one skill', getMs / Math.max(names.length, 1)),
    measured(`a page of ${PAGE} skills`, pageMs / Math.max(names.length, 1)),
    measured('a search, the middle of all', percentile(searches, 0.5)),
    measured('a search, 95 of 100 are faster', percentile(searches, 0.95)),
  ];
}

/** The first words of descriptions are what people would ask for. */
async function searchTimes(
  { skills, clock }: Pick<MeasureParts, 'skills' | 'clock'>,
  listed: readonly { readonly description: string }[],
): Promise<readonly number[]> {
  await skills.search.prepare();
  const generation = skills.generation();
  const queries = spread(listed, SEARCHES_MAX).map(({ description }) =>
    description.split(/\s+/).slice(0, QUERY_WORDS).join(' '),
  );
  const times: number[] = [];
  for (const query of queries) {
    const began = clock.monotonic();
    skills.search.search(query, { generation, limit: 10 });
    times.push(clock.monotonic() - began);
  }
  return times;
}

function measured(what: string, ms: number, floor?: readonly [what: string, ms: number]): Measured {
  return { what, ms, floor: floor === undefined ? null : { what: floor[0], ms: floor[1] } };
}

async function timed({ monotonic }: MeasureParts['clock'], work: () => unknown): Promise<number> {
  const began = monotonic();
  await work();
  return monotonic() - began;
}

async function leastOf(runs: number, run: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < runs; count++) least = Math.min(least, await run());
  return least;
}

function readAll(files: readonly string[]): void {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  for (const file of files) {
    const handle = openSync(file, 'r');
    try {
      readSync(handle, buffer, 0, BUFFER_BYTES, 0);
    } finally {
      closeSync(handle);
    }
  }
}

function statAll(files: readonly string[]): void {
  for (const file of files) statSync(file, { throwIfNoEntry: false });
}

/** At most so many, evenly from the first to the last. */
function spread<Item>(items: readonly Item[], most: number): readonly Item[] {
  const step = Math.max(1, items.length / most);
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
