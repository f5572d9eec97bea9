/** Callers share commits, and each waits for the one that holds what it brought. */
import { expect, test } from 'vitest';

import { createGroupCommit } from '../../src/lib/group-commit.ts';
import { latch } from '../support/latch.ts';

/** Commits that have their turn at once, and what each has held. */
function open() {
  const batches: (readonly string[])[] = [];
  const commits = createGroupCommit<string>(async (take) => {
    batches.push([...take()]);
  });
  return { batches, commits };
}

test('what arrives in one turn goes into one commit, also after awaits', async () => {
  const { batches, commits } = open();
  const late = Promise.resolve().then(() => commits.add('b', 'turn'));
  await Promise.all([commits.add('a', 'turn'), late]);
  expect(batches).toEqual([['a', 'b']]);
});

test('`now` begins before the caller goes on, and takes along what was there, in order', async () => {
  const { batches, commits } = open();
  const first = commits.add('first', 'later');
  const waiting = commits.add('waiting', 'turn');
  const urgent = commits.add('urgent', 'now');
  expect(batches).toEqual([['first', 'waiting', 'urgent']]);
  await Promise.all([first, waiting, urgent]);
  await commits.add('next', 'turn');
  expect(batches).toEqual([['first', 'waiting', 'urgent'], ['next']]);
});

test('`later` starts nothing by itself', async () => {
  const { batches, commits } = open();
  const left = commits.add('left', 'later');
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(batches).toEqual([]);
  await Promise.all([left, commits.add('end', 'turn')]);
  expect(batches).toEqual([['left', 'end']]);
});

test('nobody is told before the commit of their entry is done', async () => {
  const held = latch();
  const commits = createGroupCommit<string>(async (take) => {
    take();
    await held.promise;
  });
  let settled = false;
  const told = commits.add('a', 'turn').then(() => {
    settled = true;
  });
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(settled).toBe(false);
  held.open();
  await told;
});

test('a commit that fails, before or after it took its entries, is told to those in it and to nobody after', async () => {
  for (const fails of ['before', 'after']) {
    let broken = true;
    const kept: string[] = [];
    const commits = createGroupCommit<string>(async (take) => {
      if (broken && fails === 'before') throw new Error('busy');
      const entries = take();
      if (broken) throw new Error('disk full');
      kept.push(...entries);
    });
    const outcomes = await Promise.allSettled([commits.add('a', 'later'), commits.add('b', 'turn')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    await commits.add('c', 'turn');
    expect(kept).toEqual(['c']);
  }
});

test('as long as every turn brings several, one commit waits for more; but not for ever', async () => {
  const { batches, commits } = open();
  const bring = async (turns: number): Promise<void> => {
    const all: Promise<void>[] = [];
    for (let turn = 0; turn < turns; turn++) {
      all.push(commits.add('one', 'turn'), commits.add('two', 'turn'));
      await new Promise(setImmediate);
    }
    await Promise.all(all);
  };
  await bring(3);
  expect(batches.map(({ length }) => length)).toEqual([6]);
  batches.length = 0;
  await bring(40);
  expect(Math.max(...batches.map(({ length }) => length))).toBeLessThan(20);
});

test('one that comes alone waits for nobody', async () => {
  const { batches, commits } = open();
  const alone = commits.add('alone', 'turn');
  await new Promise(setImmediate);
  expect(batches).toEqual([['alone']]);
  await alone;
});
