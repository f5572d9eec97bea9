import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { type Config, loadConfig } from '../src/config.ts';
import { temporaryDirectory } from './support/temporary.ts';

const repository = path.resolve(import.meta.dirname, '..');

/** A workspace with these files, loaded without any other word. */
function loadWith(files: Readonly<Record<string, string>>): { cwd: string; loading: Promise<Config> } {
  const cwd = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(cwd, name), text);
  return { cwd, loading: loadConfig({ cwd, env: {}, home: '/home/somebody' }) };
}

const invalid = (message: string | RegExp) =>
  expect.objectContaining({
    code: 'CONFIG_INVALID',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });

const ALL = {
  $schema: './node_modules/colibri/schema/colibri.config.schema.json',
  database: 'state/index.db',
  surface: 'phase-0',
  watch: 'off',
  tiers: 'enforce',
  untrusted: 'hidden',
  catalog: { fields: ['compatibility', 'allowed-tools'] },
  search: { usage: true },
  command: { custom_dirs: ['commands', '~/my commands'] },
  http: { host: 'localhost', port: 0, token: 'sixteen-letters!' },
  roots: {
    workspace: { path: 'skills', profile: 'lenient', depth: 2, trust: 'path' },
    global: { enabled: false },
    mirror: { path: '~/mirror', enabled: true },
    extra: [
      { path: 'vendor/skills' },
      { path: '~/team', source: 'global', profile: 'publish', depth: 8, trust: 'path' },
      { path: 'unused', enabled: false },
    ],
  },
};

describe.each([
  ['colibri.config.json', JSON.stringify(ALL)],
  ['colibri.config.json', `\uFEFF${JSON.stringify(ALL, null, 2)}\n`],
  [
    'colibri.config.yaml',
    `database: state/index.db
surface: phase-0
watch: off
tiers: enforce
untrusted: hidden
catalog: { fields: [compatibility, allowed-tools] }
search: { usage: true }
command: { custom_dirs: [commands, ~/my commands] }
http: { host: localhost, port: 0, token: "sixteen-letters!" }
roots:
  workspace: { path: skills, profile: lenient, depth: 2, trust: path }
  global: { enabled: false }
  mirror: { path: ~/mirror, enabled: true }
  extra:
    - path: vendor/skills
    - { path: ~/team, source: global, profile: publish, depth: 8, trust: path }
    - { path: unused, enabled: false }`,
  ],
])('every setting can be written in %s', (name, text) => {
  test('and has the file as its origin', async () => {
    const { cwd, loading } = loadWith({ [name]: text });
    const { origins, ...config } = await loading;
    expect(config).toEqual({
      workspace: cwd,
      home: '/home/somebody',
      database: path.join(cwd, 'state/index.db'),
      surface: 'phase-0',
      watch: 'off',
      view: {
        tiers: 'enforce',
        catalog_fields: ['compatibility', 'allowed-tools'],
        untrusted: 'hidden',
      },
      searchUsage: true,
      commandDirs: [path.join(cwd, 'commands'), '/home/somebody/my commands'],
      trustWorkspace: false,
      configFile: path.join(cwd, name),
      http: { host: 'localhost', port: 0, token: 'sixteen-letters!' },
      roots: [
        { path: path.join(cwd, 'skills'), source: 'workspace', profile: 'lenient', depth: 2, trust: 'path' },
        { path: '/home/somebody/mirror', source: 'mirror', profile: 'strict', depth: 1, trust: 'digest' },
        { path: path.join(cwd, 'vendor/skills'), source: 'repo', profile: 'strict', depth: 1 },
        { path: '/home/somebody/team', source: 'global', profile: 'publish', depth: 8, trust: 'path' },
      ],
    });
    expect(origins).toContainEqual({ key: 'roots.global.enabled', value: 'false', from: name });
    expect(origins).toContainEqual({ key: 'roots.extra[1].source', value: 'global', from: name });
  });
});

describe.each(['colibri.config.yml', 'colibri.config.yaml', 'colibri.config.json'])('an empty %s', (name) => {
  test('changes nothing', async () => {
    const { loading } = loadWith({ [name]: name.endsWith('.json') ? '{}' : '' });
    expect((await loading).watch).toBe('auto');
  });
});

test('a workspace cannot vouch for itself: trust is no setting of the file', async () => {
  const { cwd, loading } = loadWith({ 'colibri.config.json': '{"trust":{"workspace":"1"}}' });
  const file = path.join(cwd, 'colibri.config.json');
  await expect(loading).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(`${file}: unknown key trust`),
  });
  const named = await loadConfig({ cwd, env: { COLIBRI_CONFIG: '', COLIBRI_TRUST_WORKSPACE: '1' } }).catch(
    (error: unknown) => error,
  );
  expect(named).toMatchObject({ code: 'CONFIG_INVALID' });
});

