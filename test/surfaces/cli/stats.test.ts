/** `colibri stats`: what agents and people did with the skills. */
import { rmSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { createUsageTally } from '../../../src/domains/sessions/stats.ts';
import { openColibri } from '../../../src/library.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri } from './harness.ts';
import { recordedSession } from './recorded-session.ts';

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const use = (name: string, more: object = {}) => ({
  type: 'skill.loaded',
  at: '2026-01-01T00:00:00.000Z',
  session_id: 's1',
  payload: JSON.stringify({ name, load_size_tokens: 10 }),
  ...more,
});

describe('the count', () => {
  test('tells loads from commands, and counts a session once', () => {
    const tally = createUsageTally();
    for (const row of [
      use('a'),
      use('a', { session_id: 's2', at: '2026-03-01T00:00:00.000Z' }),
      use('a', { at: '2026-02-01T00:00:00.000Z' }),
      use('a', { type: 'skill.invoked', payload: '{"name":"a"}', session_id: null }),
      use('gone'),
    ])
      tally.add(row);
    expect(tally.stats(['a', 'b'])).toEqual({
      used: [
        {
          ...{ name: 'a', loads: 3, invocations: 1, sessions: 2, tokens: 30 },
          ...{ last_used: '2026-03-01T00:00:00.000Z', indexed: true },
        },
        expect.objectContaining({ name: 'gone', loads: 1, indexed: false }),
      ],
      unused: ['b'],
    });
  });

  test('puts the most used first, and equals by name', () => {
    const tally = createUsageTally();
    for (const name of ['b', 'c', 'a', 'c']) tally.add(use(name));
    expect(tally.stats([]).used.map(({ name }) => name)).toEqual(['c', 'a', 'b']);
  });
});

describe('colibri stats', () => {
  test('a pipe gets a line per skill that was used, inside and outside of sessions', async () => {
    const recorded = await recordedSession();
    await colibri(['load', 'pdf-tools'], recorded);
    await colibri(['invoke', 'secret'], recorded);
    const { stdout, stderr } = await colibri(['stats'], recorded);
    expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual([
      ['pdf-tools', '2', '0', '1', expect.stringMatching(/^\d+$/), expect.stringMatching(TIME)],
      ['secret', '1', '1', '0', expect.stringMatching(/^\d+$/), expect.stringMatching(TIME)],
      [''],
    ]);
    expect(stderr).toBe('2 of 3 skills used so far; --unused names the others\n');
  });

  test('--unused names the others, for whoever wants to switch them off', async () => {
    const { stdout, stderr } = await colibri(['stats', '--unused', '--days', '30'], await recordedSession());
    expect(stdout).toBe('release-notes\nsecret\n');
    expect(stderr).toBe('1 of 3 skills used in the last 30 days; --unused names the others\n');
  });

  test('a skill that is gone keeps its line, marked on a terminal', async () => {
    const recorded = await recordedSession();
    rmSync(path.join(recorded.cwd, '.agents/skills/pdf-tools'), { recursive: true });
    const { stdout } = await colibri(['stats', '--no-color'], { ...recorded, terminal: 120 });
    expect(stdout).toMatch(/^SKILL +LOADS +COMMANDS +SESSIONS +TOKENS +LAST USED\npdf-tools \(gone\) +1 /);
    const { used } = JSON.parse((await colibri(['stats', '--json'], recorded)).stdout);
    expect(used).toEqual([expect.objectContaining({ name: 'pdf-tools', indexed: false })]);
  });

  test('where nothing was recorded it says so', async () => {
    const { stdout, stderr } = await colibri(['stats'], { cwd: temporaryDirectory() });
    expect([stdout, stderr]).toEqual(['', '0 of 0 skills used so far\n']);
  });

  test('days are a whole number', async () => {
    const { code, stderr } = await colibri(['stats', '--days', 'x'], { cwd: temporaryDirectory() });
    expect(code).toBe(2);
    expect(stderr).toContain('--days cannot be `x`; it is a whole number from 1 to 36500');
  });

  test('the library counts the same', async () => {
    const { cwd, home } = await recordedSession();
    const registry = await openColibri({ workspace: cwd, home });
    try {
      const { used, unused } = await registry.sessions.stats({ days: 1 });
      expect(used).toEqual([expect.objectContaining({ name: 'pdf-tools', loads: 1, sessions: 1 })]);
      expect(unused).toEqual(['release-notes', 'secret']);
    } finally {
      await registry.close();
    }
  });
});
