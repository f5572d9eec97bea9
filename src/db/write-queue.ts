import { AsyncLocalStorage } from 'node:async_hooks';

import { ColibriError } from '../lib/errors.ts';

/** Lets one piece of work at a time touch the one connection, in order of arrival. */
export interface WriteQueue {
  write<T>(work: () => T | Promise<T>): Promise<T>;
  /** True inside a running `write`, also after its awaits. */
  inside(): boolean;
  /** Resolves once everything queued so far has finished. */
  idle(): Promise<void>;
  /** Refuses new work and waits for what is queued. */
  close(): Promise<void>;
}

export function createWriteQueue(): WriteQueue {
  // The flag goes down when the work ends: what it started and left behind may queue again.
  const running = new AsyncLocalStorage<{ active: boolean }>();
  const inside = () => running.getStore()?.active === true;
  let tail: Promise<void> = Promise.resolve();
  let closed = false;

  async function runAfter<T>(before: Promise<void>, work: () => T | Promise<T>): Promise<T> {
    await before;
    const turn = { active: true };
    try {
      return await running.run(turn, async () => work());
    } finally {
      turn.active = false;
      // While it follows work across awaits, every promise of the process costs twice as much.
      running.disable();
    }
  }

  return {
    inside,
    async write(work) {
      if (inside()) throw new Error('write inside write would wait for itself; use the transaction at hand');
      if (closed) throw new ColibriError('DB_CLOSED', 'the database is closed; open it again before writing');
      const result = runAfter(tail, work);
      // A failure belongs to its own caller; the next in line must not see it.
      tail = result.then(
        () => undefined,
        () => undefined,
      );
      return result;
    },
    idle: () => tail,
    async close() {
      if (inside()) throw new Error('close inside write would wait for itself; close after the write');
      closed = true;
      await tail;
    },
  };
}
