/** Flags, environment and file → one validated, frozen configuration. Nothing else reads the environment. */
import { existsSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import type { ConfigFile } from './config-file.ts';
import { SETTINGS, type Setting } from './config-settings.ts';
import { ColibriError } from './lib/errors.ts';
import { isInside } from './lib/inside.ts';

export interface RootConfig {
  /** Absolute. */
  readonly path: string;
  readonly source: 'workspace' | 'global' | 'mirror' | 'repo';
  readonly profile: 'strict' | 'lenient' | 'publish';
  readonly depth: number;
  /** `path`: its skills stay trusted whatever they become. */
  readonly trust?: 'digest' | 'path' | undefined;
}

export interface Config {
  /** Absolute path of the folder that Colibri works for. */
  readonly workspace: string;
  readonly home: string;
  /** Absolute path of the SQLite file, or `:memory:`. */
  readonly database: string;
  readonly surface: 'full' | 'phase-0';
  readonly watch: 'auto' | 'poll' | 'off';
  /** What agents see of the skills. */
  readonly view: {
    /** `enforce` hides skills from agents whose tier may not invoke them. */
    readonly tiers: 'advise' | 'enforce';
    /** More facts for each line of a catalog. */
    readonly catalog_fields: readonly string[];
    /** What becomes of skills that nobody vouched for. */
    readonly untrusted: 'marked' | 'hidden';
  };
  /** Absolute paths of folders with Markdown files that work as commands. */
  readonly commandDirs: readonly string[];
  /** Whether skills that were used more often come first among equals. */
  readonly searchUsage: boolean;
  readonly trustWorkspace: boolean;
  /** The file itself, when it was found in the workspace and not named by the user. */
  readonly configFile: string | null;
  readonly http: { readonly host: string; readonly port: number; readonly token: string | null };
  /** In order of precedence. */
  readonly roots: readonly RootConfig[];
  /** Where each setting came from, for `colibri config show`. */
  readonly origins: readonly SettingOrigin[];
}

export interface SettingOrigin {
  readonly key: string;
  readonly value: string;
  /** `default`, `flag`, a variable's name, or the file. */
  readonly from: string;
}

export interface ConfigSources {
  readonly cwd: string;
  /** Default: the process's own environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly home?: string | undefined;
  /** What the caller or the command line said, by key; it wins over everything. */
  readonly flags?: Readonly<Record<string, string | undefined>> | undefined;
}

/** What programs that are started for the user may be given of. */
export function ownEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const { env = process.env, home = os.homedir(), flags = {} } = sources;
  const early = resolveSettings({ flags, env, file: {}, fileName: '' });
  const workspace = path.resolve(sources.cwd, expandHome(early.get('workspace'), home));
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ColibriError('CONFIG_INVALID', `workspace ${workspace} is not a folder; check the path`, {
      workspace,
    });
  }
  const place = (text: string) => path.resolve(workspace, expandHome(text, home));
  const file = findConfigFile(workspace, early.get('config'), { place });
  const written = file === null ? null : (await import('./config-file.ts')).readConfigFile(file);
  const fileName = file === null ? '' : path.relative(workspace, file);
  const settings =
    written === null ? early : resolveSettings({ flags, env, file: flatten(written), fileName });
  const database = settings.get('database');
  return Object.freeze({
    workspace,
    home,
    database: database === ':memory:' ? database : place(database),
    // These texts were checked against their lists.
    surface: settings.get('surface') as Config['surface'],
    watch: settings.get('watch') as Config['watch'],
    view: Object.freeze({
      tiers: settings.get('tiers') as Config['view']['tiers'],
      catalog_fields: wordsOf(settings.get('catalog.fields')),
      untrusted: settings.get('untrusted') as Config['view']['untrusted'],
    }),
    searchUsage: settings.get('search.usage') === 'true',
    trustWorkspace: settings.get('trust.workspace') === '1',
    configFile: early.get('config') === '' ? file : null,
    commandDirs: listOf(settings.get('command.custom_dirs')).map(place),
    http: Object.freeze({
      host: settings.get('http.host'),
      port: Number(settings.get('http.port')),
      token: settings.get('http.token') || null,
    }),
    roots: Object.freeze([...defaultRoots(settings, place), ...extraRoots(written, place)]),
    origins: Object.freeze([...settings.origins, ...extraOrigins(written, fileName)]),
  });
}

/** Roots outside of the workspace that nobody has named but the file that was found in it. */
export function foreignRoots({ workspace, home, configFile, roots, origins }: Config): readonly string[] {
  if (configFile === null) return [];
  const fileName = path.relative(workspace, configFile);
  const named = origins
    .filter(({ key, from }) => from === fileName && /^roots\..+\.path$/.test(key))
    .map(({ value }) => path.resolve(workspace, expandHome(value, home)));
  return roots.map((root) => root.path).filter((root) => named.includes(root) && !isInside(root, workspace));
}

interface SettingSources {
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file's values by dotted key. */
  readonly file: Readonly<Record<string, string>>;
  readonly fileName: string;
}

interface ResolvedSettings {
  get(key: string): string;
  readonly origins: readonly SettingOrigin[];
}

