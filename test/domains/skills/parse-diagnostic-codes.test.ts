import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

import { DIAGNOSTIC_CODES } from '../../../src/domains/skills/diagnostic-codes.ts';

const PROJECT = path.resolve(import.meta.dirname, '../../..');

it('documents every diagnostic code with its meaning, and none that is gone', () => {
  const page = fs.readFileSync(path.join(PROJECT, 'docs/diagnostics.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| ([^|]+) \|/gm)].map(([, code, meaning]) => [
    code,
    meaning,
  ]);
  expect(rows).toEqual(Object.entries(DIAGNOSTIC_CODES));
});

it('reports every diagnostic code somewhere', () => {
  const folder = path.join(PROJECT, 'src/domains/skills');
  const sources = fs
    .readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts') && name !== 'diagnostic-codes.ts')
    .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
  expect(Object.keys(DIAGNOSTIC_CODES).filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
});
