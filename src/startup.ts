/**
 * The one composition root (γ), in two phases: first the door answers, then the database opens and the skills load.
 * A client that connects during the second phase waits; it never sees half a server.
 */
import type { Config } from './config.ts';
import { type ColibriDatabase, openDatabase } from './db/database.ts';
import { type RecoveryReport, recoverDatabase } from './db/recover.ts';
import { listProfileFiles } from './domains/agents/profile-files.ts';
import { type AuditSchema, createAuditRepository } from './domains/events/audit-repository.ts';
import { createAuditSink } from './domains/events/audit-service.ts';
import { createEventsService, type EventsService } from './domains/events/service.ts';
import { createToolTrace, routeBySession } from './domains/events/trace-service.ts';
import { gate } from './domains/policy/gate.ts';
import { createPolicyService, type PolicyService } from './domains/policy/service.ts';
import { createTrustKey } from './domains/policy/trust-key.ts';
import type { TrustParts } from './domains/policy/trust-service.ts';
import { type Callers, createCallers } from './domains/sessions/callers.ts';
import { createCustomCommands } from './domains/sessions/custom-commands.ts';
import type { HooksParts } from './domains/sessions/hooks-service.ts';
import { type ReplayOptions, type ReplayReport, replaySession } from './domains/sessions/replay-service.ts';
import { defaultScratchRoot } from './domains/sessions/run/host.ts';
import { createScriptRuntime, type ScriptRuntime } from './domains/sessions/run/probe.ts';
import { cleanScratch } from './domains/sessions/run/scratch.ts';
import {
  createSessionsService,
  type SessionsParts,
  type SessionsService,
} from './domains/sessions/service.ts';
import { createSwitchService } from './domains/sessions/switch-service.ts';
import { registerSessionTools } from './domains/sessions/tools.ts';
import { registerSkillTools } from './domains/skills/repository.ts';
import { createUsageCounter } from './domains/skills/search/usage-service.ts';
import type { SkillsService } from './domains/skills/service.ts';
import { registerRegistryTools } from './domains/skills/tools.ts';
import { watchRoots } from './domains/skills/watch.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { createDeferred } from './lib/deferred.ts';
import { messageOf } from './lib/errors.ts';
import { createIds, type Ids } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import { oncePerTurn } from './lib/per-turn.ts';
import { printableBlock } from './lib/text.ts';
import { type AuditSink, type ColibriServerContext, createServerContext } from './server.ts';
import { findServed, openWork, type ServedAgent, type Work } from './startup-agents.ts';
import { type Care, createOffered, openCare } from './startup-care.ts';
import { type Door, letDoorAnswer, openDoor, type Transport } from './startup-door.ts';
import { openHooks } from './startup-hooks.ts';
import { type InstallServices, openInstall } from './startup-install.ts';

import { type Integrity, openIntegrity } from './startup-integrity.ts';
import { firstLoad, openRegistry } from './startup-registry.ts';
import { rootRefusals } from './startup-roots.ts';
import { databaseOf, loadSettings, type SettingsOptions } from './startup-settings.ts';
import type { RequestId } from './surfaces/mcp/raw-request.ts';

export interface StartupOptions extends SettingsOptions {
  /** Indexes this one folder by the contracted loader instead of the configured roots. */
  readonly skillsRoot?: string | undefined;
  readonly logger?: Logger;
  /** Hears how far a scan is: directories done, and known so far. */
  readonly progress?: ((done: number, total: number) => void) | undefined;
  /** Where scripts run; a test's own. */
  readonly scratchRoot?: string;
  readonly programFolders?: readonly string[];
  /** Which door to open. Default: none, for the command line and the library. */
  readonly transport?: Transport;
  /** Whether to look through the whole database file for damage before use. */
  readonly check?: 'quick' | 'none';
  /** What ends the process when the second phase fails. */
  readonly exit?: (code: number) => void;
  readonly openDatabase?: typeof openDatabase;
  readonly clock?: Clock;
  /** Whether calls are recorded. Default: when a door is open. */
  readonly trace?: boolean;
  /** The agent that the door serves: its identity, its tier, its permissions. */
  readonly agent?: string | undefined;
  /** The client's opening request, if it has its answer already. */
  readonly greeted?: RequestId | null | undefined;
  /** How long a claim on a run counts without being renewed. */
  readonly leaseMs?: number;
  /** Replaces the audit log; a test's spy. */
  readonly audit?: AuditSink;
}

