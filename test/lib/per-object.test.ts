import { expect, test } from 'vitest';

import { oncePerObject } from '../../src/lib/per-object.ts';

test('what is made of an object is made once, and of another one anew, however alike they are', () => {
  let made = 0;
  const nameOf = oncePerObject((from) => `${JSON.stringify(from)} ${++made}`);
  const [first, second] = [{ a: 1 }, { a: 1 }];
  expect([nameOf(first), nameOf(second), nameOf(first)]).toEqual(['{"a":1} 1', '{"a":1} 2', '{"a":1} 1']);
});

test('a failure is not kept', () => {
  let asked = 0;
  const make = oncePerObject(() => {
    if (++asked === 1) throw new Error('not yet');
    return undefined;
  });
  const from = {};
  expect(() => make(from)).toThrow('not yet');
  expect([make(from), make(from), asked]).toEqual([undefined, undefined, 2]);
});
