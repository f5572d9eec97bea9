/** Of many skills only a few are looked at closely; the answer is as if all were. */
import { expect, test } from 'vitest';

import { plain } from '../../../../src/domains/skills/search/document.ts';
import { randomFrom } from '../../../support/random.ts';
import { type Library, testIndex } from './harness.ts';

const SKILLS = 1_200;
const NAME_WORDS = ['review', 'reviews', 'contract', 'pdf', 'deploy', 'zebra'];
const WORDS = [
  'review',
  'preview',
  'contracts',
  'the',
  'user',
  'asks',
  'about',
  'pdf',
  'files',
  'deploying',
  'in',
];

/** Few words, so that every one of them stands in hundreds of skills. */
function library(): Library {
  const random = randomFrom(5);
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? '';
  return Object.fromEntries(
    Array.from({ length: SKILLS }, (_, at) => [
      `${pick(NAME_WORDS)}-${pick(NAME_WORDS)}-${at}`,
      Array.from({ length: 3 + Math.floor(random() * 6) }, () => pick(WORDS)).join(' '),
    ]),
  );
}

/** As the documentation says it: 4 the very name, 3 in both, 2 in the name, 1 in the description. */
function rankOf(name: string, description: string, query: string): number {
  const phrases = [query, query.replaceAll(' ', '-')];
  if (phrases.includes(name)) return 4;
  const holds = (text: string): boolean => phrases.some((phrase) => text.includes(phrase));
  return (holds(name) ? 2 : 0) + (holds(description) ? 1 : 0);
}

test('the first of many are those that a look at every text puts first', async () => {
  const skills = library();
  const { search } = await testIndex(skills);
  const [anyName = ''] = Object.keys(skills).filter((name) => name.endsWith('-777'));
  const queries = [
    'review',
    'revi',
    'e',
    'us',
    '7',
    '77',
    'pdf review',
    'user asks',
    'asks about',
    'the user',
  ];
  queries.push(
    's abo',
    'files user pdf',
    'review contract',
    'zebra',
    'iew-con',
    'in',
    anyName,
    'deploy zebra',
  );
  for (const query of queries) {
    const ranks = Object.entries(skills).map(([name, text]) => rankOf(name, String(text), query));
    const { hits, total } = search(query, { limit: 20 });
    const best = ranks.sort((a, b) => b - a).slice(0, 20);
    expect([query, hits.map(({ score }) => Math.floor(score))]).toEqual([query, best.slice(0, hits.length)]);
    const holding = ranks.filter((rank) => rank > 0).length;
    expect(hits.length).toBeGreaterThanOrEqual(Math.min(20, holding));
    expect(total).toBeGreaterThanOrEqual(holding);
  }
});

test('hundreds that fit equally well come by name, and what was used comes before them', async () => {
  const skills = Object.fromEntries(
    Array.from({ length: 700 }, (_, at) => [`tool-${1000 + at}`, 'Same text.']),
  );
  const { found } = await testIndex(skills);
  // A part of a word, for which no word scores.
  expect(found('ame te', { limit: 3 })).toEqual(['tool-1000', 'tool-1001', 'tool-1002']);
  const usage = (name: string) => (name === 'tool-1650' ? 1 : 0);
  expect(found('ame te', { limit: 2, usage })).toEqual(['tool-1650', 'tool-1000']);
});

test.each([
  ['most', 0],
  ['few', 1_200],
])('one that has the phrase is found where %s skills have its words in another order', async (_, others) => {
  const numbered = (count: number, name: string, text: string): Library =>
    Object.fromEntries(Array.from({ length: count }, (__, at) => [`${name}-${at}`, text]));
  const { search } = await testIndex({
    ...numbered(300, 'turned', 'Beta alpha, beta alpha.'),
    ...numbered(others, 'other', 'Something else.'),
    wanted: 'Far longer, so that its words count for less than theirs: first of all alpha beta.',
  });
  expect(search('alpha beta').hits[0]).toMatchObject({ name: 'wanted', why: 'in description' });
});

test('the very name is first, however much better the words fit others', async () => {
  const others = Array.from({ length: 80 }, (_, at) => [`review-${at}`, 'Review, review and review.']);
  const { found } = await testIndex({
    ...Object.fromEntries(others),
    review: 'Looks at what has changed and says something of it, at length, without that word.',
  });
  expect(found('review')[0]).toBe('review');
});

const PIECES = [
  'é',
  'e\u0301',
  'ﬃ',
  'ß',
  'İ',
  'ς',
  'Σ',
  '处理',
  '文',
  '日本語テスト',
  'ไทย',
  'Ελλάδα',
  'развёртывание',
  '한국어',
];
PIECES.push(
  '❶',
  '…',
  '—',
  '💥',
  '_',
  '-',
  ' ',
  ' ',
  ' ',
  'the',
  'abc',
  'PDF',
  'x',
  '42',
  'ab'.repeat(25),
  '\n',
  'ⅷ',
  '™',
);

test('any part of any text finds every skill that has it, in whatever script', async () => {
  const random = randomFrom(9);
  const text = (): string =>
    Array.from({ length: 12 }, () => PIECES[Math.floor(random() * PIECES.length)] ?? '').join('');
  const skills = Object.fromEntries(
    Array.from({ length: 120 }, (_, at) => [`s${at}`, `${text()} ${text()}`]),
  );
  const { search } = await testIndex(skills);
  const texts = Object.entries(skills).map(([name, description]) => [name, plain(description)] as const);
  for (const [, description] of texts) {
    const characters = [...description];
    for (let count = 0; count < 3; count++) {
      const from = Math.floor(random() * characters.length);
      const query = characters.slice(from, from + 1 + Math.floor(random() * 14)).join('');
      const phrase = plain(query);
      if (phrase === '') continue;
      const holding = texts.flatMap(([name, each]) =>
        each.includes(phrase) || name.includes(phrase) ? [name] : [],
      );
      const hits = search(query, { limit: 120 }).hits.filter(({ score }) => score >= 1);
      const found = new Set(hits.map(({ name }) => name));
      expect([query, holding.filter((name) => !found.has(name))]).toEqual([query, []]);
    }
  }
});
