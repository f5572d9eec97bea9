import { describe, expect, test } from 'vitest';

import { EXIT } from '../../../src/surfaces/cli/command.ts';
import { run as explain } from '../../../src/surfaces/cli/commands/policy-explain.ts';
import { run as trust } from '../../../src/surfaces/cli/commands/trust.ts';
import { run as untrust } from '../../../src/surfaces/cli/commands/untrust.ts';
import { runCommand } from './command-world.ts';
import { policyWorld, SKILL } from './policy-world.ts';

const NOTES = '.agents/skills/release-notes';
const FILES = {
  [`${NOTES}/SKILL.md`]: SKILL('release-notes', 'allowed-tools: Read Bash(git:*)'),
  'colibri.policy.yaml': `use: solo
profiles:
  solo:
    rules:
      - { effect: deny, tool: "Bash(git push:*)", reason: pushing is for people }
      - { effect: allow, tool: "Bash(git:*)" }
`,
};

describe('colibri trust', () => {
  test('without names shows what is trusted and exits 1 when something is not', async () => {
    const world = await policyWorld(FILES);
    expect(await runCommand(world, trust)).toEqual({
      code: EXIT.findings,
      stdout:
        'no\tfile\tcolibri.policy.yaml\tnobody has trusted it yet\n' +
        'no\tskill\trelease-notes\tnobody has trusted it yet\n',
      stderr: '2 not trusted; look at them, then run `colibri trust <name>`\n',
    });
    await world.policy.trust('all', { actor: 'x' });
    expect(await runCommand(world, trust, { terminal: 80 })).toEqual({
      code: EXIT.ok,
      stdout: [
        'TRUSTED  KIND   NAME                 WHY',
        'yes      file   colibri.policy.yaml  trusted by x',
        'yes      skill  release-notes        trusted by x',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('shows what changed before it is trusted again', async () => {
    const world = await policyWorld(FILES);
    await runCommand(world, trust, { switches: ['all'] });
    world.write(`${NOTES}/x\u001b[31m.md`, '');
    const shown = await runCommand(world, trust);
    expect(shown.stdout).toContain(
      'no\tskill\trelease-notes\tit is not what was trusted: added x\\u{1b}[31m.md\n',
    );
    const dry = await runCommand(world, trust, { args: ['release-notes'], switches: ['dry-run'] });
    expect(dry).toEqual({
      code: EXIT.ok,
      stdout: 'release-notes\tadded\tx\\u{1b}[31m.md\n',
      stderr: 'would trust release-notes\n',
    });
    expect((await runCommand(world, trust)).code).toBe(EXIT.findings);
    expect((await runCommand(world, trust, { args: ['release-notes'] })).stderr).toBe(
      'trusted release-notes\n',
    );
    expect((await runCommand(world, trust)).code).toBe(EXIT.ok);
    expect((await runCommand(world, trust, { switches: ['all'] })).stderr).toBe('nothing new to trust\n');
  });

  test('--json holds the whole report', async () => {
    const world = await policyWorld(FILES);
    const { stdout } = await runCommand(world, trust, { args: ['release-notes'], switches: ['json'] });
    expect(JSON.parse(stdout)).toMatchObject({
      done: [{ subject: { name: 'release-notes' }, changes: [{ path: 'SKILL.md', change: 'added' }] }],
      refused: [],
      dry_run: false,
    });
  });

  test('names and --all together are a mistake', async () => {
    const world = await policyWorld(FILES);
    await expect(async () =>
      runCommand(world, trust, { args: ['x'], switches: ['all'] }),
    ).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});

describe('colibri untrust', () => {
  test('takes trust back', async () => {
    const world = await policyWorld(FILES);
    await runCommand(world, trust, { switches: ['all'] });
    expect(await runCommand(world, untrust, { args: ['release-notes'] })).toEqual({
      code: EXIT.ok,
      stdout: 'release-notes\n',
      stderr: 'no longer trusted: 1\n',
    });
    expect((await runCommand(world, untrust, { args: ['release-notes'] })).stderr).toBe(
      'none of them was trusted by you\n',
    );
    await expect(async () => runCommand(world, untrust)).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('colibri policy explain', () => {
  test('tells the effect, the rule and what the skill may use', async () => {
    const world = await policyWorld(FILES);
    await runCommand(world, trust, { switches: ['all'] });
    const values = { skill: 'release-notes' };
    expect(
      await runCommand(world, explain, { args: ['Bash', 'git', 'push'], values, terminal: 100 }),
    ).toEqual({
      code: EXIT.findings,
      stdout: [
        'call        Bash(git push)',
        'agent tier  T3',
        'skill       release-notes (trusted)',
        'effect      deny',
        'because     rule 1 denies Bash(git push:*): pushing is for people',
        'profile     solo',
        'policy      colibri.policy.yaml, profile solo',
        'may use     Read: ask, no rule matches all of it, so it is asked',
        'may use     Bash(git:*): allow, rule 2 allows Bash(git:*); but rule 1 denies Bash(git push:*)',
        '',
      ].join('\n'),
      stderr: '',
    });
    const allowed = { args: ['Bash(git status)'], values };
    expect((await runCommand(world, explain, allowed)).code).toBe(EXIT.ok);
    const chosen = { ...allowed, values: { ...values, 'session-profile': 'read-only' } };
    expect((await runCommand(world, explain, chosen)).stdout).toContain('effect\tdeny\n');
  });

  test('says when the policy file is not trusted, is not there or cannot be used', async () => {
    const world = await policyWorld(FILES);
    const line = { args: ['Read'], values: { tier: 'T0' } };
    expect((await runCommand(world, explain, line)).stdout).toContain(
      'not trusted, so it can only take away',
    );
    world.write('colibri.policy.yaml', 'use: [');
    expect((await runCommand(world, explain, line)).stdout).toContain('effect\tdeny\n');
    expect((await runCommand(world, explain, line)).stdout).toContain('policy\tit cannot be used\n');
  });
});
