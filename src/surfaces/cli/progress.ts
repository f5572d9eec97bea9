/** A bar on stderr for a scan that takes long enough to make a person wonder. */
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { TextStream } from './output.ts';

export interface Progress {
  /** Absent where nobody would see it, so that the scan need not call. */
  readonly report: ((done: number, total: number) => void) | undefined;
  /** Takes the bar off the screen. Calling it again does nothing. */
  clear(): void;
}

export interface ProgressOptions {
  readonly hidden: boolean;
  readonly clock?: Clock;
}

/** A shorter wait needs no explanation. */
const PATIENCE_MS = 300;
const REDRAW_MS = 80;
const BAR_COLUMNS = 24;
const DEFAULT_COLUMNS = 80;

export function createProgress(stream: TextStream, options: ProgressOptions): Progress {
  if (options.hidden || stream.isTTY !== true) return { report: undefined, clear: () => undefined };
  const { clock = systemClock } = options;
  let nextDraw = clock.monotonic() + PATIENCE_MS;
  let drawn = 0;
  let over = false;
  return {
    report(done, total) {
      const now = clock.monotonic();
      // A later scan of the same process must not draw into the results.
      if (over || now < nextDraw) return;
      nextDraw = now + REDRAW_MS;
      // The last column stays free: some terminals wrap as soon as it is written.
      const line = barLine(done, total).slice(0, (stream.columns || DEFAULT_COLUMNS) - 1);
      stream.write(`\r${line.padEnd(drawn)}`);
      drawn = line.length;
    },
    clear() {
      over = true;
      if (drawn > 0) stream.write(`\r${' '.repeat(drawn)}\r`);
      drawn = 0;
    },
  };
}

function barLine(done: number, total: number): string {
  if (done === 0) return `looking for skills: ${total} folders so far`;
  const filled = Math.round((done / Math.max(done, total)) * BAR_COLUMNS);
  return `reading skills [${'#'.repeat(filled).padEnd(BAR_COLUMNS, '.')}] ${done} of ${total}`;
}
