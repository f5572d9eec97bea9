import { expect, test } from 'vitest';

import { displayWidth } from '../../../src/surfaces/cli/columns.ts';
import { tabLines, tableLines } from '../../../src/surfaces/cli/table.ts';

const HEADER = ['NAME', 'VERSION', 'DESCRIPTION'];
const ROWS = [
  ['pdf-tools', '1.2.0', 'Fill in and merge PDF forms without leaving the terminal.'],
  ['翻訳', '-', '文書を翻訳する。用語集に従い、表記を揃え、原文の構造を保つ。'],
];

test('columns line up, also beside wide characters, and the last one is cut', () => {
  expect(tableLines({ header: HEADER, rows: ROWS, width: 50 })).toEqual([
    'NAME       VERSION  DESCRIPTION',
    'pdf-tools  1.2.0    Fill in and merge PDF forms w…',
    '翻訳       -        文書を翻訳する。用語集に従い…',
  ]);
});

test('nothing is cut when there is room', () => {
  expect(tableLines({ header: ['A', 'B'], rows: [['one', 'two three']], width: 80 })).toEqual([
    'A    B',
    'one  two three',
  ]);
});

test.each([200, 80, 40, 25, 12, 8])('no line is wider than %i columns', (width) => {
  const lines = tableLines({ header: HEADER, rows: ROWS, width });
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
});

test('for a program the cells are whole and parted by tabs', () => {
  expect(tabLines([['a', 'b c', '']])).toEqual(['a\tb c\t']);
});
