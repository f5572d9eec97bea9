/** Colibri as a library: everything the command line does, in process. */
import type { SkillDetail, SkillFilters, SkillSummary } from './domains/skills/registry-repository.ts';
import { type StartupOptions, startup } from './startup.ts';

export interface OpenOptions {
  /** The folder to work for. Default: the current directory. */
  readonly workspace?: string;
  /** The database file, relative to the workspace, or `:memory:`. Default: `data/colibri.db`. */
  readonly dbPath?: string;
  /** The skills root. Default: `<workspace>/.agents/skills`. */
  readonly skillsRoot?: string;
  /** Where log lines go. Default: nowhere. */
  readonly logger?: NonNullable<StartupOptions['logger']>;
}

export interface Colibri {
  readonly skills: {
    list(filters?: SkillFilters): readonly SkillSummary[];
    get(name: string): SkillDetail | null;
  };
  close(): Promise<void>;
}

/** Opens the registry: migrates the database, scans the skills. Failures are thrown, never fatal to the process. */
export async function openColibri(options: OpenOptions = {}): Promise<Colibri> {
  const runtime = await startup({ logger: () => undefined, ...options, exit: () => undefined });
  return { skills: runtime.skills, close: runtime.close };
}
