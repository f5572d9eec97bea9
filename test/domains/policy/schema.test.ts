import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { evaluate } from '../../../src/domains/policy/evaluate.ts';
import { isWide } from '../../../src/domains/policy/profiles.ts';
import {
  embeddedPolicy,
  parsePolicy,
  policyJsonSchema,
  problemText,
} from '../../../src/domains/policy/schema.ts';
import { facts, rule } from './policies.ts';

const TEAM = `use: team
profiles:
  team:
    rules:
      - effect: deny
        tool: Bash(git push:*)
        reason: pushing is for people
      - { effect: allow, tool: "Bash(git:*)", agent_tier: [T0, T1] }
      - effect: ask
        tool: Bash
        skill: deploy
        root: .agents/skills
        widen: true
  other:
    rules: []
unsandboxed: true
network: host
install: [{ effect: allow, source: "https://example.org/**" }]
`;

describe('a policy file', () => {
  test('becomes a frozen policy', () => {
    const { policy, problem } = parsePolicy(TEAM, 'colibri.policy.yaml');
    expect(problem).toBeNull();
    expect(policy).toEqual({
      use: 'team',
      profiles: {
        ...embeddedPolicy().profiles,
        other: { rules: [] },
        team: {
          rules: [
            rule('deny Bash(git push:*)', { reason: 'pushing is for people' }),
            rule('allow Bash(git:*)', { agent_tier: ['T0', 'T1'] }),
            rule('ask Bash', { skill: 'deploy', root: '.agents/skills', widen: true }),
          ],
        },
      },
      unsandboxed: true,
      network: 'host',
      install: [{ effect: 'allow', source: 'https://example.org/**' }],
    });
    expect(Object.isFrozen(policy.profiles['team']?.rules[0]?.tool)).toBe(true);
  });

  test('may say nothing but which profile is in force', () => {
    const { policy } = parsePolicy('use: read-only', 'p.yaml');
    expect(policy).toEqual({ ...embeddedPolicy('read-only') });
  });

  /** What is written, the line it is found on, and what is said of it. */
  const WRONG: readonly (readonly [string, number | null, string])[] = [
    ['', 1, 'is empty; delete it'],
    ['# nothing\n', 1, 'is empty'],
    ['use: [', 2, 'is not valid YAML'],
    ['use: a\nuse: b\n', 2, 'is not valid YAML'],
    ['- a\n', 1, 'expected object'],
    ['use: team\n', 1, 'use: no profile "team"; use one of default, read-only, full-auto'],
    ['unsandboxed: true\nuse: defualt\n', 2, 'did you mean default?'],
    ['use: default\nprofile: {}\n', 2, 'unknown key profile (did you mean profiles?)'],
    ['use: default\nzzzzzzzz: 1\n', 2, 'unknown key zzzzzzzz (known here: $schema, use, profiles'],
    ['profiles:\n  default:\n    rules: []\n', 2, 'profiles.default: default is built in'],
    ['profiles:\n  Team: { rules: [] }\n', 2, 'lower-case'],
    ['profiles:\n  a:\n    rule: []\n', 2, 'profiles.a'],
    ['profiles:\n  a:\n    rules: []\n    extends: b\n', 4, 'unknown key extends (known here: rules)'],
    [
      'profiles:\n  a:\n    rules:\n      - effect: permit\n        tool: Read\n',
      4,
      'profiles.a.rules.0.effect',
    ],
    ['profiles:\n  a:\n    rules:\n      - effect: allow\n', 4, 'profiles.a.rules.0.tool'],
    [
      'profiles:\n  a:\n    rules:\n      - { effect: allow, tool: Read }\n      - effect: allow\n        tool: Bash(git\n',
      6,
      'profiles.a.rules.1.tool: `Bash(git` is no tool pattern',
    ],
    [
      'profiles:\n  a:\n    rules:\n      - effect: allow\n        tool: Read\n        skil: x\n',
      6,
      'unknown key skil (did you mean skill?)',
    ],
    [
      'profiles:\n  a:\n    rules:\n      - effect: allow\n        tool: Read\n        agent_tier: T3\n',
      6,
      'agent_tier',
    ],
    [
      'profiles:\n  a:\n    rules:\n      - effect: deny\n        tool: Read\n        skill: x\n        widen: true\n',
      7,
      'a deny rule widens nothing',
    ],
    [
      'profiles:\n  a:\n    rules:\n      - effect: allow\n        tool: Read\n        skill: x*\n        widen: true\n',
      6,
      'names one skill',
    ],
    [
      'profiles:\n  a:\n    rules:\n      - effect: allow\n        tool: Read\n        widen: true\n',
      4,
      'names one skill',
    ],
    ['__proto__:\n  use: full-auto\n', null, ''],
    ['a: &x 1\nb: *x\n', null, 'is not valid YAML'],
  ];

  test.each(WRONG)('%j denies everything and says why', (text, line, message) => {
    const { policy, problem } = parsePolicy(text, 'colibri.policy.yaml');
    expect(problem?.message).toContain(message);
    if (line !== null) expect(problem?.line).toBe(line);
    const rules = policy.profiles[policy.use]?.rules ?? [];
    for (const call of ['Read(a)', 'skill_list', 'Bash(ls)']) {
      const verdict = evaluate(rules, facts(call, { agent_tier: 'T0' }));
      expect(verdict.effect).toBe('deny');
      expect(verdict.reason).toContain(problem === null ? '?' : problemText(problem));
    }
    expect(policy).toMatchObject({ unsandboxed: false, network: 'none', install: [] });
  });

  test('with several faults tells the first and how many more', () => {
    const { problem } = parsePolicy('a: 1\nnetwork: all\n', 'p.yaml');
    expect(problem?.message).toMatch(/\(and 1 more\)$/);
  });
});

describe('the built-in profiles', () => {
  const effectOf = (profile: string, call: string) =>
    evaluate(embeddedPolicy().profiles[profile]?.rules ?? [], facts(call)).effect;

  test('default asks, read-only looks, full-auto allows', () => {
    const calls = ['Read(a)', 'skill_search', 'Bash(ls)', 'skill_run', 'Write(a)', 'agent_spawn'];
    expect(calls.map((call) => effectOf('default', call))).toEqual(calls.map(() => 'ask'));
    expect(calls.map((call) => effectOf('full-auto', call))).toEqual(calls.map(() => 'allow'));
    expect(calls.map((call) => effectOf('read-only', call))).toEqual([
      'allow',
      'allow',
      'deny',
      'deny',
      'deny',
      'deny',
    ]);
  });

  test('full-auto is in force only when it was named, and so is any other that asks nothing', () => {
    expect(embeddedPolicy().use).toBe('default');
    expect(isWide(embeddedPolicy())).toBe(false);
    expect(isWide(embeddedPolicy('read-only'))).toBe(false);
    expect(isWide(embeddedPolicy('full-auto'))).toBe(true);
    const own = 'use: mine\nprofiles: { mine: { rules: [{ effect: allow, tool: "*" }] } }\n';
    expect(isWide(parsePolicy(own, 'p.yaml').policy)).toBe(true);
  });
});

describe('schema/colibri.policy.schema.json', () => {
  test('is what the code accepts', () => {
    const file = path.resolve(import.meta.dirname, '../../../schema/colibri.policy.schema.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(policyJsonSchema());
  });
});
