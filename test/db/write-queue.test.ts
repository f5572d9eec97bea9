import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import { createWriteQueue } from '../../src/db/write-queue.ts';

describe('the write queue', () => {
  test('runs one at a time, in order of arrival', async () => {
    const queue = createWriteQueue();
    const log: string[] = [];
    const job = (name: string, ms: number) =>
      queue.write(async () => {
        log.push(`${name} in`);
        await sleep(ms);
        log.push(`${name} out`);
        return name;
      });
    const results = await Promise.all([
      job('a', 15),
      job('b', 0),
      queue.write(() => log.push('c')),
      job('d', 5),
    ]);
    expect(log).toEqual(['a in', 'a out', 'b in', 'b out', 'c', 'd in', 'd out']);
    expect(results).toEqual(['a', 'b', 5, 'd']);
  });

  test('an error reaches its own caller and nobody else', async () => {
    const queue = createWriteQueue();
    const results = await Promise.allSettled([
      queue.write(() => {
        throw new Error('sync');
      }),
      queue.write(async () => Promise.reject(new Error('async'))),
      queue.write(() => 'fine'),
    ]);
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason))),
    ).toEqual(['Error: sync', 'Error: async', 'fine']);
  });

  test('a write inside a write is refused instead of waiting for itself', async () => {
    const queue = createWriteQueue();
    const nested = queue.write(async () => {
      await sleep(1);
      return queue.write(() => 'never');
    });
    await expect(nested).rejects.toThrow('write inside write');
    await expect(queue.write(() => 'next')).resolves.toBe('next');
  });

  test('what a write started and left behind may write later', async () => {
    const queue = createWriteQueue();
    let later: Promise<string> | undefined;
    await queue.write(() => {
      later = sleep(5).then(() => queue.write(() => 'later'));
    });
    await expect(later).resolves.toBe('later');
  });

  test('knows whether it is inside a write', async () => {
    const queue = createWriteQueue();
    const inside = await queue.write(async () => {
      await sleep(1);
      return queue.inside();
    });
    expect([inside, queue.inside()]).toEqual([true, false]);
  });

  test('idle waits for what is queued', async () => {
    const queue = createWriteQueue();
    let done = false;
    const write = queue.write(async () => {
      await sleep(10);
      done = true;
    });
    await queue.idle();
    expect(done).toBe(true);
    await write;
  });

  test('close finishes what is queued and refuses what comes after', async () => {
    const queue = createWriteQueue();
    const before = queue.write(async () => {
      await sleep(5);
      return 'before';
    });
    const closing = queue.close();
    await expect(queue.write(() => 'after')).rejects.toMatchObject({ code: 'DB_CLOSED' });
    await closing;
    await expect(before).resolves.toBe('before');
    await expect(queue.close()).resolves.toBeUndefined();
  });

  test('close inside a write is refused instead of waiting for itself', async () => {
    const queue = createWriteQueue();
    await expect(queue.write(() => queue.close())).rejects.toThrow('close inside write');
    await expect(queue.write(() => 'open')).resolves.toBe('open');
  });
});
