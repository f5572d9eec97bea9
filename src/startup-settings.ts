/** The part of the composition root that reads the settings. Opens nothing, and loads little. */
import { type Config, loadConfig } from './config.ts';
import { requireInside } from './lib/inside.ts';

export interface SettingsOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string | undefined;
  readonly workspace?: string | undefined;
  readonly dbPath?: string | undefined;
  readonly surface?: string | undefined;
  readonly http?: { readonly host?: string | undefined; readonly port?: string | undefined };
}

/** The file to open. A link that came with the workspace must not choose which one is made or written to. */
export function databaseOf({ database, workspace }: Config): string {
  if (database !== ':memory:') requireInside(database, workspace);
  return database;
}

export function loadSettings(options: SettingsOptions): Promise<Config> {
  return loadConfig({
    cwd: options.cwd ?? process.cwd(),
    env: options.env,
    home: options.home,
    flags: {
      workspace: options.workspace,
      database: options.dbPath,
      surface: options.surface,
      'http.host': options.http?.host,
      'http.port': options.http?.port,
    },
  });
}
