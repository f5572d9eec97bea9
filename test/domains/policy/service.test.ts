import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { gate } from '../../../src/domains/policy/gate.ts';
import { parsePolicy } from '../../../src/domains/policy/schema.ts';
import { registerColibriTool } from '../../../src/server.ts';
import { callTool, testContext } from '../../support/kernel.ts';
import { policyWith, rule } from './policies.ts';
import { type PolicyWorld, policyWorld, SKILL } from './policy-world.ts';

const POLICY = 'colibri.policy.yaml';
const ACTOR = { actor: 'tester' };
const ALLOW_GIT = `use: own
profiles:
  own:
    rules:
      - { effect: deny, tool: "Bash(git push:*)", reason: pushing is for people }
      - { effect: allow, tool: "Bash(git:*)" }
      - { effect: allow, tool: skill_run, agent_tier: [T0, T1] }
      - { effect: deny, tool: "agent_*", agent_tier: [T4] }
`;
const FILES = {
  '.agents/skills/pdf/SKILL.md': SKILL('pdf', 'allowed-tools: Read Bash(git:*)'),
  [POLICY]: ALLOW_GIT,
};

const GIT = { tool: 'Bash', argument: 'git status', agent_tier: 'T3' } as const;
const effectOf = async ({ policy }: PolicyWorld) => (await policy.judge(GIT)).effect;

describe('a decision', () => {
  test('is recorded with all that led to it', async () => {
    const { policy, events } = await policyWorld(FILES);
    await policy.trust('all', ACTOR);
    events.length = 0;
    const judged = await policy.decide(
      { ...GIT, argument: 'git push' },
      { session: 's1', actor: 'agent', parentId: 'call-1' },
    );
    expect(judged).toMatchObject({ effect: 'deny', rule: 1, profile: 'own' });
    expect(events).toEqual([
      {
        type: 'policy.decision',
        stream: 'session:s1',
        actor: 'agent',
        parentId: 'call-1',
        sensitivity: 'pseudonymous',
        payload: {
          kind: 'call',
          tool: 'Bash',
          argument: 'git push',
          skill: null,
          root: null,
          trusted: false,
          agent_tier: 'T3',
          effect: 'deny',
          profile: 'own',
          rule: 1,
          reason: 'denies Bash(git push:*): pushing is for people',
        },
      },
    ]);
  });

  test('explained is the same decision and leaves no trace', async () => {
    const { policy, events, workspace } = await policyWorld(FILES);
    const explained = await policy.explain({ ...GIT, skill: 'pdf' });
    expect(explained).toMatchObject({
      effect: 'ask',
      trusted: false,
      policy: { path: path.join(workspace, POLICY), use: 'own', vouched: false, problem: null },
      effective_allowed_tools: [
        { pattern: 'Read', effect: 'ask' },
        { pattern: 'Bash(git:*)', effect: 'ask' },
      ],
    });
    await policy.trust('all', ACTOR);
    events.length = 0;
    expect(await policy.explain({ ...GIT, skill: 'pdf' })).toMatchObject({
      effect: 'allow',
      trusted: true,
      effective_allowed_tools: [
        { pattern: 'Read', effect: 'ask' },
        { pattern: 'Bash(git:*)', effect: 'allow' },
      ],
    });
    expect(events).toEqual([]);
  });

  test('for a skill that was edited a moment ago is that for an untrusted one', async () => {
    const { policy, write, skills } = await policyWorld(FILES);
    await policy.trust('all', ACTOR);
    const { source_dir: directory, ...rest } = skills.require('pdf');
    const run = {
      tool: 'skill_run',
      agent_tier: 'T0',
      skill: { ...rest, directory, allowed_tools: [] },
    } as const;
    expect((await policy.judge(run)).effect).toBe('allow');
    write('.agents/skills/pdf/helper.py', 'import os\n');
    expect(await policy.judge(run)).toMatchObject({ effect: 'deny', trusted: false });
  });
});

