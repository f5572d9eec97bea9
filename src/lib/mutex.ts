/** Named locks: holders of one key run one after the other in order of arrival, other keys run side by side. */
export interface MutexRegistry {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createMutexRegistry(): MutexRegistry {
  const tails = new Map<string, Promise<void>>();
  return {
    async run(key, work) {
      const before = tails.get(key);
      let release: () => void = () => undefined;
      const tail = new Promise<void>((resolve) => {
        release = resolve;
      });
      tails.set(key, tail);
      try {
        await before;
        return await work();
      } finally {
        // The last holder takes the entry with it, so that keys made per session do not pile up.
        if (tails.get(key) === tail) tails.delete(key);
        release();
      }
    },
  };
}
