/** Finds skills: by what somebody types, or by a task that may or may not call for one. */
import type { ColibriDatabase } from '../../../db/database.ts';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import { snapshotSkills } from '../snapshot-repository.ts';
import { indexOnce } from './indexing-service.ts';
import { matchSkills } from './match.ts';
import { type Ranking, type SearchOptions, searchSkills } from './search.ts';
import { createSearchReads, type SearchReads } from './search-repository.ts';
import { createSearchWriter, type SearchWriter } from './search-write-repository.ts';
import { createLexicon } from './tokenise.ts';
import type { UsageCounter } from './usage-service.ts';
import { searchByWords } from './word-search.ts';

export interface SkillSearch {
  search(query: string, options: GenerationOptions): Ranking;
  /** Skills that a task calls for; none when nothing clearly fits. */
  match(task: string, options: GenerationOptions): Ranking;
  /** Indexes what waits before a search, for as long as somebody who waits for an answer can bear. Never fails. */
  prepare(): Promise<void>;
  /** Indexes everything that waits. */
  indexAll(): Promise<void>;
  /** From now on what was used more often comes first among skills that fit equally well. */
  orderByUsage(counter: UsageCounter): void;
  /** Goes on indexing in the background whenever something waits, until it is closed. */
  keepUp(): { close(): Promise<void> };
}

export interface GenerationOptions extends SearchOptions {
  /** The state of the catalog that is searched. */
  readonly generation: number;
}

export interface SkillSearchParts {
  readonly db: ColibriDatabase;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a search may wait for names and descriptions, without which it is poor, and for bodies. */
const PREPARE_HEADS_MS = 1_000;
const PREPARE_BODIES_MS = 200;
/** How long one turn of the background work may hold up everything else, and how long it rests between two. */
const TURN_MS = 25;
const REST_MS = 15;
/** How often a background that has nothing to do looks again. */
const IDLE_MS = 500;

interface Store {
  readonly reads: SearchReads;
  readonly writer: SearchWriter;
}

export function createSkillSearch({ db, clock, logger }: SkillSearchParts): SkillSearch {
  const lexicon = createLexicon();
  let opened: Store | undefined;
  let usage: UsageCounter | undefined;
  // Most runs of the command line never search, so nothing is prepared before it is needed.
  const store = (): Store =>
    (opened ??= { reads: createSearchReads(db.handle), writer: createSearchWriter(db.handle) });
  const waiting = () => store().reads.waiting();
  const work = (deadline: number): Promise<boolean> =>
    db.write(() => indexOnce({ writer: store().writer, lexicon, clock }, deadline));
  /** Whatever goes wrong, searches go on with what is indexed. */
  const tryTo = async (task: () => Promise<void>): Promise<void> => {
    try {
      await task();
    } catch (error) {
      logger('[colibri] indexing the text of skills failed:', messageOf(error));
    }
  };

  return {
    search(query, { generation, ...options }) {
      if (waiting().skills) return searchByWords(snapshotSkills(db.handle, generation), query, options);
      const ordered = { usage: usage?.of, ...options };
      return store().reads.read(generation, (reader) => searchSkills(query, ordered, { reader, lexicon }));
    },
    match: (task, { generation, ...options }) =>
      store().reads.read(generation, (reader) => matchSkills(task, options, { reader, lexicon })),
    prepare: () =>
      tryTo(async () => {
        await usage?.refresh();
        const start = clock.monotonic();
        while (waiting().skills && clock.monotonic() < start + PREPARE_HEADS_MS)
          await work(start + PREPARE_HEADS_MS);
        while (waiting().bodies && clock.monotonic() < start + PREPARE_BODIES_MS)
          await work(start + PREPARE_BODIES_MS);
      }),
    orderByUsage(counter) {
      usage = counter;
    },
    async indexAll() {
      while (await work(Number.POSITIVE_INFINITY));
    },
    keepUp() {
      const isBusy = (): boolean => waiting().skills || waiting().bodies;
      return repeat(() =>
        tryTo(async () => {
          if (isBusy()) await work(clock.monotonic() + TURN_MS);
        }).then(() => (isBusy() ? REST_MS : IDLE_MS)),
      );
    },
  };
}

/** Runs the work again and again; its answer says after how many milliseconds. */
function repeat(work: () => Promise<number>): { close(): Promise<void> } {
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    const rest = await work();
    if (!ended) schedule(rest);
  };
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      turn = run();
    }, ms);
    timer.unref();
  };
  schedule(REST_MS);
  return {
    async close() {
      ended = true;
      clearTimeout(timer);
      await turn;
    },
  };
}
