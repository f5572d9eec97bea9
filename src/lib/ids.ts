import { randomBytes } from 'node:crypto';

import type { Clock } from './clock.ts';

/** Makes ids. ULIDs sort by time, and within one millisecond by order of creation. */
export interface Ids {
  ulid(): string;
  /** 32 random bytes, hex. */
  secret(): string;
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

export function createIds(clock: Clock, random: (count: number) => Uint8Array = randomBytes): Ids {
  let lastTime = -1;
  let lastRandom: number[] = [];
  return {
    secret: () => Buffer.from(random(32)).toString('hex'),
    ulid() {
      const time = Math.max(clock.now(), lastTime);
      const next = time === lastTime ? increment(lastRandom) : digits(random(RANDOM_CHARS));
      // A full random part borrows the next millisecond: ids must not start over below the last one.
      lastTime = next === null ? time + 1 : time;
      lastRandom = next ?? digits(random(RANDOM_CHARS));
      return encodeTime(lastTime) + lastRandom.map((digit) => CROCKFORD.charAt(digit)).join('');
    },
  };
}

function digits(bytes: Uint8Array): number[] {
  return Array.from(bytes, (byte) => byte % CROCKFORD.length);
}

/** Adds one, carrying from the right, so that ids made in the same millisecond still sort; null when all digits are full. */
function increment(value: readonly number[]): number[] | null {
  const next = [...value];
  for (let index = next.length - 1; index >= 0; index--) {
    const digit = next[index] ?? 0;
    if (digit < CROCKFORD.length - 1) {
      next[index] = digit + 1;
      return next;
    }
    next[index] = 0;
  }
  return null;
}

function encodeTime(time: number): string {
  let rest = time;
  let text = '';
  for (let index = 0; index < TIME_CHARS; index++) {
    text = CROCKFORD.charAt(rest % CROCKFORD.length) + text;
    rest = Math.floor(rest / CROCKFORD.length);
  }
  return text;
}
