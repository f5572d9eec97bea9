import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { oncePerTurn } from '../../src/lib/per-turn.ts';

test('whoever asks for the same within a turn gets one answer, and the next turn asks again', async () => {
  let asked = 0;
  const find = oncePerTurn(async (key) => `${key} ${++asked}`);
  expect(await Promise.all([find('a'), find('b'), find('a')])).toEqual(['a 1', 'b 2', 'a 1']);
  await setImmediate();
  expect(await find('a')).toBe('a 3');
});

test('a failure is told to all who asked, and not remembered', async () => {
  let asked = 0;
  const find = oncePerTurn(async () => {
    if (++asked === 1) throw new Error('gone');
    return 'back';
  });
  const [first, second] = await Promise.allSettled([find('a'), find('a')]);
  expect([first?.status, second?.status]).toEqual(['rejected', 'rejected']);
  await setImmediate();
  expect(await find('a')).toBe('back');
});

test('plain values are kept as well, with or without a key', async () => {
  let asked = 0;
  const count = oncePerTurn(() => ++asked);
  expect([count(), count(), count('other')]).toEqual([1, 1, 2]);
  await setImmediate();
  expect(count()).toBe(3);
});
