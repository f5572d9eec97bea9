import { describe, expect, test } from 'vitest';

import { findConfusable } from '../../../../src/domains/integrity/doctor/confusable.ts';
import { findSimilar } from '../../../../src/domains/integrity/doctor/similar.ts';

const OPTIONS = { least: 0.7, shinglesMin: 8 };
const LONG =
  'Fill in, merge, split and sign PDF files with forms, attachments and bookmarks. Use when a document has to be changed.';

describe('texts that say nearly the same', () => {
  test('are found with the first one they resemble, and how much', () => {
    const texts = [
      { name: 'a', text: LONG },
      {
        name: 'b',
        text: 'Write release notes from a list of commits, grouped by kind and by who is affected most.',
      },
      { name: 'c', text: LONG.replace('document', 'paper') },
      { name: 'd', text: LONG.toUpperCase() },
    ];
    const found = findSimilar(texts, OPTIONS);
    expect(found.map(({ name, twin }) => [name, twin])).toEqual([
      ['c', 'a'],
      ['d', 'a'],
    ]);
    expect(found[1]?.share).toBe(1);
    expect(found[0]?.share).toBeLessThan(1);
  });

  test('short ones are left alone: they resemble each other by chance', () => {
    const texts = ['a', 'b'].map((name) => ({ name, text: 'Does one thing well.' }));
    expect(findSimilar(texts, OPTIONS)).toEqual([]);
  });

  test('ten thousand texts are compared without comparing every pair', () => {
    const words = (index: number) =>
      Array.from({ length: 20 }, (_, at) => `w${(index * 7919 + at * at * 31) % 5003}`);
    const texts = Array.from({ length: 10_000 }, (_, index) => ({
      name: `s${index}`,
      text: words(index).join(' '),
    }));
    const twin = { name: 'twin', text: texts[4321]?.text ?? '' };
    expect(findSimilar([...texts, twin], OPTIONS).filter(({ name }) => name === 'twin')).toEqual([
      { name: 'twin', twin: 's4321', share: 1 },
    ]);
  });
});

describe('names that are taken for one another', () => {
  test.each([
    ['webapp-testing', 'webbapp-testing', 'slip'],
    ['json-parser', 'json-parsre', 'slip'],
    ['deploy-tool', 'dep1oy-tool', 'look'],
    ['code-review', 'codereview', 'look'],
    ['modern-css', 'modem-css', 'look'],
  ])('%s and %s', (first, second, how) => {
    expect(findConfusable([first, second])).toEqual([{ name: second, twin: first, how }]);
  });

  test.each([
    ['report', 'reports'],
    ['step-1', 'step-2'],
    ['pdf', 'pdg'],
    ['release-notes', 'release-plan'],
  ])('not %s and %s', (first, second) => {
    expect(findConfusable([first, second])).toEqual([]);
  });

  test('a crowd of numbered names stays quick', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `skill-number-${index}`);
    expect(findConfusable(names).length).toBeLessThan(names.length);
  });
});