function resolveSettings(sources: SettingSources): ResolvedSettings {
  const values = new Map<string, string>();
  const origins = SETTINGS.map((setting): SettingOrigin => {
    const { value, from } = resolveSetting(setting, sources);
    checkText(setting, value, from);
    values.set(setting.key, value);
    return { key: setting.key, value: setting.secret && value !== '' ? '(secret)' : value, from };
  });
  return {
    origins,
    get(key) {
      const value = values.get(key);
      if (value === undefined) throw new Error(`no such setting: ${key}`);
      return value;
    },
  };
}

/** Flag, else variable, else file, else default. */
function resolveSetting(
  { key, env, fallback }: Setting,
  { flags, env: variables, file, fileName }: SettingSources,
): { readonly value: string; readonly from: string } {
  const flag = flags[key];
  if (flag !== undefined) return { value: flag, from: 'flag' };
  const variable = env === null ? undefined : variables[env];
  if (env !== null && variable !== undefined) return { value: variable, from: env };
  const written = file[key];
  if (written !== undefined) return { value: written, from: fileName };
  return { value: fallback, from: 'default' };
}

function checkText({ key, accepts, fallback, secret, list }: Setting, value: string, from: string): void {
  const fail = (expected: string): never => {
    const shown = secret === undefined ? JSON.stringify(value) : 'what it is';
    const message = `${key} (from ${from}) cannot be ${shown}; ${expected}`;
    throw new ColibriError('CONFIG_INVALID', message, { key, from });
  };
  if (value.includes('\0')) fail('remove the NUL character');
  if (value === '' && fallback !== '') fail('leave it out to get the default');
  if (secret !== undefined && value !== '' && value.length < secret.charsMin)
    fail(`use at least ${secret.charsMin} characters`);
  // A header could not carry it, and every request would be refused.
  if (secret !== undefined && !/^[\x21-\x7e]*$/.test(value))
    fail('use ASCII letters, digits and signs, no blanks');
  if (accepts === undefined) return;
  if (accepts === 'boolean') {
    if (value !== 'true' && value !== 'false') fail('use true or false');
    return;
  }
  if (Array.isArray(accepts)) {
    const words = list === true ? wordsOf(value) : [value];
    if (!words.every((word) => accepts.includes(word))) fail(`use one of ${accepts.join(', ')}`);
    return;
  }
  // What is left of the union is the range; `Array.isArray` does not narrow read-only arrays away.
  const { min, max } = accepts as { readonly min: number; readonly max: number };
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < min || number > max) fail(`use a whole number from ${min} to ${max}`);
}

function wordsOf(list: string): readonly string[] {
  return list.split(/[\s,]+/).filter((word) => word !== '');
}

/** Paths may hold blanks. */
function listOf(list: string): readonly string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function defaultRoots(settings: ResolvedSettings, place: (text: string) => string): RootConfig[] {
  return (['workspace', 'global', 'mirror'] as const)
    .filter((name) => settings.get(`roots.${name}.enabled`) === 'true')
    .map((source) => ({
      path: place(settings.get(`roots.${source}.path`)),
      source,
      profile: settings.get(`roots.${source}.profile`) as RootConfig['profile'],
      depth: Number(settings.get(`roots.${source}.depth`)),
      trust: settings.get(`roots.${source}.trust`) as RootConfig['trust'],
    }));
}

function extraRoots(written: ConfigFile | null, place: (text: string) => string): RootConfig[] {
  const extra = written?.roots?.extra ?? [];
  return extra
    .filter(({ enabled }) => enabled !== false)
    .map(({ path: where, source = 'repo', profile = 'strict', depth = 1, trust }) => ({
      path: place(where),
      source,
      profile,
      depth,
      trust,
    }));
}

/** Extra roots stand in the file alone, so every field that is written there has its origin there. */
function extraOrigins(written: ConfigFile | null, from: string): SettingOrigin[] {
  return (written?.roots?.extra ?? []).flatMap((root, index) =>
    Object.entries(flatten(root, `roots.extra[${index}].`)).map(([key, value]) => ({ key, value, from })),
  );
}

const CONFIG_NAMES = ['colibri.config.json', 'colibri.config.yaml', 'colibri.config.yml'];

function findConfigFile(
  workspace: string,
  said: string,
  { place }: { readonly place: (text: string) => string },
): string | null {
  if (said !== '') return place(said);
  const found = CONFIG_NAMES.filter((name) => existsSync(path.join(workspace, name)));
  const [first, second] = found;
  if (first === undefined) return null;
  if (second === undefined) return path.join(workspace, first);
  const message = `${found.join(' and ')} both stand in ${workspace}; keep one`;
  throw new ColibriError('CONFIG_INVALID', message, { files: found });
}

/** `{ http: { port: 1 } }` → `{ 'http.port': '1' }`; lists of words are joined, lists of maps left to their readers. */
function flatten(value: object, prefix = ''): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (Array.isArray(member)) {
      if (member.every((item) => typeof item === 'string')) flat[prefix + key] = member.join(',');
      continue;
    }
    if (typeof member === 'object' && member !== null)
      Object.assign(flat, flatten(member, `${prefix}${key}.`));
    else flat[prefix + key] = String(member);
  }
  return flat;
}

function expandHome(text: string, home: string): string {
  if (text === '~') return home;
  return text.startsWith('~/') ? path.join(home, text.slice(2)) : text;
}
