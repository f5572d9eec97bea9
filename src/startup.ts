/**
 * The one composition root (γ), in two phases: first the door answers, then the database opens and the skills load.
 * A client that connects during the second phase waits; it never sees half a server.
 */
import { setImmediate } from 'node:timers/promises';

import { type Config, loadConfig } from './config.ts';
import { type ColibriDatabase, openDatabase } from './db/database.ts';
import { type RecoveryReport, recoverDatabase } from './db/recover.ts';
import { type AuditSchema, createAuditRepository } from './domains/events/audit-repository.ts';
import { createAuditSink } from './domains/events/audit-service.ts';
import { loadSkillsFromDisk, registerSkillTools } from './domains/skills/repository.ts';
import { createSkillsService, type SkillsService } from './domains/skills/service.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { messageOf } from './lib/errors.ts';
import { createIds } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import { readVersion } from './lib/version.ts';
import { type AuditSink, type ColibriServerContext, createServerContext } from './server.ts';

export interface StartupOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly workspace?: string | undefined;
  readonly dbPath?: string | undefined;
  /** Overrides the skills root, `<workspace>/.agents/skills`. */
  readonly skillsRoot?: string | undefined;
  readonly logger?: Logger;
  /** Which door to open. Default: none, for the command line and the library. */
  readonly transport?: 'none' | 'stdio';
  /** Whether to look through the whole database file for damage before use. */
  readonly check?: 'quick' | 'none';
  /** What ends the process when the second phase fails. */
  readonly exit?: (code: number) => void;
  readonly openDatabase?: typeof openDatabase;
  readonly clock?: Clock;
  /** Replaces the audit log; a test's spy. */
  readonly audit?: AuditSink;
}

export interface Runtime {
  readonly ctx: ColibriServerContext;
  readonly db: ColibriDatabase['handle'];
  readonly config: Config;
  readonly skills: SkillsService;
  readonly elapsedMs: number;
  /** Settles when the client on the open door has gone; never without a door. */
  readonly closed: Promise<void>;
  /** Ends everything that was started, in reverse order. Calling it again does nothing. */
  close(): Promise<void>;
}

export async function startup(options: StartupOptions = {}): Promise<Runtime> {
  const { clock = systemClock, exit = exitProcess } = options;
  const started = clock.monotonic();
  const logger = options.logger ?? logToStderr;
  const config = readConfig(options);
  const stages: (() => Promise<void>)[] = [];
  const shutdown = createShutdown(stages, logger);

  // Phase 1: a client gets its answer to `initialize` before anything slow begins.
  const late: { audit: AuditSink } = { audit: options.audit ?? NO_AUDIT };
  const ctx = createContext(logger, clock, late);
  const ready = deferred();
  const door = options.transport === 'stdio' ? await openStdioDoor(ctx, ready.promise) : null;
  if (door !== null) {
    stages.push(door.close);
    await letDoorAnswer();
  }

  // Phase 2: whatever fails here ends the process, with the reason as the last line of the log.
  try {
    const db = (options.openDatabase ?? openDatabase)(config.dbPath, { check: options.check ?? 'none' });
    stages.push(db.close);
    const load = await db.write(() =>
      loadSkillsFromDisk(db.handle, config.skillsRoot, logger, { workspace: config.workspace, clock }),
    );
    if (options.audit === undefined && door !== null) {
      const records = await db.records<AuditSchema>();
      late.audit = createAuditSink(createAuditRepository(records), db.write);
    }
    registerSkillTools(ctx, db.handle);
    ready.resolve();
    return {
      ctx,
      db: db.handle,
      config,
      skills: createSkillsService(db.handle, load),
      elapsedMs: clock.monotonic() - started,
      closed: door?.closed ?? new Promise<void>(() => undefined),
      close: () => shutdown('closed'),
    };
  } catch (error) {
    ready.reject(error);
    logger('[Startup] Phase 2 failed:', messageOf(error));
    await shutdown('phase-2-failed');
    exit(1);
    throw error;
  }
}

/** Saves what is readable of a damaged database, then fills the index again from the disk. */
export async function recover(
  options: StartupOptions & { readonly force?: boolean } = {},
): Promise<RecoveryReport & { readonly skills: number }> {
  const { clock = systemClock } = options;
  const { dbPath } = readConfig(options);
  const report = recoverDatabase(dbPath, new Date(clock.now()), { force: options.force ?? false });
  const runtime = await startup(options);
  try {
    return { ...report, skills: runtime.skills.names().length };
  } finally {
    await runtime.close();
  }
}

function readConfig(options: StartupOptions): Config {
  const { workspace, dbPath, skillsRoot } = options;
  return loadConfig({
    cwd: options.cwd ?? process.cwd(),
    env: options.env,
    flags: { workspace, dbPath, skillsRoot },
  });
}

function createContext(
  logger: Logger,
  clock: Clock,
  late: { readonly audit: AuditSink },
): ColibriServerContext {
  return createServerContext({
    logger,
    clock,
    ids: createIds(clock),
    // The log behind it opens in phase 2, after the context exists.
    audit: { enter: (entry) => late.audit.enter(entry), exit: (entry) => late.audit.exit(entry) },
    identify: (request) => ({ id: request.door, sessionId: null, agentTier: null }),
    gate: () => ({ allowed: true }),
  });
}

const NO_AUDIT: AuditSink = { enter: () => undefined, exit: () => undefined };

// Imported here and not above: the command line must not pay for the MCP SDK.
async function openStdioDoor(
  ctx: ColibriServerContext,
  ready: Promise<void>,
): Promise<{ readonly closed: Promise<void>; close(): Promise<void> }> {
  const { openStdio } = await import('./surfaces/mcp/stdio.ts');
  return openStdio(ctx, { version: readVersion(), ready });
}

// One turn of the event loop starts the reading, the next one reads and answers; the others are to spare.
const ANSWER_TURNS = 4;

/** Answers what is in the pipe already. Without it, `initialize` would wait for the scan, which blocks the thread. */
async function letDoorAnswer(): Promise<void> {
  for (let turn = 0; turn < ANSWER_TURNS; turn++) await setImmediate();
}

function createShutdown(
  stages: (() => Promise<void>)[],
  logger: Logger,
): (reason: 'closed' | 'phase-2-failed') => Promise<void> {
  let ended: Promise<void> | null = null;
  const run = async (reason: string): Promise<void> => {
    for (const stop of stages.reverse()) {
      try {
        await stop();
      } catch (error) {
        logger(`[colibri] shutdown (${reason}):`, messageOf(error));
      }
    }
  };
  return (reason) => (ended ??= run(reason));
}

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (reason: unknown) => void } {
  let resolve: () => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Nobody may be waiting when phase 2 fails; that must not count as an unhandled rejection.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

function logToStderr(...args: unknown[]): void {
  process.stderr.write(`${args.map(String).join(' ')}\n`);
}

function exitProcess(code: number): void {
  process.exit(code);
}
