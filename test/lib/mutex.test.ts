import { setImmediate as turn } from 'node:timers/promises';

import { expect, test, vi } from 'vitest';

import { createMutexRegistry } from '../../src/lib/mutex.ts';
import { latch } from '../support/latch.ts';

test('holders of one key run one after the other, in order of arrival', async () => {
  const registry = createMutexRegistry();
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await turn();
    seen.push(`${name} ends`);
    return name;
  };
  const results = await Promise.all(['a', 'b', 'c'].map((name) => registry.run('key', work(name))));
  expect(results).toEqual(['a', 'b', 'c']);
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('holders of different keys run side by side', async () => {
  const registry = createMutexRegistry();
  const held = latch();
  const blocked = registry.run('one', () => held.promise);
  await expect(registry.run('two', async () => 'free')).resolves.toBe('free');
  held.open();
  await blocked;
});

test('one who comes while the second of two is running waits for it', async () => {
  const registry = createMutexRegistry();
  const held = latch();
  const seen: string[] = [];
  const first = registry.run('key', async () => {
    seen.push('first');
  });
  const second = registry.run('key', async () => {
    await held.promise;
    seen.push('second');
  });
  await first;
  const third = registry.run('key', async () => {
    seen.push('third');
  });
  await turn();
  held.open();
  await Promise.all([second, third]);
  expect(seen).toEqual(['first', 'second', 'third']);
});

test('a holder that throws fails alone and lets the next one in', async () => {
  const registry = createMutexRegistry();
  const failing = registry.run('key', async () => {
    await turn();
    throw new Error('broken');
  });
  const next = registry.run('key', async () => 'fine');
  await expect(failing).rejects.toThrow('broken');
  await expect(next).resolves.toBe('fine');
});

test('the last holder takes its key along, also after a failure', async () => {
  const set = vi.spyOn(Map.prototype, 'set');
  const registry = createMutexRegistry();
  const runs = ['x', 'x', 'y', 'z'].map((key) =>
    registry.run(`leak ${key}`, async () => {
      if (key === 'z') throw new Error('broken');
    }),
  );
  const keys = set.mock.calls.findIndex(([key]) => key === 'leak x');
  const tails = set.mock.contexts[keys];
  set.mockRestore();
  expect(tails).toHaveProperty('size', 3);
  await Promise.allSettled(runs);
  expect(tails).toHaveProperty('size', 0);
});
