import { expect, test } from 'vitest';

import { isoNow, systemClock } from '../../src/lib/clock.ts';
import { FIXED_ISO, fixedClock } from '../support/fixed-clock.ts';

test('the system clock tells the present in milliseconds since 1970', () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

test('the monotonic clock never runs backwards', () => {
  const readings = Array.from({ length: 1_000 }, () => systemClock.monotonic());
  expect(readings).toEqual(readings.toSorted((a, b) => a - b));
});

test('isoNow writes the given clock as ISO-8601 UTC', () => {
  expect(isoNow(fixedClock())).toBe(FIXED_ISO);
});