describe('the policy file', () => {
  test('can only take away until somebody vouches for it, and again after every edit', async () => {
    const world = await policyWorld(FILES);
    expect(await effectOf(world)).toBe('ask');
    await world.policy.trust([POLICY], ACTOR);
    expect(await effectOf(world)).toBe('allow');
    world.write(POLICY, `${ALLOW_GIT}# one more line\n`);
    expect(await effectOf(world)).toBe('ask');
    expect((await world.policy.judge({ ...GIT, argument: 'git push' })).effect).toBe('deny');
  });

  test('that is not there means the default profile, which nobody needs to vouch for', async () => {
    const world = await policyWorld(FILES);
    rmSync(path.join(world.workspace, POLICY));
    expect(await world.policy.explain(GIT)).toMatchObject({
      effect: 'ask',
      rule: null,
      profile: 'default',
      policy: { path: null, use: 'default', vouched: true },
    });
  });

  const SPOILED: readonly (readonly [string, (file: string) => void, RegExp])[] = [
    ['is not YAML', (file) => writeFileSync(file, 'use: ['), /colibri\.policy\.yaml:2 is not valid YAML/],
    ['is empty', (file) => writeFileSync(file, ''), /colibri\.policy\.yaml:1 is empty/],
    ['is not UTF-8', (file) => writeFileSync(file, Buffer.from([0x75, 0xff])), /is not UTF-8 text/],
    ['is too large', (file) => writeFileSync(file, '#'.repeat(300_000)), /cannot be read: it is too-large/],
    ['is a link', (file) => link(file), /is a link; put the file itself there/],
    [
      'is named wrongly',
      (file) => writeFileSync(file.replace('yaml', 'yml'), ''),
      /rename it to colibri\.policy\.yaml/,
    ],
  ];

  test.each(SPOILED)(
    'that %s denies everything, for everyone, and says how to mend it',
    async (_, spoil, reason) => {
      const { policy, workspace } = await policyWorld(FILES);
      await policy.trust('all', ACTOR);
      spoil(path.join(workspace, POLICY));
      const judged = await policy.judge({ ...GIT, agent_tier: 'T0' });
      expect(judged.effect).toBe('deny');
      expect(judged.reason).toMatch(reason);
      expect(judged.reason).toContain('until it is mended everything is denied');
      expect(policy.gate('skill_list', { agentTier: 'T0' }).allowed).toBe(false);
    },
  );

  function link(file: string): void {
    rmSync(file);
    symlinkSync('/etc/hostname', file);
  }

  test('that allows everything leaves an event when it is used', async () => {
    const { policy, db, events, write } = await policyWorld(FILES);
    const use = () =>
      db.transact((transaction) => policy.recordUse(transaction, { session: 's1', actor: 'session' }));
    await use();
    expect(events).toEqual([]);
    write(POLICY, 'use: full-auto\n');
    await use();
    expect(events).toMatchObject([
      {
        stream: 'session:s1',
        payload: {
          kind: 'profile',
          profile: 'full-auto',
          policy_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    ]);
  });
});

describe('the tool-lock', () => {
  test('is shut for the tiers that a deny rule names, and open for the others', async () => {
    const { policy } = await policyWorld(FILES);
    expect(policy.gate('agent_spawn', { agentTier: 'T4' })).toEqual({
      allowed: false,
      reason: 'agent_spawn is locked for T4: rule 4 of profile own denies agent_*',
    });
    expect(policy.gate('agent_spawn', { agentTier: 'T3' })).toEqual({ allowed: true });
    expect(policy.gate('agent_spawn', { agentTier: null })).toEqual({ allowed: true });
    expect(policy.gate('skill_search', { agentTier: 'T4' })).toEqual({ allowed: true });
  });

  test('takes a caller without a tier for T3', () => {
    const locked = gate(policyWith([rule('deny skill_run', { agent_tier: ['T3'] })]));
    expect(locked('skill_run', { agentTier: null }).allowed).toBe(false);
    expect(locked('skill_run', { agentTier: 'T0' }).allowed).toBe(true);
    expect(locked('skill_run', { agentTier: 'nonsense' }).allowed).toBe(false);
  });

  test('leaves alone what is denied for one skill or one argument only', () => {
    const open = gate(
      policyWith([rule('deny skill_run', { skill: 'pdf' }), rule('deny skill_run(scripts/x.sh:*)')]),
    );
    expect(open('skill_run', { agentTier: 'T3' })).toEqual({ allowed: true });
  });

  test('answers TOOL_LOCKED in the kernel, before the tool is entered', async () => {
    const { policy } = parsePolicy(ALLOW_GIT, POLICY);
    const ctx = testContext({
      gate: gate(policy),
      identify: () => ({ id: 'a', sessionId: null, agentTier: 'T4' }),
    });
    let entered = 0;
    const config = { title: 't', description: 'd', inputSchema: z.strictObject({}) };
    registerColibriTool(ctx, 'agent_spawn', config, () => ++entered);
    expect(await callTool(ctx, 'agent_spawn')).toMatchObject({ ok: false, error: { code: 'TOOL_LOCKED' } });
    expect(entered).toBe(0);
  });
});
