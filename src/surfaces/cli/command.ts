/** What a command is, and what it is given. The table itself is in commands.ts. */
import type { Config } from '../../config.ts';
import type { AgentsService } from '../../domains/agents/service.ts';
import type { EventsService } from '../../domains/events/service.ts';
import type { DoctorOptions, DoctorReport } from '../../domains/integrity/doctor/doctor-service.ts';
import type { FixPlan } from '../../domains/integrity/doctor/fix-plan.ts';
import type { DriftService } from '../../domains/integrity/drift-service.ts';
import type { HostService } from '../../domains/integrity/host-service.ts';
import type { InstallService } from '../../domains/integrity/install/service.ts';
import type { ProposeService } from '../../domains/integrity/propose/propose-service.ts';
import type { PublishService } from '../../domains/integrity/publish/service.ts';
import type { RoundService } from '../../domains/integrity/round-service.ts';
import type { ScanReport, ScanTargets } from '../../domains/integrity/scan/scan-service.ts';
import type { SyncService } from '../../domains/integrity/sync-service.ts';
import type { PolicyService } from '../../domains/policy/service.ts';
import type { ReplayOptions, ReplayReport } from '../../domains/sessions/replay-service.ts';
import type { SessionsService } from '../../domains/sessions/service.ts';
import type { SwitchService } from '../../domains/sessions/switch-service.ts';
import type { PrintedList } from '../../domains/skills/kept-list.ts';
import type { SkillsService } from '../../domains/skills/service.ts';
import type { TasksService } from '../../domains/tasks/service.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ColibriServerContext } from '../../server.ts';
import type { Output, TextStream } from './output.ts';

