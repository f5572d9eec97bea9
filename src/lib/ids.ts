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
  let time = '';
  let lastRandom = '';
  return {
    secret: () => Buffer.from(random(32)).toString('hex'),
    ulid() {
      const now = Math.max(clock.now(), lastTime);
      const next = now === lastTime ? increment(lastRandom) : digits(random(RANDOM_CHARS));
      // A full random part borrows the next millisecond: ids must not start over below the last one.
      const stamp = next === null ? now + 1 : now;
      if (stamp !== lastTime) time = encodeTime(stamp);
      lastTime = stamp;
      lastRandom = next ?? digits(random(RANDOM_CHARS));
      return time + lastRandom;
    },
  };
}

function digits(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => CROCKFORD.charAt(byte % CROCKFORD.length)).join('');
}

/** Adds one, carrying from the right, so that ids made in the same millisecond still sort; null when all digits are full. */
function increment(value: string): string | null {
  for (let index = value.length - 1; index >= 0; index--) {
    const digit = CROCKFORD.indexOf(value.charAt(index)) + 1;
    if (digit === CROCKFORD.length) continue;
    const full = value.length - 1 - index;
    return value.slice(0, index) + CROCKFORD.charAt(digit) + CROCKFORD.charAt(0).repeat(full);
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
