import fc from 'fast-check';
import { expect, test } from 'vitest';

import { cutTo, displayWidth, fillTo } from '../../../src/surfaces/cli/columns.ts';

test.each([
  ['', 0],
  ['plain', 5],
  ['naïve', 5],
  ['nai\u0308ve', 5],
  ['漢字', 4],
  ['ｆｕｌｌ', 8],
  ['한국어', 6],
  ['\u1112\u1161\u11ab', 2],
  ['😀', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['🇩🇪', 2],
  ['☎\ufe0f', 2],
  ['☎', 1],
  ['1', 1],
  ['1\ufe0f\u20e3', 2],
  ['a…b', 3],
])('%j takes %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test.each([
  ['short', 10, 'short'],
  ['exactly', 7, 'exactly'],
  ['one more', 7, 'one mo…'],
  ['ends in blank', 9, 'ends in…'],
  ['漢字漢字', 5, '漢字…'],
  ['漢字漢字', 4, '漢…'],
  ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, '👩‍👩‍👧‍👦…'],
  ['anything', 1, '…'],
  ['anything', 0, ''],
])('%j cut to %i columns is %j', (text, width, cut) => {
  expect(cutTo(text, width)).toBe(cut);
});

test('a filled text is exactly as wide as asked', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', ' ', '漢', '😀', 'e\u0301', '👩‍👩‍👧‍👦', 'ß') });
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 30 }), (text, width) => {
      expect(displayWidth(fillTo(text, width))).toBe(width);
    }),
  );
});
