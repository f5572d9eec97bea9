import { expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { createIds } from '../../src/lib/ids.ts';
import { fixedClock } from '../support/fixed-clock.ts';

const ULID_RE = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

test('a ulid is 26 Crockford base32 characters', () => {
  const ids = createIds(systemClock);
  const made = Array.from({ length: 500 }, () => ids.ulid());
  expect(made.filter((id) => !ULID_RE.test(id))).toEqual([]);
});

test('the first ten characters are the time, so the reference value of the ULID specification comes out', () => {
  const ids = createIds(fixedClock(1_469_918_176_385), () => new Uint8Array(16));
  expect(ids.ulid()).toBe('01ARYZ6S410000000000000000');
});

test('ids of one millisecond sort in the order they were made', () => {
  const ids = createIds(fixedClock());
  const made = Array.from({ length: 2_000 }, () => ids.ulid());
  expect(made).toEqual(made.toSorted());
  expect(new Set(made).size).toBe(made.length);
});

test('ids of later milliseconds sort after earlier ones', () => {
  const clock = fixedClock();
  const ids = createIds(clock);
  const made = Array.from({ length: 200 }, () => {
    clock.advance(1);
    return ids.ulid();
  });
  expect(made).toEqual(made.toSorted());
});

test('a clock that is set back does not break the order', () => {
  const clock = fixedClock();
  const ids = createIds(clock);
  const before = ids.ulid();
  clock.advance(-60_000);
  const after = ids.ulid();
  expect(after > before).toBe(true);
});

test('counting up carries over several digits', () => {
  const random = Uint8Array.from([...new Array(14).fill(0), 31, 31]);
  const ids = createIds(fixedClock(0), () => random);
  expect([ids.ulid(), ids.ulid()]).toEqual(['0000000000000000000000' + '00ZZ', '00000000000000000000000100']);
});

test('when the random part is full, the next id moves on to the next millisecond and still sorts after', () => {
  const ids = createIds(fixedClock(0), (count) => new Uint8Array(count).fill(31));
  expect([ids.ulid(), ids.ulid(), ids.ulid()]).toEqual([
    `0000000000${'Z'.repeat(16)}`,
    `0000000001${'Z'.repeat(16)}`,
    `0000000002${'Z'.repeat(16)}`,
  ]);
});
