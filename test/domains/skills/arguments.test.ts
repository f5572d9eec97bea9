import { describe, expect, test } from 'vitest';

import { splitWords, substituteArguments } from '../../../src/domains/skills/arguments.ts';

const put = (body: string, text: string, declared: readonly string[] = [], named?: Record<string, string>) =>
  substituteArguments(body, declared, named === undefined ? { text } : { text, named });

describe('placeholders', () => {
  test.each([
    ['the whole text', 'Do $ARGUMENTS now.', 'this "and that"', 'Do this "and that" now.'],
    ['words from 0', '$ARGUMENTS[1] before $ARGUMENTS[0]', 'a b', 'b before a'],
    ['a word in quotes', '$ARGUMENTS[1]', 'a "b c" d', 'b c'],
    ['a word that is not there', 'x$ARGUMENTS[7]y', 'a', 'xy'],
    ['every occurrence', '$ARGUMENTS, $ARGUMENTS', 'a', 'a, a'],
    ['nothing, where nothing is given', 'Do $ARGUMENTS[0] and $ARGUMENTS.', '', 'Do  and .'],
    [
      'text that looks like a pattern, as it is',
      '<$ARGUMENTS>',
      '$& $1 $ARGUMENTS[0]',
      '<$& $1 $ARGUMENTS[0]>',
    ],
  ])('stand for %s', (_, body, text, expected) => {
    expect(put(body, text)).toBe(expected);
  });

  test('with a name stand for a declared argument, given by name or by position', () => {
    expect(put('$file to $branch', 'a.ts main', ['file', 'branch'])).toBe('a.ts to main');
    expect(put('$file to $branch', 'a.ts', ['file', 'branch'], { branch: 'dev' })).toBe('a.ts to dev');
    expect(put('[$file]', '', ['file'])).toBe('[]');
  });

  test('with a hyphen belong to the longest declared name', () => {
    expect(put('$issue-id $issue-x', '1 2', ['issue', 'issue-id'])).toBe('2 1-x');
  });

  test('of undeclared names are text, and so is a longer word', () => {
    expect(put('$HOME $ARGUMENTS_LIST costs $5 $ARGUMENTS', 'a')).toBe('$HOME $ARGUMENTS_LIST costs $5 a');
  });

  test('after a backslash are text without the backslash', () => {
    expect(put('\\$ARGUMENTS is $ARGUMENTS', 'a')).toBe('$ARGUMENTS is a');
    expect(put('\\$file is $file; \\$other', 'a', ['file'])).toBe('$file is a; \\$other');
  });

  test('take nothing from the prototype of the values', () => {
    expect(put('[$constructor]', '', ['constructor'], {})).toBe('[]');
  });
});

describe('without a placeholder', () => {
  test('the text is appended', () => {
    expect(put('Body.\n\n', 'a b')).toBe('Body.\n\nARGUMENTS: a b\n');
  });

  test('nothing is appended when nothing is given', () => {
    expect(put('Body.\n', '')).toBe('Body.\n');
  });

  test('an escaped one does not count', () => {
    expect(put('\\$ARGUMENTS', 'a')).toBe('$ARGUMENTS\n\nARGUMENTS: a\n');
  });
});

test.each([
  ['a  b\tc\nd', ['a', 'b', 'c', 'd']],
  [`"a b" 'c "d"'`, ['a b', 'c "d"']],
  ['"say \\"hi\\" \\\\"', ['say "hi" \\']],
  ["--name='a b' x", ['--name=a b', 'x']],
  ["it's fine", ["it's", 'fine']],
  ['"open end', ['"open', 'end']],
  [`"" ''`, ['', '']],
  ['   ', []],
])('the words of %j are %j', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});
