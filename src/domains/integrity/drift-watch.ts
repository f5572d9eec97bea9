/** Looks for drift while a server runs: after every change of the catalog, and now and then. */
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { printable } from '../../lib/text.ts';
import type { SkillsService } from '../skills/service.ts';
import type { DriftReport, DriftService } from './drift-service.ts';

/** Scripts and references change without the catalog changing; a look that finds nothing new opens no file. */
const CHECK_MS = 60_000;
/** An edit of both sides comes in two steps. */
const SETTLE_MS = 1000;

export interface DriftWatch {
  close(): Promise<void>;
}

export interface DriftWatchParts {
  readonly drift: DriftService;
  readonly skills: Pick<SkillsService, 'onChange'>;
  readonly logger: Logger;
}

export function watchDrift({ drift, skills, logger }: DriftWatchParts): DriftWatch {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  let lastLine = '';
  const say = (line: string): void => {
    // The same state at every look is told once.
    if (line !== lastLine && line !== '') logger(line);
    lastLine = line;
  };
  const look = async (): Promise<void> => {
    if (closed) return;
    try {
      say(driftLine(await drift.check()));
    } catch (error) {
      say(`[colibri] drift check failed: ${printable(messageOf(error))}`);
    }
    if (!closed) schedule(CHECK_MS);
  };
  const schedule = (delay: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(look);
    }, delay);
    timer.unref();
  };
  const end = skills.onChange(() => schedule(SETTLE_MS));
  schedule(SETTLE_MS);
  return {
    async close() {
      closed = true;
      end();
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}

const NAMES_MAX = 5;

function driftLine({ mirrors }: DriftReport): string {
  const drifted = mirrors.filter(({ findings }) => findings.length > 0);
  if (drifted.length === 0) return '';
  const told = drifted.map(({ root, findings }) => {
    const names = findings.slice(0, NAMES_MAX).map(({ skill }) => printable(skill));
    const more = findings.length > NAMES_MAX ? ` and ${findings.length - NAMES_MAX} more` : '';
    return `${root}: ${names.join(', ')}${more}`;
  });
  return `[colibri] drift in ${told.join('; ')} (\`colibri drift\` tells what)`;
}
