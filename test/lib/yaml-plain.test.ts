import { expect, it } from 'vitest';

import { parseYaml, parseYamlInFull } from '../../src/lib/yaml.ts';
import { readPlainYaml } from '../../src/lib/yaml-plain.ts';
import { createRandom, generateYaml, type Random } from './yaml-generator.ts';

const RUNS = 30_000;

it('reads plain text exactly as the real parser does, and leaves to it what is not plain', () => {
  const random = createRandom(20261116);
  let short = 0;
  for (let run = 0; run < RUNS; run++) {
    const source = run % 3 === 0 ? generateYaml(random) : generateFrontmatter(random);
    const full = parseYamlInFull(source);
    if (readPlainYaml(source, (text) => text) !== null) short++;
    expect(parseYaml(source), JSON.stringify(source)).toEqual(full);
    if (full.ok) expect(JSON.stringify(parseYaml(source))).toBe(JSON.stringify(full));
  }
  // The comparison means something only while a good part takes the short way.
  expect(short).toBeGreaterThan(RUNS / 15);
});

it.each([
  ['a plain line', 'name: my-skill\ndescription: Reads files, e.g. a/b (c) & "d".\n'],
  ['quotes', 'name: "my-skill"\ndescription: \'It reads: files # and more\'\n'],
  ['a folded text', 'description: >-\n  One line\n  and another.\nname: x\n'],
  ['a kept text', 'description: |\n  One line\n  and another.\n'],
  [
    'lists and maps',
    'metadata:\n  author: me\n  version: "1.0"\nlist:\n  - a\n  - b c\nflow: [one, two three]\n',
  ],
  ['typed words', 'a: true\nb: 1.5\nc: 0x1F\nd: null\ne: 010\n'],
])('takes the short way for %s', (_, source) => {
  expect(readPlainYaml(source, (text) => text)).not.toBeNull();
  expect(parseYaml(source)).toEqual(parseYamlInFull(source));
});

it.each([
  ['a colon in a text', 'description: Use when: always\n'],
  ['a comment', 'name: x # y\n'],
  ['a key that comes again', 'name: a\nname: b\n'],
  ['a key that is no text', 'null: a\n'],
  ['a text over two lines', 'description: one\n  two\n'],
  ['an anchor', 'name: &a b\n'],
  ['a backslash', 'name: "a\\nb"\n'],
  ['a blank line in folded text', 'a: >-\n  b\n\n  c\n'],
  ['a further indented line', 'a: >-\n  b\n    c\n'],
  ['a tab', 'name:\tx\n'],
  ['no line break at the end', 'name: x'],
  ['a number beyond all bounds', 'name: 1e999\n'],
])('leaves %s to the real parser', (_, source) => {
  expect(
    readPlainYaml(source, (text) => (text === '1e999' || text === 'null' ? undefined : text)),
  ).toBeNull();
  expect(parseYaml(source)).toEqual(parseYamlInFull(source));
});

const KEYS = ['name', 'description', 'metadata', 'a-b', 'null', 'true', 'x_1', 'Tags', '1a', 'no'];
const WORDS = [
  'files',
  'and',
  '1.0',
  'true',
  'null',
  'a:b',
  '#tag',
  'it’s',
  '"q"',
  "don't",
  '-',
  '[x]',
  'ß',
  '0x1f',
];
const TEXTS = [
  '"quoted: text"',
  "'single # text'",
  '[a, b c]',
  '[]',
  '[1, a]',
  '[a,, b]',
  '~',
  '1e5',
  '- a',
  '"a" b',
];
const SEPARATORS = [' ', ' ', ' ', ' ', ' ', ' ', ' ', '  ', ', ', ': ', ' #'];

/** Frontmatter as people write it, with a slip now and then. */
function generateFrontmatter(random: Random): string {
  const lines = Array.from({ length: 1 + random(4) }, () => field(random, random(12) === 0 ? ' ' : ''));
  const text = `${lines.join('\n')}\n`;
  if (random(9) !== 0) return text;
  const at = random(text.length);
  return `${text.slice(0, at)}${pick(random, [' ', '\n', ':', '-', '"', '#', '\\', '\t'])}${text.slice(at)}`;
}

function field(random: Random, indent: string): string {
  const key = `${indent}${pick(random, KEYS)}:`;
  const below = () => Array.from({ length: 1 + random(3) }, () => `  ${random(15) === 0 ? ' ' : ''}`);
  switch (random(8)) {
    case 0:
      return [key, ...below().map((space) => `${space}${pick(random, KEYS)}: ${value(random)}`)].join('\n');
    case 1:
      return [key, ...below().map((space) => `${space}- ${value(random)}`)].join('\n');
    case 2:
      return [
        `${key} ${pick(random, ['>-', '>', '|', '|-', '>+'])}`,
        ...below().map((space) => space + words(random)),
      ].join('\n');
    default:
      return `${key} ${value(random)}${random(20) === 0 ? ' ' : ''}`;
  }
}

function value(random: Random): string {
  return random(3) === 0 ? pick(random, TEXTS) : words(random);
}

function words(random: Random): string {
  let text = pick(random, WORDS);
  for (let more = random(4); more > 0; more--) text += pick(random, SEPARATORS) + pick(random, WORDS);
  return text;
}

function pick(random: Random, from: readonly string[]): string {
  return from[random(from.length)] ?? '';
}
