/** Many callers, few commits: what arrives before a commit has its turn goes into it. */
import { createDeferred } from './deferred.ts';

/**
 * When the commit of an entry begins. `now`: it is queued before anything that the caller does next. `turn`: after the
 * other calls of this turn of the event loop, so that they share it. `later`: with whichever comes next.
 */
export type Begin = 'now' | 'turn' | 'later';

export interface GroupCommit<Entry> {
  /** Settles with the commit that holds the entry. */
  add(entry: Entry, begin: Begin): Promise<void>;
}

/** So that a stream of calls without end cannot hold a commit up. */
const TURNS_MAX = 8;

interface Batch<Entry> {
  readonly entries: Entry[];
  readonly done: Promise<void>;
  begin(): void;
  /** In this turn, unless somebody begins it before. */
  schedule(): void;
}

/** `commit` takes the entries when it has its turn; what comes after that waits for the next one. */
export function createGroupCommit<Entry>(
  commit: (take: () => readonly Entry[]) => Promise<void>,
): GroupCommit<Entry> {
  let open: Batch<Entry> | null = null;

  const createBatch = (): Batch<Entry> => {
    const entries: Entry[] = [];
    const { promise: done, resolve, reject } = createDeferred<void>();
    let state: 'idle' | 'scheduled' | 'begun' = 'idle';
    const close = (): readonly Entry[] => {
      if (open?.entries === entries) open = null;
      return entries;
    };
    const begin = (): void => {
      if (state === 'begun') return;
      state = 'begun';
      // A commit that fails before its turn has taken nothing: whoever waits is told, and the next call starts anew.
      commit(close).finally(close).then(resolve, reject);
    };
    const schedule = (): void => {
      if (state !== 'idle') return;
      state = 'scheduled';
      gather(TURNS_MAX);
    };
    /** As long as every turn brings more, one commit for all of them costs less than the wait. */
    const gather = (turns: number): void => {
      const before = entries.length;
      setImmediate(() => {
        if (entries.length === before || turns === 1) begin();
        else gather(turns - 1);
      });
    };
    return { entries, done, begin, schedule };
  };

  return {
    add(entry, begin) {
      const batch = (open ??= createBatch());
      batch.entries.push(entry);
      if (begin === 'now') batch.begin();
      if (begin === 'turn') batch.schedule();
      return batch.done;
    },
  };
}