export interface Runtime extends Care, InstallServices, Integrity, Work {
  readonly ctx: ColibriServerContext;
  readonly db: ColibriDatabase['handle'];
  readonly config: Config;
  readonly skills: SkillsService;
  /** Why the index is that of an earlier scan; null when it is in line with the disk. */
  readonly stale: string | null;
  readonly sessions: SessionsService;
  readonly events: EventsService;
  readonly policy: PolicyService;
  readonly replay: (session: string, how: ReplayOptions) => Promise<ReplayReport>;
  readonly elapsedMs: number;
  /** Where the HTTP door listens; null without one. */
  readonly url: string | null;
  /** Settles when the client on the open door has gone; never without one. */
  readonly closed: Promise<void>;
  /** Ends everything that was started. Calling it again does nothing. */
  close(): Promise<void>;
}

/** What was started so far. */
interface Started {
  door: Door | null;
  db: ColibriDatabase | null;
  /** What goes on by itself while a server runs. */
  live: readonly { close(): Promise<void> }[];
  /** The connection's own session. */
  session: { close(): Promise<void> } | null;
  /** Agents that run for us. */
  work: { close(): Promise<void> } | null;
}

/** Parts of the context that open in phase 2, after the context exists. */
interface Late {
  audit: AuditSink;
  identify: ColibriServerContext['identify'] | null;
  gate: ColibriServerContext['gate'] | null;
}

export async function startup(options: StartupOptions = {}): Promise<Runtime> {
  const { clock = systemClock, exit = exitProcess } = options;
  const started = clock.monotonic();
  const logger = options.logger ?? logToStderr;
  const running: Started = { door: null, db: null, live: [], session: null, work: null };
  const shutdown = createShutdown(running, logger);
  const ready = createDeferred<Runtime>();

  const config = await readSettings(options);
  const late: Late = { audit: options.audit ?? NO_AUDIT, identify: null, gate: null };
  const ids = createIds(clock);
  const runtime = openScripts(options, { logger, clock, ids });
  const commands = createCustomCommands(config.commandDirs, logger);
  const ctx = createContext({ logger, clock, ids, late });

  // Phase 1: a client gets its answer to `initialize` before anything slow begins.
  const transport = options.transport ?? 'none';
  const { greeted = null } = options;
  running.door = await openDoor(ctx, config, { transport, commands, ready: ready.promise, greeted });
  if (running.door !== null) await letDoorAnswer();

  // Phase 2: whatever fails here ends the process, with the reason as the last line of the log.
  try {
    const db = (options.openDatabase ?? openDatabase)(databaseOf(config), { check: options.check ?? 'none' });
    running.db = db;
    const { skillsRoot, progress } = options;
    const skills = openRegistry(db, { config, skillsRoot, progress, logger, clock, ids });
    const stale = await firstLoad(skills, { logger, keep: transport !== 'none' });
    const events = createEventsService(db, { clock, ids });
    skills.onChange(() => events.wake());
    if (config.searchUsage) skills.search.orderByUsage(createUsageCounter(events));
    const policy = openPolicy(db, { config, skills, events, clock, ids });
    late.gate = transport === 'none' ? policy.gate : gateOfTurn(policy);
    const parts = { db, skills, events, clock, ids, policy, commands, runtime, ...shown(config, skills) };
    const sessions = createSessionsService(parts);
    const callers = createCallers(sessions);
    late.identify = callers.identify;
    const traced = options.trace ?? transport !== 'none';
    if (options.audit === undefined && traced) late.audit = await openAudit(db, events);
    registerTools(ctx, db, { config, skills, sessions, policy, perTurn: transport !== 'none' });
    const work = openWork(db, { ...parts, ctx, config, logger, options, live: running.door !== null });
    running.work = work;
    if (transport === 'stdio' && config.surface === 'full')
      running.session = await openOwnSession(sessions, callers, await served(work.services, options, late));
    const refusals = rootRefusals(config, policy);
    const integrity = openIntegrity(db, { ctx, config, skills, events, clock, logger, refusals });
    if (running.door !== null)
      running.live = await goLive(running.door, config, { ...parts, integrity, logger });
    const opened: Runtime = {
      ...{ ctx, db: db.handle, config, skills, stale, sessions, events, policy },
      ...integrity.services,
      ...work.services,
      replay: (id, how) => replaySession(parts, id, how),
      ...openUpkeep({ ...parts, ctx, config, options, refusals, integrity: integrity.services }),
      elapsedMs: clock.monotonic() - started,
      ...doorFacts(running.door),
      close: () => shutdown('closed'),
    };
    ready.resolve(opened);
    return opened;
  } catch (error) {
    ready.reject(error);
    logger('[Startup] Phase 2 failed:', messageOf(error));
    await shutdown('phase-2-failed');
    exit(1);
    throw error;
  }
}

