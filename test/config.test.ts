import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { type Config, type ConfigSources, loadConfig } from '../src/config.ts';
import { SETTINGS } from '../src/config-settings.ts';
import { temporaryDirectory } from './support/temporary.ts';

const HOME = '/home/somebody';

function load(cwd: string, sources: Omit<ConfigSources, 'cwd'> = {}): Promise<Config> {
  return loadConfig({ env: {}, home: HOME, ...sources, cwd });
}

function originOf(config: Config, key: string): unknown {
  return config.origins.find((origin) => origin.key === key);
}

const invalid = (message: string | RegExp) =>
  expect.objectContaining({
    code: 'CONFIG_INVALID',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });

test('without any word from outside, the three roots and the database have their usual places', async () => {
  const cwd = temporaryDirectory();
  const { origins, ...config } = await load(cwd);
  expect(config).toEqual({
    workspace: cwd,
    home: HOME,
    database: path.join(cwd, 'data/colibri.db'),
    surface: 'full',
    watch: 'auto',
    view: { tiers: 'advise', catalog_fields: [], untrusted: 'marked' },
    commandDirs: [],
    searchUsage: false,
    trustWorkspace: false,
    configFile: null,
    http: { host: '127.0.0.1', port: 4870, token: null },
    roots: [
      {
        path: path.join(cwd, '.agents/skills'),
        source: 'workspace',
        profile: 'strict',
        depth: 1,
        trust: 'digest',
      },
      {
        path: path.join(HOME, '.agents/skills'),
        source: 'global',
        profile: 'strict',
        depth: 1,
        trust: 'digest',
      },
      {
        path: path.join(cwd, '.claude/skills'),
        source: 'mirror',
        profile: 'strict',
        depth: 1,
        trust: 'digest',
      },
    ],
  });
  expect(origins).toEqual(SETTINGS.map(({ key, fallback }) => ({ key, value: fallback, from: 'default' })));
});

test('the environment is heard, and relative paths hang on the workspace', async () => {
  const cwd = temporaryDirectory();
  mkdirSync(path.join(cwd, 'sub'));
  const config = await load(cwd, {
    env: {
      COLIBRI_WORKSPACE: 'sub',
      COLIBRI_DB: 'my.db',
      COLIBRI_SURFACE: 'phase-0',
      COLIBRI_WATCH: 'poll',
      COLIBRI_HTTP_HOST: '0.0.0.0',
      COLIBRI_HTTP_PORT: '0',
      COLIBRI_HTTP_TOKEN: 'a-token-of-some-length',
      COLIBRI_SKILLS_ROOT: '../skills',
      COLIBRI_GLOBAL_ROOT: '~/mine',
      COLIBRI_MIRROR_ROOT: '/elsewhere',
    },
  });
  expect(config).toMatchObject({
    workspace: path.join(cwd, 'sub'),
    database: path.join(cwd, 'sub/my.db'),
    surface: 'phase-0',
    watch: 'poll',
    http: { host: '0.0.0.0', port: 0, token: 'a-token-of-some-length' },
    roots: [{ path: path.join(cwd, 'skills') }, { path: `${HOME}/mine` }, { path: '/elsewhere' }],
  });
});

test('every setting that has a variable hears it', async () => {
  const cwd = temporaryDirectory();
  const texts: Readonly<Record<string, string>> = {
    workspace: cwd,
    config: '',
    surface: 'phase-0',
    watch: 'off',
    tiers: 'enforce',
    untrusted: 'hidden',
    'search.usage': 'true',
    'catalog.fields': 'compatibility',
    'trust.workspace': '1',
    'http.port': '1',
    'http.token': 'x'.repeat(16),
  };
  const settings = SETTINGS.filter(({ env }) => env !== null);
  const env = Object.fromEntries(settings.map(({ env: name, key }) => [name, texts[key] ?? 'some-text']));
  const config = await load(cwd, { env });
  const heard = config.origins.filter(({ from }) => from.startsWith('COLIBRI_'));
  expect(heard.map(({ key }) => key)).toEqual(settings.map(({ key }) => key));
});

test('a flag wins over the variable, the variable over the file, the file over the default', async () => {
  const cwd = temporaryDirectory();
  const file = { surface: 'phase-0', watch: 'poll', http: { port: 3 } };
  writeFileSync(path.join(cwd, 'colibri.config.json'), JSON.stringify(file));
  const env = { COLIBRI_HTTP_PORT: '2', COLIBRI_WATCH: 'auto' };
  const config = await load(cwd, { env, flags: { 'http.port': '1', watch: undefined } });
  expect(['http.port', 'watch', 'surface', 'http.host'].map((key) => originOf(config, key))).toEqual([
    { key: 'http.port', value: '1', from: 'flag' },
    { key: 'watch', value: 'auto', from: 'COLIBRI_WATCH' },
    { key: 'surface', value: 'phase-0', from: 'colibri.config.json' },
    { key: 'http.host', value: '127.0.0.1', from: 'default' },
  ]);
  expect(config).toMatchObject({ http: { port: 1 }, watch: 'auto', surface: 'phase-0' });
});

test('a path from the home folder is understood everywhere, and only there', async () => {
  const home = temporaryDirectory();
  mkdirSync(path.join(home, 'work'));
  writeFileSync(path.join(home, 'colibri.yaml'), 'watch: poll\n');
  const env = { COLIBRI_WORKSPACE: '~/work', COLIBRI_DB: '~/c.db', COLIBRI_CONFIG: '~/colibri.yaml' };
  const config = await load('/', { home, env, flags: { 'roots.mirror.path': 'a/~/b' } });
  expect(config).toMatchObject({
    workspace: path.join(home, 'work'),
    database: path.join(home, 'c.db'),
    watch: 'poll',
  });
  expect(config.roots.at(-1)?.path).toBe(path.join(home, 'work/a/~/b'));
});

