/** Every policy, table and session of docs/policy.md is what the code does. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { decideCall } from '../../../src/domains/policy/effective-tools.ts';
import { parsePolicy } from '../../../src/domains/policy/schema.ts';
import { isAgentTier } from '../../../src/domains/skills/tiers.ts';
import { run as explain } from '../../../src/surfaces/cli/commands/policy-explain.ts';
import { run as trust } from '../../../src/surfaces/cli/commands/trust.ts';
import { fences } from '../../support/markdown.ts';
import { runCommand } from './command-world.ts';
import { facts } from './policies.ts';
import { policyWorld, SKILL } from './policy-world.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/policy.md'), 'utf8');
// Other examples are single rules, or of other files.
const setUps = fences(page, 'yaml')
  .map(({ text }) => text)
  .filter((text) => text.startsWith('use: '));
const ROW = /^\| `([^`]+)` \| (T\d) \| (allow|ask|deny) \|$/gm;

describe('docs/policy.md', () => {
  test('shows three set-ups that work', () => {
    expect(setUps.map((text) => parsePolicy(text, 'docs').problem)).toEqual([null, null, null]);
  });

  test.each(setUps)('what it says of set-up %# is so', (text) => {
    const { policy } = parsePolicy(text, 'docs');
    const after = page.slice(page.indexOf(text));
    const rows = [...after.slice(0, after.search(/^##+ /m)).matchAll(ROW)];
    expect(rows.length).toBeGreaterThanOrEqual(5);
    for (const [row, call = '', tier, effect] of rows) {
      if (!isAgentTier(tier)) throw new Error(`no tier in ${row}`);
      const { tool, argument } = facts(call);
      const session = { agent_tier: tier, vouched: true };
      expect({
        call,
        tier,
        effect: decideCall(policy, { tool, argument }, { skill: null, session }).effect,
      }).toEqual({
        call,
        tier,
        effect,
      });
    }
  });

  test('shows what the commands print', async () => {
    const world = await policyWorld({
      '.agents/skills/release-notes/SKILL.md': SKILL('release-notes', 'allowed-tools: Read Bash(git:*)'),
      '.agents/skills/release-notes/scripts/log.sh': 'git log\n',
      'colibri.policy.yaml': setUps[0] ?? '',
    });
    const [trusting = '', explaining = ''] = fences(page, 'console').map(({ text }) => text);
    const skill = { values: { skill: 'release-notes' }, terminal: 120 };
    const printed = [
      '$ colibri trust\n',
      (await runCommand(world, trust)).stdout,
      '$ colibri trust --all --dry-run\n',
      (await runCommand(world, trust, { switches: ['all', 'dry-run'] })).stdout,
      '$ colibri trust --all\n',
      (await runCommand(world, trust, { switches: ['all'] })).stdout,
    ];
    expect(printed.join('')).toBe(trusting);
    const explained = [
      '$ colibri policy explain Bash git log --skill release-notes\n',
      (await runCommand(world, explain, { args: ['Bash', 'git', 'log'], ...skill })).stdout,
      "$ colibri policy explain 'Bash(git push origin main)' --skill release-notes\n",
      (await runCommand(world, explain, { args: ['Bash(git push origin main)'], ...skill })).stdout,
    ];
    expect(explained.join('')).toBe(explaining);
  });
});