function doorFacts(door: Door | null): Pick<Runtime, 'url' | 'closed'> {
  return { url: door?.url ?? null, closed: door?.closed ?? new Promise<void>(() => undefined) };
}

/** What brings skills in, hands them out and looks after them. */
function openUpkeep(
  parts: Parameters<typeof openInstall>[0] & Parameters<typeof openCare>[0],
): InstallServices & Care {
  return { ...openInstall(parts), ...openCare(parts) };
}

/** Saves what is readable of a damaged database, then fills the index again from the disk. */
export async function recover(
  options: StartupOptions & { readonly force?: boolean } = {},
): Promise<RecoveryReport & { readonly skills: number }> {
  const { clock = systemClock } = options;
  const database = databaseOf(await readSettings(options));
  const report = recoverDatabase(database, new Date(clock.now()), { force: options.force ?? false });
  const runtime = await startup(options);
  try {
    return { ...report, skills: runtime.skills.count() };
  } finally {
    await runtime.close();
  }
}

/** The settings alone; opens nothing. */
export function readSettings(options: SettingsOptions): Promise<Config> {
  return loadSettings(options);
}

function createContext(parts: {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly late: Late;
}): ColibriServerContext {
  const { late, ...rest } = parts;
  return createServerContext({
    ...rest,
    audit: { enter: (entry) => late.audit.enter(entry), exit: (entry) => late.audit.exit(entry) },
    identify: (request, input) =>
      late.identify?.(request, input) ?? { id: request.door, sessionId: null, agentTier: null },
    gate: (tool, caller) => late.gate?.(tool, caller) ?? { allowed: true },
  });
}

/** Calls that a client sends together are judged by one look at the policy's file. */
function gateOfTurn({ policy }: PolicyService): ColibriServerContext['gate'] {
  const current = oncePerTurn(() => gate(policy().policy));
  return (tool, caller) => current()(tool, caller);
}

const NO_AUDIT: AuditSink = { enter: () => undefined, exit: () => undefined };

function openPolicy(
  db: ColibriDatabase,
  parts: Pick<TrustParts, 'skills' | 'events' | 'clock'> & { readonly config: Config; readonly ids: Ids },
): PolicyService {
  const { config, ids, ...services } = parts;
  const { workspace, home, trustWorkspace, configFile } = config;
  return createPolicyService({
    db,
    ...services,
    ...{ workspace, home, trustWorkspace, configFile },
    key: createTrustKey(home, ids.secret),
    moreFiles: () => listProfileFiles(workspace),
    pathRoots: config.roots.filter(({ trust }) => trust === 'path').map((root) => root.path),
  });
}

