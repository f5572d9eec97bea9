/**
 * 100 000 queries that nobody in his right mind would type, among 10 000 skills: none may fail, none may take long, and
 * memory must not grow. Also 1 000 reloads.
 *
 *   npm run bench:fuzz
 */
import { randomFrom } from '../test/support/random.ts';
import type { BenchSkill } from './search/data.ts';
import { hostileQuery } from './search/hostile-queries.ts';
import { percentile } from './search/metrics.ts';
import { buildStoredIndex, GENERATION } from './search/stored-index.ts';

const SKILLS = 10_000;
const SEARCHES = 100_000;
const RELOADS = 1_000;
const LARGE_EVERY = 5_000;
const LARGE_CHARS = 100_000;
const REPORTS = 5;

async function main(): Promise<void> {
  const random = randomFrom(1);
  const { search, db, close } = await buildStoredIndex(generated(random));
  const ms: number[] = [];
  for (let count = 1; count <= SEARCHES; count++) {
    let query = hostileQuery(random);
    if (count % LARGE_EVERY === 0) query = `${query} `.repeat(Math.ceil(LARGE_CHARS / (query.length + 1)));
    const before = process.cpuUsage();
    search.search(query, { generation: GENERATION, limit: 10 });
    const { user, system } = process.cpuUsage(before);
    ms.push((user + system) / 1000);
    if (count % (SEARCHES / REPORTS) === 0) console.log(`${count} searches, ${memory()}`);
  }
  console.log(
    `none failed; milliseconds of the processor: p50 ${percentile(ms, 0.5).toFixed(2)}, p95 ${percentile(ms, 0.95).toFixed(1)}, most ${Math.max(...ms).toFixed(0)}`,
  );
  const touch = db.handle.prepare('UPDATE skills SET body = ?, digest = ?, generation = ? WHERE name = ?');
  for (let count = 1; count <= RELOADS; count++) {
    await db.write(() =>
      touch.run(`word${count}`, `digest${count}`, GENERATION + count, `skill-${count % 50}`),
    );
    await search.prepare();
    search.search('word', { generation: GENERATION + count, limit: 10 });
    if (count % (RELOADS / REPORTS) === 0) console.log(`${count} reloads, ${memory()}`);
  }
  await close();
}

function memory(): string {
  const { rss, heapUsed } = process.memoryUsage();
  return `memory ${(rss / 1e6).toFixed(0)} MB, heap ${(heapUsed / 1e6).toFixed(0)} MB`;
}

const VOCABULARY = 5_000;

/** Words that are rare and common as in a language. */
function generated(random: () => number): readonly BenchSkill[] {
  const word = (): string => `w${Math.floor(VOCABULARY * random() ** 3).toString(36)}`;
  const words = (count: number): string => Array.from({ length: count }, word).join(' ');
  return Array.from({ length: SKILLS }, (_, at) => ({
    id: String(at),
    name: `skill-${at}`,
    description: `${words(20)} deploy pdf`,
    triggers: [],
    body: words(300),
  }));
}

await main();
