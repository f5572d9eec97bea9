import { expect, test } from 'vitest';

import type { SkillRoot } from '../../../../src/domains/skills/scan/roots.ts';
import { createTakenNames } from '../../../../src/domains/skills/scan/taken-names.ts';

const A: SkillRoot = { path: '/a', display: 'a', source: 'workspace', profile: 'strict', depth: 1 };
const B: SkillRoot = { ...A, path: '/b', display: 'b', source: 'global' };

test('a name is held by the root that took or kept it, whenever somebody asks', () => {
  const names = createTakenNames();
  names.keep('one', A);
  names.take('two', B);
  expect(['one', 'two', 'three'].map((name) => names.holder(name))).toEqual([A, B, undefined]);
  names.keep('three', B);
  expect(names.holder('three')).toBe(B);
  expect(['one', 'two', 'three'].map((name) => names.isKept(name))).toEqual([true, false, true]);
  expect([...names.fresh.keys()]).toEqual(['two']);
  expect([names.count(), [...names.all()].sort()]).toEqual([3, ['one', 'three', 'two']]);
});
