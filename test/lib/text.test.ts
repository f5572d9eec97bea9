import { describe, expect, test } from 'vitest';

import {
  codePointLength,
  foldCase,
  hasHiddenCharacters,
  nearest,
  printable,
  printableBlock,
} from '../../src/lib/text.ts';

test('codePointLength counts code points, not UTF-16 units', () => {
  expect(['', 'abc', 'äß', '😀😀', 'e\u0301'].map(codePointLength)).toEqual([0, 3, 2, 2, 2]);
});

describe('foldCase', () => {
  test.each([
    ['ABC xyz', 'abc xyz'],
    ['ÄÖÜ', 'äöü'],
    ['ÉCOLE', 'école'],
    ['МОСКВА', 'москва'],
    ['STRASSE', 'straße'],
    ['STRAẞE', 'straße'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['E\u0301', 'é'],
  ])('%s meets %s', (a, b) => {
    expect(foldCase(a)).toBe(foldCase(b));
  });

  test('the end of a word is found inside a longer one, though its sigma looks different there', () => {
    expect(foldCase('ΟΔΟΣΗΜΑΝΣΗ')).toContain(foldCase('ΟΔΟΣ'));
  });

  test('different letters stay different', () => {
    expect(foldCase('ä')).not.toBe(foldCase('a'));
  });

  test('folding twice changes nothing more', () => {
    const texts = ['İstanbul', 'ǰ', 'ΑΙΣ', 'ﬁn', 'Straße'];
    expect(texts.map((text) => foldCase(foldCase(text)))).toEqual(texts.map(foldCase));
  });
});

describe('printable', () => {
  test.each([
    ['an ANSI colour', '\u001b[31mred', '\\u{1b}[31mred'],
    ['a C1 control sequence introducer', '\u009b31m', '\\u{9b}31m'],
    ['a bell and a backspace', 'a\u0007\u0008b', 'a\\u{7}\\u{8}b'],
    ['a carriage return', 'good\rbad', 'good\\u{d}bad'],
    ['delete', '\u007f', '\\u{7f}'],
    ['bidirectional overrides and isolates', '\u202eevil\u2066', '\\u{202e}evil\\u{2066}'],
    ['zero width space and byte order mark', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
    ['line and paragraph separators', '\u2028\u2029', '\\u{2028}\\u{2029}'],
    ['the tag block', '\u{e0041}\u{e007f}', '\\u{e0041}\\u{e007f}'],
  ])('writes %s out', (_, text, expected) => {
    expect(printable(text)).toBe(expected);
    expect(hasHiddenCharacters(text)).toBe(true);
  });

  test('turns line breaks and tabs into spaces, so that a line stays one line', () => {
    expect(printable('a\nb\tc')).toBe('a b c');
  });

  test('leaves what can be seen alone', () => {
    const text = 'plain, ÄÖß, 日本語, 😀, العربية';
    expect(printable(text)).toBe(text);
    expect(hasHiddenCharacters(text)).toBe(false);
  });

  test('printableBlock keeps line breaks and tabs, makes CRLF one, and escapes the rest', () => {
    expect(printableBlock('a\r\n\tb\u001bc\n')).toBe('a\n\tb\\u{1b}c\n');
  });
});

describe('nearest', () => {
  const names = ['commit', 'code-review', 'git-commit', 'pdf', 'deploy'];

  test('finds a name with two letters swapped, one missing, one added, or another case', () => {
    const typed = ['comimt', 'comit', 'committ', 'COMMIT'];
    expect(typed.map((word) => nearest(word, names))).toEqual([
      ['commit'],
      ['commit'],
      ['commit'],
      ['commit'],
    ]);
  });

  test('gives the best first and at most as many as asked for, ties by name', () => {
    expect(nearest('aab', ['aaz', 'aac', 'aab', 'aad'], 3)).toEqual(['aab', 'aac', 'aad']);
    expect(nearest('aab', ['aac', 'aab'], 1)).toEqual(['aab']);
  });

  test('leaves out what nobody could have meant', () => {
    expect(nearest('zzzzzz', names)).toEqual([]);
    expect(nearest('', names)).toEqual([]);
  });
});
