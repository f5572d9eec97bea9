import { expect, test } from 'vitest';

import { createLineSplitter } from '../../src/lib/lines.ts';

function split(chunks: readonly string[], lineBytesMax = 10): { lines: string[]; pieces: string[] } {
  const lines: string[] = [];
  const pieces: string[] = [];
  const splitter = createLineSplitter({
    line: (bytes) => lines.push(bytes.toString()),
    piece: (bytes) => pieces.push(bytes.toString()),
    lineBytesMax,
  });
  for (const chunk of chunks) splitter.add(Buffer.from(chunk));
  splitter.end();
  return { lines, pieces };
}

test('lines are the same however their bytes arrive', () => {
  const text = 'a\n\nbcd\nef\n';
  const expected = { lines: ['a\n', '\n', 'bcd\n', 'ef\n'], pieces: [] };
  expect(split([text])).toEqual(expected);
  expect(split([...text])).toEqual(expected);
  expect(split(['a\n\nb', 'cd\ne', 'f\n'])).toEqual(expected);
});

test('what has no end comes as a piece', () => {
  expect(split(['a\nb'])).toEqual({ lines: ['a\n'], pieces: ['b'] });
});

test('a line that is too long is handed on as it comes, and the next is a line again', () => {
  expect(split(['0123456789ab', 'cdef', 'g\nhi\n'])).toEqual({
    lines: ['hi\n'],
    pieces: ['0123456789ab', 'cdef', 'g\n'],
  });
  expect(split(['0123456789ab\nhi\n'])).toEqual({ lines: ['hi\n'], pieces: ['0123456789ab\n'] });
});

test('a line of exactly the limit is a line', () => {
  expect(split(['012345678\n'])).toEqual({ lines: ['012345678\n'], pieces: [] });
});