test('a database in memory stays in memory', async () => {
  const config = await load(temporaryDirectory(), { env: { COLIBRI_DB: ':memory:' } });
  expect(config.database).toBe(':memory:');
});

test('the result cannot be changed', async () => {
  const config = await load(temporaryDirectory());
  expect([config, config.http, config.roots, config.origins].map(Object.isFrozen)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test("without an environment the process's own is read", async () => {
  const before = process.env['COLIBRI_DB'];
  process.env['COLIBRI_DB'] = 'from-process.db';
  try {
    const cwd = temporaryDirectory();
    expect((await loadConfig({ cwd })).database).toBe(path.join(cwd, 'from-process.db'));
  } finally {
    if (before === undefined) delete process.env['COLIBRI_DB'];
    else process.env['COLIBRI_DB'] = before;
  }
});

describe('a workspace', () => {
  test('that does not exist is refused instead of made', async () => {
    const cwd = temporaryDirectory();
    const gone = path.join(cwd, 'gone');
    await expect(load(cwd, { flags: { workspace: 'gone' } })).rejects.toEqual(
      invalid(`workspace ${gone} is not a folder; check the path`),
    );
  });

  test('that is a file is refused', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(path.join(cwd, 'file'), '');
    await expect(load(cwd, { env: { COLIBRI_WORKSPACE: 'file' } })).rejects.toEqual(
      invalid(/is not a folder/),
    );
  });
});

describe('a value that cannot be used is refused, with the setting and its origin named', () => {
  test.each([
    ['surface', 'half', 'use one of full, phase-0'],
    ['watch', 'yes', 'use one of auto, poll, off'],
    ['tiers', 'strict', 'use one of advise, enforce'],
    ['catalog.fields', 'compatibility, colour', 'use one of compatibility, allowed-tools'],
    ['http.port', '65536', 'use a whole number from 0 to 65535'],
    ['http.port', '-1', 'use a whole number from 0 to 65535'],
    ['http.port', '1e3', 'use a whole number from 0 to 65535'],
    ['http.host', '', 'leave it out to get the default'],
    ['database', 'a\0b', 'remove the NUL character'],
    ['roots.global.enabled', 'no', 'use true or false'],
    ['roots.workspace.profile', 'loose', 'use one of strict, lenient, publish'],
    ['roots.mirror.depth', '9', 'use a whole number from 1 to 8'],
    ['roots.mirror.depth', '0', 'use a whole number from 1 to 8'],
  ])('%s = %j', async (key, value, fix) => {
    const cwd = temporaryDirectory();
    const said = (from: string) =>
      invalid(`${key} (from ${from}) cannot be ${JSON.stringify(value)}; ${fix}`);
    await expect(load(cwd, { flags: { [key]: value } })).rejects.toEqual(said('flag'));
    const variable = SETTINGS.find((setting) => setting.key === key)?.env;
    if (variable == null) return;
    await expect(load(cwd, { env: { [variable]: value } })).rejects.toEqual(said(variable));
  });
});

describe('a secret', () => {
  const TOKEN = 'correct-horse-battery-staple';

  test('is hidden in the origins, wherever it came from', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(path.join(cwd, 'colibri.config.json'), JSON.stringify({ http: { token: TOKEN } }));
    const fromFile = await load(cwd);
    const fromVariable = await load(cwd, { env: { COLIBRI_HTTP_TOKEN: TOKEN } });
    expect(fromFile.http.token).toBe(TOKEN);
    expect(originOf(fromFile, 'http.token')).toEqual({
      key: 'http.token',
      value: '(secret)',
      from: 'colibri.config.json',
    });
    expect(JSON.stringify([fromFile.origins, fromVariable.origins])).not.toContain(TOKEN);
  });

  test('that is too short is refused without being repeated', async () => {
    const cwd = temporaryDirectory();
    await expect(load(cwd, { env: { COLIBRI_HTTP_TOKEN: 'short' } })).rejects.toEqual(
      invalid('http.token (from COLIBRI_HTTP_TOKEN) cannot be what it is; use at least 16 characters'),
    );
    writeFileSync(path.join(cwd, 'colibri.config.json'), JSON.stringify({ http: { token: 'short' } }));
    await expect(load(cwd)).rejects.toEqual(invalid(/^(?!.*"short").*http\.token: .*16/));
  });

  test('that no header could carry is refused without being repeated', async () => {
    const cwd = temporaryDirectory();
    const blank = 'a token with blanks in it';
    await expect(load(cwd, { env: { COLIBRI_HTTP_TOKEN: blank } })).rejects.toEqual(
      invalid(
        'http.token (from COLIBRI_HTTP_TOKEN) cannot be what it is; use ASCII letters, digits and signs, no blanks',
      ),
    );
    writeFileSync(path.join(cwd, 'colibri.config.json'), JSON.stringify({ http: { token: blank } }));
    await expect(load(cwd)).rejects.toEqual(invalid(/^(?!.*a token).*http\.token: use ASCII/));
  });

  test('that is not given is none', async () => {
    const config = await load(temporaryDirectory(), { env: { COLIBRI_HTTP_TOKEN: '' } });
    expect(config.http.token).toBeNull();
  });
});
