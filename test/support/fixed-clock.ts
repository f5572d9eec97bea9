import type { Clock } from '../../src/lib/clock.ts';

export const FIXED_TIME: number = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
export const FIXED_ISO = '2026-01-02T03:04:05.006Z';

/** A clock that stands still until told otherwise. */
export function fixedClock(start: number = FIXED_TIME): Clock & { advance(ms: number): void } {
  let passed = 0;
  return {
    now: () => start + passed,
    monotonic: () => passed,
    advance(ms) {
      passed += ms;
    },
  };
}
