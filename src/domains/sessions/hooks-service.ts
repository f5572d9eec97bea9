/** Runs the user's hooks while a server is up: one after the other, each on the record. */
import type { ColibriDatabase } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { ColibriError, messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { printableBlock } from '../../lib/text.ts';
import { type Hook, matchesHook } from '../events/hook.ts';
import type { EventRow } from '../events/schema.ts';
import type { EventsService } from '../events/service.ts';
import { takeEvent } from './hook-repository.ts';
import type { ScriptRuntime } from './run/probe.ts';
import { runCommand } from './run/run-command.ts';
import type { EndedRun } from './run/supervise.ts';

export interface HooksParts {
  readonly db: ColibriDatabase;
  readonly events: EventsService;
  readonly runtime: ScriptRuntime;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly home: string;
}

export interface RunningHooks {
  /** Hears no more events, ends what is running, and comes back when it is gone. */
  close(): Promise<void>;
}

const MS = 1_000;
/** Events that wait while a hook is slow; beyond it they are left out, and the log says so. */
const WAITING_MAX = 1_000;
/** Of what a hook printed, kept with its event. */
const OUTPUT_CHARS = 2_000;

/** Hears every event from now on. */
export async function runHooks(parts: HooksParts, hooks: readonly Hook[]): Promise<RunningHooks> {
  if (hooks.length === 0) return { close: async () => undefined };
  const { events, logger } = parts;
  const [newest] = await events.read({ newestFirst: true, limit: 1 });
  const ending = new AbortController();
  let waiting = 0;
  let work: Promise<void> = Promise.resolve();
  const take = (row: EventRow): void => {
    const matching = hooks.filter((hook) => matchesHook(hook, row));
    if (matching.length === 0) return;
    if (waiting >= WAITING_MAX) {
      logger('[colibri] hooks are too slow; left out event', row.seq);
      return;
    }
    waiting++;
    work = work
      .then(() => runAll(parts, row, { matching, signal: ending.signal }))
      .catch((error: unknown) => logger('[colibri] hooks:', messageOf(error)))
      .finally(() => waiting--);
  };
  const end = events.follow({ after: newest?.seq ?? 0 }, (rows) => rows.forEach(take));
  return {
    async close() {
      end();
      ending.abort();
      await work;
    },
  };
}

async function runAll(
  parts: HooksParts,
  row: EventRow,
  { matching, signal }: { readonly matching: readonly Hook[]; readonly signal: AbortSignal },
): Promise<void> {
  const { db, clock } = parts;
  if (signal.aborted || !(await db.transact((transaction) => takeEvent(transaction, row.seq, isoNow(clock)))))
    return;
  for (const hook of matching) if (!signal.aborted) await runOne(parts, row, { hook, signal });
}

async function runOne(
  { db, events, runtime, home }: HooksParts,
  row: EventRow,
  { hook, signal }: { readonly hook: Hook; readonly signal: AbortSignal },
): Promise<void> {
  const event = { ...row, payload: JSON.parse(row.payload) as unknown };
  const stdin = Buffer.from(`${JSON.stringify(event)}\n`);
  const command = { command: hook.run, stdin, timeMs: hook.timeout_seconds * MS, home, signal };
  const outcome = await runCommand(command, runtime).then(outcomeOf, failureOf);
  const payload = { hook: hook.name, seq: row.seq, event_type: row.type, ...outcome };
  await db.transact((transaction) =>
    events.append(transaction, [
      { type: 'hook.ran', stream: 'hooks', actor: 'hooks', sensitivity: 'pseudonymous', payload },
    ]),
  );
  events.wake();
}

interface HookOutcome {
  readonly exit_code: number | null;
  readonly stopped: string | null;
  readonly output: string;
}

function outcomeOf({ code, stopped, stdout, stderr }: EndedRun): HookOutcome {
  const output = printableBlock(`${stdout.bytes.toString('utf8')}${stderr.bytes.toString('utf8')}`);
  return { exit_code: stopped === null ? code : null, stopped, output: output.slice(0, OUTPUT_CHARS) };
}

/** A program that is not there is no reason to stop the others. */
function failureOf(error: unknown): HookOutcome {
  const stopped = error instanceof ColibriError ? error.code : 'not started';
  return { exit_code: null, stopped, output: messageOf(error).slice(0, OUTPUT_CHARS) };
}