/** What runs of a dead process have left is removed before anything runs. */
function openScripts(
  { scratchRoot = defaultScratchRoot(), programFolders }: StartupOptions,
  { logger, clock, ids }: { readonly logger: Logger; readonly clock: Clock; readonly ids: Ids },
): ScriptRuntime {
  try {
    cleanScratch(scratchRoot);
  } catch (error) {
    logger('[colibri] left-overs of scripts cannot be removed:', messageOf(error));
  }
  const host = { clock, ids, scratchRoot };
  return createScriptRuntime(host, programFolders === undefined ? {} : { programFolders });
}

async function openAudit(db: ColibriDatabase, events: EventsService): Promise<AuditSink> {
  const log = createAuditSink(createAuditRepository(await db.records<AuditSchema>()), db.write);
  return routeBySession(createToolTrace({ db, events }), log);
}

function shown(
  { workspace, view }: Config,
  skills: SkillsService,
): Pick<SessionsParts, 'workspace' | 'view' | 'switches'> {
  return { workspace, view, switches: createSwitchService({ workspace, skills }).current };
}

/** The agent that the connection belongs to, if any. From then on only what its profile allows is open. */
async function served(work: Work, { agent }: StartupOptions, late: Late): Promise<ServedAgent | null> {
  if (agent === undefined) return null;
  const found = await findServed(work, agent);
  const policy = late.gate;
  late.gate = (tool, caller) => {
    const verdict = found.gate(tool);
    return verdict.allowed ? (policy?.(tool, caller) ?? verdict) : verdict;
  };
  return found;
}

async function openOwnSession(
  sessions: SessionsService,
  callers: Callers,
  agent: ServedAgent | null,
): Promise<{ close(): Promise<void> }> {
  const { id } =
    agent === null ? await sessions.open() : await sessions.open({ agent_id: agent.id }, agent.tier);
  callers.useSession(id);
  return { close: () => sessions.close(id) };
}

function registerTools(
  ctx: ColibriServerContext,
  db: ColibriDatabase,
  services: {
    readonly config: Config;
    readonly skills: SkillsService;
    readonly sessions: SessionsService;
    readonly policy: PolicyService;
    readonly perTurn: boolean;
  },
): void {
  const { config, skills, sessions, policy, perTurn } = services;
  if (config.surface === 'phase-0') {
    registerSkillTools(ctx, db.handle);
    return;
  }
  const offered = createOffered({ config, skills, policy, perTurn });
  registerSkillTools(ctx, db.handle, { paged: true, perTurn, offered });
  registerRegistryTools(ctx, skills);
  registerSessionTools(ctx, sessions);
}

async function goLive(door: Door, config: Config, parts: LiveParts): Promise<Started['live']> {
  const { skills, integrity, logger, clock } = parts;
  skills.onChange(() => door.catalogChanged());
  const hooks = await openHooks(parts, config);
  const indexing = skills.search.keepUp();
  if (config.watch === 'off') return [hooks, indexing];
  return [hooks, indexing, integrity.watch(), watchRoots(skills, { mode: config.watch, logger, clock })];
}

interface LiveParts extends Omit<HooksParts, 'home'> {
  readonly skills: SkillsService;
  readonly integrity: { watch(): { close(): Promise<void> } };
}

/** Ends the watching, then lets the door finish its calls, then closes what they use. */
function createShutdown(
  running: Started,
  logger: Logger,
): (reason: 'closed' | 'phase-2-failed') => Promise<void> {
  let ended: Promise<void> | null = null;
  const run = async (reason: string): Promise<void> => {
    for (const part of [...running.live, running.work, running.door, running.session, running.db]) {
      try {
        await part?.close();
      } catch (error) {
        logger(`[colibri] shutdown (${reason}):`, messageOf(error));
      }
    }
  };
  return (reason) => (ended ??= run(reason));
}

function logToStderr(...args: unknown[]): void {
  process.stderr.write(`${printableBlock(args.map(String).join(' '))}\n`);
}

function exitProcess(code: number): void {
  process.exit(code);
}
