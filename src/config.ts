/** Environment and flags → one validated, frozen configuration. Nothing else reads the environment. */
import path from 'node:path';

import { ColibriError } from './lib/errors.ts';

export interface Config {
  /** Absolute path of the folder that Colibri works for. */
  readonly workspace: string;
  /** Absolute path of the SQLite file, or `:memory:`. */
  readonly dbPath: string;
  /** Absolute path of the canonical skills root. */
  readonly skillsRoot: string;
}

export interface Setting {
  readonly key: keyof Config;
  readonly env: string;
  readonly meaning: string;
  readonly fallback: string;
}

export const SETTINGS: readonly Setting[] = [
  {
    key: 'workspace',
    env: 'COLIBRI_WORKSPACE',
    meaning: 'the folder that Colibri works for',
    fallback: 'the current directory',
  },
  {
    key: 'dbPath',
    env: 'COLIBRI_DB',
    meaning: 'the database file, relative to the workspace',
    fallback: 'data/colibri.db',
  },
  {
    key: 'skillsRoot',
    env: 'COLIBRI_SKILLS_ROOT',
    meaning: 'the canonical skills root, relative to the workspace',
    fallback: '.agents/skills',
  },
];

export interface ConfigSources {
  readonly cwd: string;
  /** Default: the process's own environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** What the caller or the command line said; it wins over the environment. */
  readonly flags?: { readonly [Key in keyof Config]?: string | undefined };
}

export function loadConfig(sources: ConfigSources): Config {
  const { cwd, env = process.env, flags = {} } = sources;
  const said = (key: keyof Config): string | undefined => {
    const setting = settingOf(key);
    const value = flags[key] ?? env[setting.env];
    if (value === '' || value?.includes('\0')) {
      throw new ColibriError('CONFIG_INVALID', `${setting.env} is not a usable path: ${setting.meaning}`);
    }
    return value;
  };
  const value = (key: keyof Config): string => said(key) ?? settingOf(key).fallback;
  const workspace = path.resolve(cwd, said('workspace') ?? '.');
  const dbPath = value('dbPath');
  return Object.freeze({
    workspace,
    dbPath: dbPath === ':memory:' ? dbPath : path.resolve(workspace, dbPath),
    skillsRoot: path.resolve(workspace, value('skillsRoot')),
  });
}

function settingOf(key: keyof Config): Setting {
  const setting = SETTINGS.find((candidate) => candidate.key === key);
  if (setting === undefined) throw new Error(`no such setting: ${key}`);
  return setting;
}
