import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { isOn, parseSwitchFile, switchesOf, whyOff } from '../../../src/domains/sessions/switches.ts';
import { type Runtime, startup } from '../../../src/startup.ts';
import { callTool } from '../../support/kernel.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

describe('what is on', () => {
  const file = parseSwitchFile(
    JSON.stringify({
      disabled: ['aws-*'],
      profile: null,
      profiles: { reviewer: { enable: ['code-*', 'lint'], disable: ['code-writer'] }, all: {} },
    }),
  );

  test.each([
    ['aws-s3', undefined, 'disabled here by `aws-*`'],
    ['lint', undefined, null],
    ['lint', 'reviewer', null],
    ['code-review', 'reviewer', null],
    ['code-writer', 'reviewer', 'off in the profile reviewer'],
    ['pdf', 'reviewer', 'not in the profile reviewer'],
    ['pdf', 'all', null],
    ['aws-s3', 'all', 'disabled here by `aws-*`'],
  ])('%s in the profile %s: %s', (name, profile, why) => {
    const switches = switchesOf(file, profile);
    expect(whyOff(name, switches)).toBe(why);
    expect(isOn(name, switches)).toBe(why === null);
  });

  test.each([
    ['[]', 'it must be a JSON object'],
    ['{', 'it is no JSON'],
    ['{"disable": []}', 'there is no field disable'],
    ['{"disabled": ["../x"]}', 'disabled must be a list'],
    ['{"profiles": {"A": {}}}', 'profiles.A is no profile'],
  ])('the file %s is refused', (text, message) => {
    expect(() => parseSwitchFile(text)).toThrow(message);
  });

  test('a profile that is not there names those that are', () => {
    expect(() => switchesOf(file, 'nobody')).toThrow('there are reviewer, all');
    expect(() => switchesOf(file, 'constructor')).toThrow('no profile of skills');
  });
});

describe('a skill that is off', () => {
  let workspace: string;
  let runtime: Runtime;

  beforeEach(async () => {
    workspace = temporaryDirectory();
    for (const name of ['alpha', 'beta']) writeSkill(path.join(workspace, '.agents/skills'), name);
    runtime = await startup({
      workspace,
      home: workspace,
      dbPath: ':memory:',
      env: {},
      logger: () => undefined,
      trace: true,
    });
  });
  afterEach(() => runtime.close());

  const open = async (request = {}) => (await runtime.sessions.open(request)).id;
  const load = (session_id: string | undefined, name: string) =>
    callTool(runtime.ctx, 'skill_load', { name, session_id });

  test('is not in the catalog, is not found and cannot be loaded or invoked', async () => {
    runtime.switches.disable(['beta']);
    const session = await open();
    expect((await runtime.sessions.catalog(session)).text).not.toContain('beta');
    expect(await callTool(runtime.ctx, 'skill_search', { query: 'beta', session_id: session })).toMatchObject(
      {
        data: { result_count: 0 },
      },
    );
    expect(await load(session, 'beta')).toMatchObject({ ok: false, error: { code: 'SKILL_NOT_FOUND' } });
    expect(await load(undefined, 'beta')).toMatchObject({ ok: false });
    expect(await callTool(runtime.ctx, 'skill_invoke', { name: 'beta', session_id: session })).toMatchObject({
      ok: false,
    });
    expect(await load(session, 'alpha')).toMatchObject({ ok: true });
  });

  test('is not in skill_list, and comes back when it is enabled', async () => {
    const names = async () => {
      const answer = await callTool(runtime.ctx, 'skill_list', {});
      return answer.ok ? (answer.data as { skills: { name: string }[] }).skills.map(({ name }) => name) : [];
    };
    runtime.switches.disable(['b*']);
    expect(await names()).toEqual(['alpha']);
    runtime.switches.enable(['b*']);
    expect(await names()).toEqual(['alpha', 'beta']);
  });

  test('stays as it was for a session that is open, and in its replay', async () => {
    const before = await open();
    runtime.switches.disable(['beta']);
    expect(await load(before, 'beta')).toMatchObject({ ok: true });
    const after = await open();
    expect(await load(after, 'beta')).toMatchObject({ ok: false });
    runtime.switches.enable(['beta']);
    await runtime.sessions.refresh(after);
    expect(await load(after, 'beta')).toMatchObject({ ok: false });
    for (const session of [before, after])
      expect(await runtime.replay(session, { live: false })).toMatchObject({ equal: true });
  });

  test('a session may choose a profile, and an unknown one is refused', async () => {
    runtime.switches.putProfile('narrow', { enable: ['alpha'], disable: [] });
    const session = await open({ profile: 'narrow' });
    expect((await runtime.sessions.catalog(session)).text).not.toContain('beta');
    expect((await runtime.sessions.catalog(await open())).text).toContain('beta');
    await expect(open({ profile: 'wide' })).rejects.toMatchObject({ code: 'SKILL_PROFILE_NOT_FOUND' });
    runtime.switches.useProfile('narrow');
    expect((await runtime.sessions.catalog(await open())).text).not.toContain('beta');
    runtime.switches.removeProfile('narrow');
    expect((await runtime.sessions.catalog(await open())).text).toContain('beta');
  });

  test('a file that cannot be used is an error, never everything on', async () => {
    writeFileSync(path.join(workspace, 'colibri.skills.json'), '{"disabled": "beta"}');
    await expect(open()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('a link in place of the file is not followed', async () => {
    symlinkSync('/etc/hostname', path.join(workspace, 'colibri.skills.json'));
    await expect(open()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('an unknown name is refused, and one that stays off says why', () => {
    expect(() => runtime.switches.disable(['gamma'])).toThrow('no skill named');
    runtime.switches.disable(['be*', 'beta']);
    expect(() => runtime.switches.enable(['beta'])).toThrow('disabled here by `be*`');
    expect(JSON.parse(readFileSync(path.join(workspace, 'colibri.skills.json'), 'utf8'))).toEqual({
      disabled: ['be*'],
      profile: null,
      profiles: {},
    });
  });
});
