/** Time is handed in wherever it is needed, so that a recorded session can be replayed exactly. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Milliseconds that never run backwards; only differences mean something. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** The clock's present as ISO-8601 UTC. */
export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
