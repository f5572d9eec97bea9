import { describe, expect, test } from 'vitest';

import { loadConfig, SETTINGS } from '../src/config.ts';

const CWD = '/project';

test('without any word from outside, everything lies in the current directory', () => {
  expect(loadConfig({ cwd: CWD, env: {} })).toEqual({
    workspace: '/project',
    dbPath: '/project/data/colibri.db',
    skillsRoot: '/project/.agents/skills',
  });
});

test('the environment is heard, and relative paths hang on the workspace', () => {
  const env = { COLIBRI_WORKSPACE: 'sub', COLIBRI_DB: 'my.db', COLIBRI_SKILLS_ROOT: '../skills' };
  expect(loadConfig({ cwd: CWD, env })).toEqual({
    workspace: '/project/sub',
    dbPath: '/project/sub/my.db',
    skillsRoot: '/project/skills',
  });
});

test('what the caller says wins over the environment', () => {
  const env = { COLIBRI_WORKSPACE: '/env', COLIBRI_DB: '/env/x.db', COLIBRI_SKILLS_ROOT: '/env/skills' };
  const flags = { workspace: '/flag', dbPath: '/flag/y.db', skillsRoot: 'mine' };
  expect(loadConfig({ cwd: CWD, env, flags })).toEqual({
    workspace: '/flag',
    dbPath: '/flag/y.db',
    skillsRoot: '/flag/mine',
  });
});

test('a flag that was not given does not hide the environment', () => {
  const config = loadConfig({ cwd: CWD, env: { COLIBRI_DB: 'e.db' }, flags: { dbPath: undefined } });
  expect(config.dbPath).toBe('/project/e.db');
});

test('a database in memory stays in memory', () => {
  expect(loadConfig({ cwd: CWD, env: { COLIBRI_DB: ':memory:' } }).dbPath).toBe(':memory:');
});

test('the result cannot be changed', () => {
  expect(Object.isFrozen(loadConfig({ cwd: CWD, env: {} }))).toBe(true);
});

test("without an environment the process's own is read", () => {
  const before = process.env['COLIBRI_DB'];
  process.env['COLIBRI_DB'] = 'from-process.db';
  try {
    expect(loadConfig({ cwd: CWD }).dbPath).toBe('/project/from-process.db');
  } finally {
    if (before === undefined) delete process.env['COLIBRI_DB'];
    else process.env['COLIBRI_DB'] = before;
  }
});

describe('a value that cannot be a path is refused, with the setting named', () => {
  const cases = SETTINGS.flatMap((setting) => ['', 'a\0b'].map((value) => ({ ...setting, value })));

  test.each(cases)('$env = $value', ({ key, env, meaning, value }) => {
    const expected = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: `${env} is not a usable path: ${meaning}`,
    });
    expect(() => loadConfig({ cwd: CWD, env: { [env]: value } })).toThrow(expected);
    expect(() => loadConfig({ cwd: CWD, env: {}, flags: { [key]: value } })).toThrow(expected);
  });
});
