/** Keeps the index fresh while a server runs. The watcher only hints; the cheap rescan is the truth. */
import { realpathSync, statSync } from 'node:fs';

import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { SkillsService } from './service.ts';

export interface WatchOptions {
  /** `auto` falls back to polling, root by root, where the system cannot watch. */
  readonly mode: 'auto' | 'poll';
  readonly logger: Logger;
  readonly clock: Clock;
}

export interface RegistryWatch {
  close(): Promise<void>;
}

/** Events that come in a burst, such as a checkout, make one rescan. */
const DEBOUNCE_MS = 40;
/** A second look after every change: files written in the same instant as the first may have changed again. */
const SECOND_LOOK_MS = 150;
/** After a scan that failed: what was wrong may pass without a hint. */
const RETRY_MS = 1000;
/** How often roots are checked for having come, gone or been replaced, which no watcher reports. */
const ROOT_CHECK_MS = 250;
const POLL_MS = 400;
/** Polling never takes more than about a tenth of the time. */
const POLL_REST_FACTOR = 10;
/** In case a hint was lost. */
const SAFETY_RESCAN_MS = 30_000;

// Named on Linux: left to choose, the watcher runs a shell to look for other back ends and leaves it behind.
const WATCHER = process.platform === 'linux' ? ({ backend: 'inotify' } as const) : {};

interface Subscription {
  unsubscribe(): Promise<void>;
}

export function watchRoots(skills: SkillsService, { mode, logger, clock }: WatchOptions): RegistryWatch {
  const subscriptions = new Map<
    string,
    { readonly identity: string; readonly made: Promise<Subscription | null> }
  >();
  const rescan = createRescan(skills, logger, clock);
  let polling = mode === 'poll';
  let closed = false;

  const subscribe = async (root: string, previous: Promise<void>): Promise<Subscription | null> => {
    // Two watches of one path share what the system watches: a new one must not inherit that of a deleted folder.
    await previous;
    try {
      const { subscribe: watch } = await import('@parcel/watcher');
      // A watch of a link would see the link and not what it leads to.
      return await watch(realpathSync(root), () => rescan.soon(), {
        ...WATCHER,
        ignore: ['**/node_modules', '**/.git'],
      });
    } catch (error) {
      if (!closed) logger(`[colibri] cannot watch ${root}, polling instead:`, messageOf(error));
      polling = true;
      return null;
    }
  };

  const checkRoots = (): void => {
    for (const { path: root } of skills.roots) {
      const identity = identityOf(root);
      const known = subscriptions.get(root);
      if ((known?.identity ?? null) === identity) continue;
      const ended = known === undefined ? Promise.resolve() : endSubscription(known.made, logger);
      subscriptions.delete(root);
      if (identity !== null) {
        const made = subscribe(root, ended);
        subscriptions.set(root, { identity, made });
        // What changed before the watcher was in place gave no hint.
        void made.then(() => rescan.soon());
      }
      rescan.soon();
    }
  };

  if (mode === 'auto') checkRoots();
  const rootTimer = mode === 'auto' ? setInterval(checkRoots, ROOT_CHECK_MS) : null;
  const safetyTimer = setInterval(() => rescan.soon(), SAFETY_RESCAN_MS);
  const pollTimer = setInterval(() => {
    if (polling && rescan.restedFor(POLL_REST_FACTOR)) rescan.soon();
  }, POLL_MS);
  for (const timer of [rootTimer, safetyTimer, pollTimer]) timer?.unref();

  return {
    async close() {
      closed = true;
      for (const timer of [rootTimer, safetyTimer, pollTimer]) if (timer !== null) clearInterval(timer);
      await Promise.all([...subscriptions.values()].map(({ made }) => endSubscription(made, logger)));
      await rescan.close();
    },
  };
}

interface Rescan {
  /** Asks for a rescan; asking again before it starts changes nothing. */
  soon(): void;
  /** Whether the last rescan is longer ago than that many times its own duration. */
  restedFor(times: number): boolean;
  close(): Promise<void>;
}

function createRescan(skills: SkillsService, logger: Logger, clock: Clock): Rescan {
  let timer: NodeJS.Timeout | null = null;
  let due = 0;
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  let lastFailure = '';
  let lastEnd = 0;
  let lastDuration = 0;

  const run = async (): Promise<void> => {
    timer = null;
    const started = clock.monotonic();
    try {
      const changes = await skills.reload();
      lastFailure = '';
      if (changes !== null) schedule(SECOND_LOOK_MS);
    } catch (error) {
      // The same trouble at every look is told once.
      if (messageOf(error) !== lastFailure) logger('[colibri] reload failed:', messageOf(error));
      lastFailure = messageOf(error);
      schedule(RETRY_MS);
    }
    lastEnd = clock.monotonic();
    lastDuration = lastEnd - started;
  };
  const schedule = (delay: number): void => {
    const at = clock.monotonic() + delay;
    // A hint brings a later look forward; it never puts an earlier one off, or a stream of hints would starve it.
    if (closed || (timer !== null && due <= at)) return;
    if (timer !== null) clearTimeout(timer);
    due = at;
    timer = setTimeout(() => {
      running = running.then(run);
    }, delay);
    timer.unref();
  };
  return {
    soon: () => schedule(DEBOUNCE_MS),
    restedFor: (times) => clock.monotonic() - lastEnd >= times * lastDuration,
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}

/** Which directory stands at a path right now; null when none. */
function identityOf(root: string): string | null {
  try {
    const stats = statSync(root, { throwIfNoEntry: false });
    return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

async function endSubscription(made: Promise<Subscription | null>, logger: Logger): Promise<void> {
  try {
    await (await made)?.unsubscribe();
  } catch (error) {
    logger('[colibri] unwatch failed:', messageOf(error));
  }
}
