/** What a skill proposes to change: decided by the policy, on the record, the same in a replay. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { proposedOverrides } from '../../../src/domains/policy/overrides.ts';
import { dataOf, payloadOf, testSessions } from './harness.ts';

const LINES = [
  'metadata:',
  '  colibri.override.model: opus',
  '  colibri.override.context: fork',
  '  colibri.override.default.Bash: timeout=5',
  '  colibri.override.unheard: of',
];
const POLICY = `use: mine
profiles:
  mine:
    rules:
      - { effect: allow, tool: "override(model:*)", skill: mine }
      - { effect: deny, tool: "override(context:*)", reason: one context is enough }
`;

async function world(env: Readonly<Record<string, string>>) {
  const sessions = await testSessions({ env });
  writeFileSync(path.join(sessions.workspace, 'colibri.policy.yaml'), POLICY);
  sessions.skill('mine', { lines: LINES });
  sessions.skill('other', { lines: LINES });
  await sessions.reload();
  return sessions;
}

const TRUSTED = { COLIBRI_TRUST_WORKSPACE: '1' };

const verdicts = (data: unknown) =>
  (data as { overrides: readonly { key: string; accepted: boolean }[] }).overrides.map(
    ({ key, accepted }) => [key, accepted],
  );

describe('an override that a skill proposes', () => {
  test('is accepted by a rule that allows it, and refused by any other word, also by a question', async () => {
    const session = await (await world(TRUSTED)).open();
    expect(verdicts(dataOf(await session.load('mine')))).toEqual([
      ['context', false],
      ['default.Bash', false],
      ['model', true],
      ['unheard', false],
    ]);
    expect(verdicts(dataOf(await session.load('other'))).filter(([, accepted]) => accepted)).toEqual([]);
  });

  test('is refused for a skill that nobody vouched for, whatever the rules say', async () => {
    const session = await (await world({})).open();
    expect(verdicts(dataOf(await session.load('mine'))).filter(([, accepted]) => accepted)).toEqual([]);
  });

  test('leaves one event each, and comes out the same in a replay', async () => {
    const sessions = await world(TRUSTED);
    const session = await sessions.open();
    await session.call('skill_invoke', { name: 'mine' });
    const rows = await session.events('skill.override');
    expect(rows.map(payloadOf)).toMatchObject([
      {
        name: 'mine',
        key: 'context',
        accepted: false,
        rule: 2,
        reason: expect.stringContaining('one context'),
      },
      { key: 'default.Bash', accepted: false, rule: null },
      { key: 'model', value: 'opus', accepted: true, rule: 1, profile: 'mine' },
      { key: 'unheard', accepted: false, reason: expect.stringContaining('no override "unheard"') },
    ]);
    expect(await sessions.runtime.replay(session.id, { live: false })).toMatchObject({ equal: true });
    expect(await sessions.runtime.replay(session.id, { live: true })).toMatchObject({ equal: true });
  });

  test('counts only as text, in the order of keys, and no more than 32', () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`colibri.override.alias.a${at}`, 'b']),
    );
    expect(proposedOverrides(many)).toHaveLength(32);
    expect(proposedOverrides({ 'colibri.override.model': 7, 'colibri.tier': '1', other: 'x' })).toEqual([]);
    for (const nothing of [undefined, null, 'text', 4]) expect(proposedOverrides(nothing)).toEqual([]);
  });
});