test('two files are one too many', async () => {
  const { cwd, loading } = loadWith({ 'colibri.config.json': '{}', 'colibri.config.yaml': '' });
  await expect(loading).rejects.toEqual(
    invalid(`colibri.config.json and colibri.config.yaml both stand in ${cwd}; keep one`),
  );
});

test('a file that is named is read instead, and must exist', async () => {
  const { cwd, loading } = loadWith({ 'colibri.config.json': 'broken', 'other.yaml': 'watch: poll\n' });
  await expect(loading).rejects.toEqual(invalid(/is not valid JSON/));
  const config = await loadConfig({ cwd, env: { COLIBRI_CONFIG: 'other.yaml' } });
  expect(config.watch).toBe('poll');
  await expect(loadConfig({ cwd, env: { COLIBRI_CONFIG: 'none.yaml' } })).rejects.toEqual(
    invalid(/none\.yaml cannot be read: .*ENOENT/),
  );
});

describe('a file that cannot be used is refused, with the place and the fix', () => {
  test.each([
    ['an unknown key', '{"wacth": "off"}', 'unknown key wacth (did you mean watch?)'],
    ['an unknown key inside', '{"http": {"prot": 1}}', 'http: unknown key prot (did you mean port?)'],
    [
      'a key at the wrong level',
      '{"token": "x"}',
      'unknown key token (known here: $schema, database, surface, watch, tiers, untrusted, catalog, search, command, http, roots)',
    ],
    [
      'an unknown key of a root',
      '{"roots": {"mirror": {"dept": 1}}}',
      'roots.mirror: unknown key dept (did you mean depth?)',
    ],
    [
      'a source where it cannot be chosen',
      '{"roots": {"mirror": {"source": "repo"}}}',
      'roots.mirror: unknown key source (known here: path, enabled, profile, depth, trust)',
    ],
    ['the workspace, which finds the file', '{"workspace": ".."}', /: unknown key workspace/],
    ['a wrong type', '{"http": {"port": "80"}}', /http\.port: .*expected number/],
    ['a wrong word', '{"watch": "sometimes"}', /watch: .*"auto"\|"poll"\|"off"/],
    ['a number out of range', '{"roots": {"global": {"depth": 9}}}', /roots\.global\.depth: .*8/],
    ['an extra root without a path', '{"roots": {"extra": [{}]}}', /roots\.extra\.0\.path: /],
    ['a list', '[]', /expected object, received array/],
    ['half a document', '{"watch":', /is not valid JSON/],
  ])('%s', async (_, text, expected) => {
    const { cwd, loading } = loadWith({ 'colibri.config.json': text });
    const file = path.join(cwd, 'colibri.config.json');
    const message = typeof expected === 'string' ? `${file}: ${expected}` : expected;
    await expect(loading).rejects.toEqual(invalid(message));
  });

  test('several at once, all of them', async () => {
    const { loading } = loadWith({ 'colibri.config.json': '{"wacth": 1, "surface": "x"}' });
    await expect(loading).rejects.toEqual(invalid(/surface: .*; unknown key wacth/));
  });

  test('YAML that does not parse, with the line', async () => {
    const { cwd, loading } = loadWith({ 'colibri.config.yaml': 'watch: poll\nhttp: [\n' });
    await expect(loading).rejects.toEqual(
      invalid(new RegExp(`^${cwd}/colibri\\.config\\.yaml:\\d+ is not valid YAML: `)),
    );
  });

  test('a folder of that name', async () => {
    const cwd = temporaryDirectory();
    mkdirSync(path.join(cwd, 'colibri.config.json'));
    await expect(loadConfig({ cwd, env: {} })).rejects.toEqual(
      invalid(/cannot be read: it is not a regular file/),
    );
  });

  test('a file beyond all reason', async () => {
    const { loading } = loadWith({ 'colibri.config.json': `{}${' '.repeat(64 * 1024)}` });
    await expect(loading).rejects.toEqual(invalid(/cannot be read: it is larger than 65536 bytes/));
  });
});

describe('schema/colibri.config.schema.json', () => {
  test('is what the code accepts (`npm run schemas` writes it anew)', () => {
    const folder = temporaryDirectory();
    const script = path.join(repository, 'scripts/write-schemas.ts');
    execFileSync(process.execPath, ['--import', 'tsx', script, folder], { cwd: repository });
    const name = 'colibri.config.schema.json';
    expect(readFileSync(path.join(repository, 'schema', name), 'utf8')).toBe(
      readFileSync(path.join(folder, name), 'utf8'),
    );
  });
});
