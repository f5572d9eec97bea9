import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { REQUIREMENTS } from './requirements.ts';

const HERE = import.meta.dirname;

/** Ids in the first argument of every `req(…)` of a text. */
function citedIn(text: string): readonly string[] {
  const calls = text.matchAll(/\breq\(\s*(\[[^\]]*\]|'[^']*')/g);
  return [...calls].flatMap(([, ids = '']) => [...ids.matchAll(/'([^']*)'/g)].map(([, id = '']) => id));
}

function testFiles(): readonly string[] {
  return readdirSync(HERE, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.test.ts') && file !== 'requirements.test.ts',
  );
}

const cited = new Set(testFiles().flatMap((file) => citedIn(readFileSync(path.join(HERE, file), 'utf8'))));

test('every requirement is cited by a test', () => {
  expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
});

test('no test cites a requirement that does not exist', () => {
  expect([...cited].filter((id) => !(id in REQUIREMENTS))).toEqual([]);
});

test('citations are found alone and in lists', () => {
  const text = "test(req('A-1', 'one'))\ntest(\n  req(['B-1', 'B-2'],\n 'two'))\nrequire('C-1')";
  expect(citedIn(text)).toEqual(['A-1', 'B-1', 'B-2']);
});
