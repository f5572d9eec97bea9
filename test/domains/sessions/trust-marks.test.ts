/** Skills that nobody vouched for: marked everywhere, or hidden where the configuration says so. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { writeSkill } from '../../support/skill-files.ts';
import { codeOf, dataOf, testSession, testSessions, textOf } from './harness.ts';

const before = (root: string, home: string): void => {
  writeSkill(root, 'mine', { description: 'Of the workspace.', body: 'Mine.\n' });
  writeSkill(root, 'other', { description: 'Of the workspace, too.', body: 'Other.\n' });
  writeSkill(path.join(home, '.agents', 'skills'), 'own', { description: 'Of the home.', body: 'Own.\n' });
};

const hidden = { env: { COLIBRI_UNTRUSTED: 'hidden' }, before };

describe('a skill that nobody vouched for is marked', () => {
  test('in the catalog, in both forms, and in search; one of the own root is not', async () => {
    const session = await (await testSessions({ before })).open();
    expect(await session.catalog()).toContain(
      '- mine: Of the workspace. [untrusted]\n- other: Of the workspace, too. [untrusted]\n- own: Of the home.\n',
    );
    expect(await session.catalog('xml')).toContain('Of the workspace. [untrusted]');
    const answer = await session.call('skill_search', { query: '' });
    expect(textOf(answer)).toMatch(
      /- mine .*\[untrusted\]\n- other .*\[untrusted\]\n- own [^[]*\[global\][^[]*$/,
    );
    const { results } = dataOf(answer) as { results: readonly { name: string; trusted: boolean }[] };
    expect(results.map(({ name, trusted }) => [name, trusted])).toEqual([
      ['mine', false],
      ['other', false],
      ['own', true],
    ]);
  });

  test('until somebody does, and again after an edit; a running session keeps its text', async () => {
    const world = await testSessions({ before });
    const old = await world.open();
    await world.runtime.policy.trust(['mine'], { actor: 'test' });
    expect(await old.catalog()).toContain('- mine: Of the workspace. [untrusted]');
    const trusted = await world.open();
    expect(await trusted.catalog()).toContain('- mine: Of the workspace.\n');
    world.skill('mine', { description: 'Of the workspace.', body: 'Changed.\n' });
    await world.reload();
    expect(await trusted.catalog()).toContain('- mine: Of the workspace.\n');
    expect(await (await world.open()).catalog()).toContain('- mine: Of the workspace. [untrusted]');
    await world.runtime.sessions.refresh(trusted.id);
    expect(await trusted.catalog()).toContain('- mine: Of the workspace. [untrusted]');
  });

  test('not where the workspace as a whole is trusted', async () => {
    const world = await testSessions({ env: { COLIBRI_TRUST_WORKSPACE: '1' }, before });
    expect(await (await world.open()).catalog()).not.toContain('[untrusted]');
  });
});

describe('with `untrusted: hidden` a skill that nobody vouched for', () => {
  test('is in no catalog, search, list, load or invoke', async () => {
    const world = await testSessions(hidden);
    const session = await world.open();
    expect(await session.catalog()).not.toMatch(/mine|other/);
    expect(dataOf(await session.call('skill_search', { query: '' }))).toMatchObject({
      result_names: ['own'],
    });
    expect(dataOf(await session.call('skill_list'))).toMatchObject({
      total_count: 1,
      skills: [{ name: 'own' }],
    });
    expect(codeOf(await session.load('mine'))).toBe('SKILL_NOT_FOUND');
    expect(codeOf(await session.call('skill_invoke', { name: 'mine' }))).toBe('SKILL_NOT_FOUND');
    expect(codeOf(await session.load('own'))).toBe('ok');
  });

  test('comes into sight with the trust, and a change of any file takes it away from the next load', async () => {
    const world = await testSessions(hidden);
    world.file('mine', 'scripts/a.sh', 'echo one\n');
    await world.runtime.policy.trust(['mine'], { actor: 'test' });
    const session = await world.open();
    expect(await session.catalog()).toContain('- mine: ');
    world.file('mine', 'scripts/a.sh', 'echo two\n');
    expect(codeOf(await session.load('mine'))).toBe('SKILL_NOT_FOUND');
    expect((await world.runtime.replay(session.id, { live: false })).difference).toBeNull();
  });

  test('stays out of sight in a session that takes the skills of now', async () => {
    const world = await testSessions(hidden);
    const session = await world.open();
    world.skill('late');
    await world.reload();
    await world.runtime.sessions.refresh(session.id);
    expect(await session.catalog()).not.toContain('late');
  });
});

test('a replay sees what the session saw, whatever the settings are now', async () => {
  const first = await testSessions({ dbPath: 'data/colibri.db', env: { COLIBRI_TIERS: 'enforce' }, before });
  writeSkill(first.root, 'high', { lines: ['tier: 3'] });
  await first.reload();
  const session = await first.open();
  await session.call('skill_search', { query: '' });
  expect(codeOf(await session.load('high'))).toBe('SKILL_NOT_FOUND');
  await first.runtime.close();
  writeFileSync(path.join(first.workspace, 'colibri.config.json'), '{"untrusted":"hidden","tiers":"advise"}');
  const second = await testSessions({ workspace: first.workspace, dbPath: 'data/colibri.db' });
  const again = testSession(second.runtime, session.id);
  expect(await again.catalog()).toContain('[untrusted]');
  expect(await second.runtime.replay(session.id, { live: false })).toMatchObject({ equal: true });
  expect(await second.runtime.replay(session.id, { live: true })).toMatchObject({ equal: false });
});
