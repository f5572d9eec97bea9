import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { check, describeViolations, RULES, readTree } from './architecture/check.ts';
import { IO_FILES, PURE_FACTORIES } from './architecture/places.ts';

const root = path.resolve(import.meta.dirname, '..');
const tree = readTree(root);

describe('the rules', () => {
  it('have each been seen to fail on a planted fault', () => {
    const folder = path.join(root, 'test/architecture');
    const planted = readdirSync(folder)
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => readFileSync(path.join(folder, name), 'utf8'))
      .join('\n');
    expect(RULES.map(({ name }) => name).filter((name) => !planted.includes(`breaks: '${name}'`))).toEqual(
      [],
    );
  });
});

describe('the source tree', () => {
  it('is seen by the rules', () => {
    expect([...tree.keys()]).toEqual(expect.arrayContaining(['src/server.ts', 'src/lib/errors.ts']));
  });

  for (const rule of RULES) {
    it(`keeps the rule ${rule.name}`, () => {
      expect(describeViolations(check(tree, [rule]))).toBe('');
    });
  }

  it('still has every file that may touch the world', () => {
    expect([...IO_FILES.keys()].filter((file) => !tree.has(file))).toEqual([]);
  });

  it('still has every factory that may run while a module loads', () => {
    const all = [...tree.values()].join('\n');
    const isGone = (name: string) => !new RegExp(`export function ${name}[<(]`).test(all);
    expect([...PURE_FACTORIES].filter(isGone)).toEqual([]);
  });
});
