import { describe, expect, test } from 'vitest';

import { hostileQuery } from '../../../../bench/search/hostile-queries.ts';
import { randomFrom } from '../../../support/random.ts';
import { testIndex } from './harness.ts';

const QUERIES = 3_000;
const LARGE = 100_000;

async function library() {
  const words = ['deploy', 'pdf', 'NEAR', 'OR', 'select', 'drop', 'table', '处理', 'naïve', '💥', 'rollout'];
  const random = randomFrom(7);
  const word = () => words[Math.floor(random() * words.length)] ?? '';
  const texts = Array.from({ length: 60 }, (_, index): [string, { description: string; body: string }] => [
    `skill-${index}`,
    { description: `${word()} ${word()} ${word()}`, body: Array.from({ length: 30 }, word).join(' ') },
  ]);
  return testIndex(Object.fromEntries(texts));
}

describe('any text is a query', () => {
  test(`${QUERIES} hostile queries are answered`, async () => {
    const { search, match } = await library();
    const random = randomFrom(1);
    for (let count = 0; count < QUERIES; count++) {
      const query = hostileQuery(random);
      const { hits, total } = search(query);
      if (hits.length > 10 || total < hits.length)
        throw new Error(`a wrong answer to ${JSON.stringify(query)}`);
      if (count % 10 === 0) match(query);
    }
  });

  test.each([
    ['one word', 'deploy '.repeat(LARGE / 7)],
    ['all different', Array.from({ length: LARGE / 8 }, (_, at) => `w${at.toString(36)}`).join(' ')],
    ['one long run', 'x'.repeat(LARGE)],
    ['quotes', '"'.repeat(LARGE)],
    ['pairs of characters', '处理'.repeat(LARGE / 2)],
    ['zeros', '\0'.repeat(LARGE)],
    ['halves of pairs', '\ud83d'.repeat(LARGE)],
  ])('100 KB of %s are answered', async (_, query) => {
    const { search, match } = await library();
    expect(search(query).hits.length).toBeLessThanOrEqual(10);
    expect(match(query).hits.length).toBeLessThanOrEqual(5);
  });

  test('searching leaves no memory behind', async () => {
    const { search } = await library();
    const random = randomFrom(3);
    const heapAfter = (searches: number): number => {
      for (let count = 0; count < searches; count++) search(hostileQuery(random));
      return process.memoryUsage().heapUsed;
    };
    // The first round fills what is kept on purpose: words that were seen, and compiled code.
    heapAfter(1_000);
    const before = heapAfter(500);
    // Far more than what waits to be collected, far less than what a leak of each query would be.
    expect(heapAfter(2_000) - before).toBeLessThan(60_000_000);
  });
});