export const EXIT = { ok: 0, findings: 1, usage: 2, failure: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface CommandOption {
  /** With its dashes: `--search`. */
  readonly flag: string;
  /** One letter, without the dash. */
  readonly short?: string;
  /** Names the value; an option without it is a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly description: string;
}

export interface CommandArgument {
  readonly name: string;
  readonly optional?: boolean;
  readonly many?: boolean;
  readonly choices?: readonly string[];
  /** What the shell offers after Tab. */
  readonly completes?: 'path' | 'skill' | 'session' | 'command';
}

export interface Command {
  /** One word, or a group and a verb: `db recover`. */
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly args: readonly CommandArgument[];
  readonly options: readonly CommandOption[];
  readonly examples: readonly string[];
  /** Fetches the code of the command only when it is about to run. */
  readonly load: () => Promise<CommandModule>;
}

export interface CommandModule {
  readonly run: (context: CommandContext) => Promise<ExitCode> | ExitCode;
}

export interface Flags {
  /** Options with a value, by name without dashes. */
  readonly values: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
}

export interface CommandContext {
  /** The words after the command's name. */
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly out: Output;
  readonly host: CliHost;
  readonly commands: readonly Command[];
  readonly globals: readonly CommandOption[];
}

/** Everything of the process that the command line may touch, handed in by cli.ts. */
export interface CliHost {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly cwd: string;
  /** The user's home; absent: what the system says. */
  readonly home?: string | undefined;
  readonly version: string;
  /** Loads the composition root; a surface never imports it. */
  readonly boot: () => Promise<BootModule>;
  /** Opens the index to look at it; null when that takes `boot`. */
  readonly openIndex?: (
    places: Places & Pick<BootOptions, 'logger' | 'progress'>,
  ) => Promise<OpenedIndex | null>;
  /** Answers a client that already waits on stdin; absent where that is left to `boot`. */
  readonly greet?: (places: Places & Pick<BootOptions, 'surface'>) => Promise<void>;
  /** The request of the client that was greeted before. */
  readonly greeted?: BootOptions['greeted'];
  /** Hears that the start is over and the process serves from now on. */
  readonly onServing?: () => void;
  /** Puts a question to the person at the terminal; absent where there is none. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
  /** Calls back on the first signal that asks the process to stop. */
  readonly onStopSignal?: (stop: () => void) => void;
  /** Shows an address in the user's browser. */
  readonly openPage?: (url: string) => void;
}

export interface OpenedIndex {
  readonly skills: Pick<SkillsService, 'roots' | 'list' | 'names' | 'counts' | 'usedRoots'> & {
    /** Name, version, source and description in one line each, parted by tabs; absent where only `list` is known. */
    lines?(filters: NonNullable<Parameters<SkillsService['list']>[0]>): readonly string[];
  };
  readonly switches: SwitchService;
  /** Keeps the list of all skills as it was printed, to be found by the next one; absent where nothing is kept. */
  readonly keep?: (list: PrintedList) => void;
  close(): Promise<void>;
}

/** Where to work, as the options say. */
export type Places = Pick<BootOptions, 'cwd' | 'env' | 'home' | 'workspace' | 'dbPath' | 'skillsRoot'>;

/** What the commands say to the composition root; absent values are settled by the environment and the defaults. */
export interface BootOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home?: string | undefined;
  readonly workspace?: string | undefined;
  readonly dbPath?: string | undefined;
  readonly skillsRoot?: string | undefined;
  readonly logger: Logger;
  readonly transport: 'none' | 'stdio' | 'http' | 'up';
  readonly surface?: string | undefined;
  /** The client's opening request, if it has its answer already. */
  readonly greeted?: string | number | null | undefined;
  /** The agent that is served. */
  readonly agent?: string | undefined;
  readonly http?: { readonly host?: string | undefined; readonly port?: string | undefined };
  readonly exit?: (code: number) => void;
  /** Whether tool calls are recorded; without a door they are not unless asked for. */
  readonly trace?: boolean;
  /** Hears how far a scan is: directories done, and known so far. */
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

export interface BootModule {
  readonly startup: (options: BootOptions) => Promise<BootedRuntime>;
  readonly recover: (options: RecoverOptions) => Promise<RecoverReport>;
  /** Reads the settings and opens nothing. */
  readonly readSettings: (options: Places) => Promise<Config>;
}

export interface RecoverOptions extends Omit<BootOptions, 'surface'> {
  readonly force: boolean;
}

export interface RecoverReport {
  readonly path: string;
  /** Where the old file is kept. */
  readonly movedTo: string;
  readonly tables: readonly RecoveredTable[];
  readonly healthy: boolean;
  /** Skills indexed anew from the disk. */
  readonly skills: number;
}

export interface RecoveredTable {
  readonly name: string;
  readonly copied: number;
  readonly lost: number;
  /** False when at least `lost` rows are gone. */
  readonly lostIsExact: boolean;
}

/** What looks after skills. */
interface Care {
  readonly scan: (targets?: ScanTargets) => Promise<ScanReport>;
  readonly doctor: {
    examine(options?: DoctorOptions): Promise<DoctorReport>;
    plan(): Promise<readonly FixPlan[]>;
    fix(): Promise<readonly FixPlan[]>;
  };
  readonly proposals: ProposeService;
  readonly switches: SwitchService;
}

export interface BootedRuntime extends Care {
  readonly ctx: ColibriServerContext;
  readonly config: Config;
  readonly skills: SkillsService;
  readonly sessions: SessionsService;
  readonly events: EventsService;
  readonly policy: PolicyService;
  readonly tasks: () => Promise<TasksService>;
  readonly drift: DriftService;
  readonly sync: SyncService;
  readonly install: InstallService;
  readonly publish: PublishService;
  readonly agents: () => Promise<AgentsService>;
  readonly replay: (session: string, how: ReplayOptions) => Promise<ReplayReport>;
  readonly rounds: RoundService;
  readonly hosts: HostService;
  /** Why the index is that of an earlier scan; null when it is in line with the disk. */
  readonly stale: string | null;
  /** What the start has taken. */
  readonly elapsedMs: number;
  /** Where the HTTP door listens; null without one. */
  readonly url: string | null;
  /** Settles when the client has gone. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}
