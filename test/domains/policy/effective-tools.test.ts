import { describe, expect, test } from 'vitest';

import {
  type CallOrigin,
  decideCall,
  effectiveAllowedTools,
  type SkillTools,
} from '../../../src/domains/policy/effective-tools.ts';
import type { Rule } from '../../../src/domains/policy/rule.ts';
import { facts, policyWith, rule } from './policies.ts';

const SESSION = { agent_tier: 'T3', vouched: true } as const;

function skill(more: Partial<SkillTools> = {}): SkillTools {
  return {
    name: 'deploy',
    root: '.agents/skills',
    trusted: true,
    allowed_tools: [],
    disallowed_tools: [],
    ...more,
  };
}

function decide(rules: readonly Rule[], call: string, origin: Partial<CallOrigin> = {}) {
  const { tool, argument } = facts(call);
  return decideCall(policyWith(rules), { tool, argument }, { skill: null, session: SESSION, ...origin });
}

const effectFor = (rules: readonly Rule[], call: string, more: Partial<SkillTools> = {}) =>
  decide(rules, call, { skill: skill(more) }).effect;

const ALLOW = [rule('allow *')];
const ASK = [rule('ask *')];

describe('a call made for a skill', () => {
  test('without a skill the rules alone decide', () => {
    expect(decide(ALLOW, 'Bash(ls)')).toEqual({
      effect: 'allow',
      rule: 1,
      profile: 'own',
      reason: 'allows *',
    });
  });

  test('disallowed-tools deny what the rules allow', () => {
    const tools = { disallowed_tools: ['Bash(rm:*)'] };
    expect(effectFor(ALLOW, 'Bash(rm x)', tools)).toBe('deny');
    expect(effectFor(ALLOW, 'Bash(true; rm x)', tools)).toBe('deny');
    expect(effectFor(ALLOW, 'Bash(bash -c "rm x")', tools)).toBe('ask');
    expect(effectFor(ALLOW, 'Bash(ls)', tools)).toBe('allow');
  });

  test('a disallowed-tools entry that cannot be read refuses its whole tool', () => {
    expect(effectFor(ALLOW, 'Bash(ls)', { disallowed_tools: ['Bash(rm'] })).toBe('deny');
    expect(effectFor(ALLOW, 'Read(a)', { disallowed_tools: ['Bash(rm'] })).toBe('allow');
    expect(effectFor(ALLOW, 'Read(a)', { disallowed_tools: ['(('] })).toBe('deny');
  });

  test('a call outside of allowed-tools is denied', () => {
    const tools = { allowed_tools: ['Read', 'Bash(git:*)'] };
    expect(effectFor(ALLOW, 'Bash(git status)', tools)).toBe('allow');
    expect(effectFor(ALLOW, 'Bash(git status; rm x)', tools)).toBe('deny');
    expect(effectFor(ALLOW, 'Write(a)', tools)).toBe('deny');
    expect(effectFor(ALLOW, 'Write(a)', { allowed_tools: ['Bash('] })).toBe('deny');
  });

  test('allowed-tools turn neither ask nor deny into allow', () => {
    for (const allowed_tools of [['*'], ['Bash(*)'], ['Bash(git:*)']]) {
      expect(effectFor(ASK, 'Bash(git push)', { allowed_tools })).toBe('ask');
      expect(effectFor([rule('deny Bash')], 'Bash(git push)', { allowed_tools })).toBe('deny');
      expect(effectFor([], 'Bash(git push)', { allowed_tools })).toBe('ask');
    }
  });

  test('an allow rule that widens the skill lifts the limit of its allowed-tools', () => {
    const rules = [rule('allow Bash(git:*)', { skill: 'deploy', widen: true }), rule('allow *')];
    const tools = { allowed_tools: ['Read'] };
    expect(effectFor(rules, 'Bash(git push)', tools)).toBe('allow');
    expect(effectFor(rules, 'Bash(ls)', tools)).toBe('deny');
    expect(effectFor(rules, 'Bash(git push)', { ...tools, name: 'other' })).toBe('deny');
    expect(effectFor(rules, 'Bash(git push)', { ...tools, trusted: false })).toBe('deny');
    expect(effectFor(rules, 'Bash(git push)', { ...tools, disallowed_tools: ['Bash'] })).toBe('deny');
  });

  test('a widening rule that names a skill by a glob widens none', () => {
    const rules = [rule('allow Bash(git:*)', { skill: 'dep*', widen: true })];
    expect(effectFor(rules, 'Bash(git push)', { allowed_tools: ['Read'] })).toBe('deny');
  });

  test('an ask rule that widens the skill takes its allowed-tools for an answer', () => {
    const rules = [rule('ask Bash', { skill: 'deploy', widen: true })];
    const tools = { allowed_tools: ['Bash(git:*)'] };
    expect(effectFor(rules, 'Bash(git push)', tools)).toBe('allow');
    expect(effectFor(rules, 'Bash(git push; rm x)', tools)).toBe('ask');
    expect(effectFor(rules, 'Bash(ls)', tools)).toBe('ask');
    expect(effectFor(rules, 'Read(a)', tools)).toBe('deny');
    expect(effectFor(rules, 'Bash(git push)', { ...tools, trusted: false })).toBe('ask');
  });

  test('a widening rule below a deny widens nothing', () => {
    const rules = [rule('deny Bash'), rule('allow Bash', { skill: 'deploy', widen: true })];
    expect(effectFor(rules, 'Bash(git push)', { allowed_tools: ['Bash'] })).toBe('deny');
  });

  test('an untrusted skill never runs and never goes unasked', () => {
    expect(effectFor(ALLOW, 'skill_run', { trusted: false })).toBe('deny');
    expect(effectFor(ALLOW, 'Bash(ls)', { trusted: false })).toBe('ask');
  });
});

describe('the profiles that count', () => {
  test('a profile that the session chose can only take away', () => {
    const with_ = (profile: string, rules: readonly Rule[]) =>
      decide(rules, 'Bash(ls)', { session: { ...SESSION, profile } });
    expect(with_('full-auto', [rule('deny Bash')])).toMatchObject({ effect: 'deny', profile: 'own' });
    expect(with_('full-auto', [])).toMatchObject({ effect: 'ask', profile: 'own' });
    expect(with_('read-only', ALLOW)).toMatchObject({ effect: 'deny', profile: 'read-only' });
    expect(with_('no-such', ALLOW)).toMatchObject({ effect: 'deny', profile: 'no-such' });
    expect(with_('constructor', ALLOW)).toMatchObject({ effect: 'deny' });
  });

  test('a policy file that nobody vouched for can only take away', () => {
    const session = { ...SESSION, vouched: false };
    expect(decide(ALLOW, 'Bash(ls)', { session })).toMatchObject({ effect: 'ask', profile: 'default' });
    expect(decide([rule('deny Bash')], 'Bash(ls)', { session })).toMatchObject({ effect: 'deny' });
  });
});

describe('what a skill may use', () => {
  test("the skill's own patterns, each with its effect", () => {
    const rules = [
      rule('deny Bash(git push:*)'),
      rule('allow Bash(git:*)'),
      rule('allow Read'),
      rule('deny bash(rm:*)'),
    ];
    const tools = skill({
      allowed_tools: ['Read', 'Bash(git:*)', 'Bash(rm:*)', 'WebFetch', 'Bash(', 'Write', 'Read'],
      disallowed_tools: ['Write'],
    });
    expect(effectiveAllowedTools(policyWith(rules), tools, SESSION)).toEqual([
      { pattern: 'Read', effect: 'allow', why: 'rule 3 allows Read' },
      {
        pattern: 'Bash(git:*)',
        effect: 'allow',
        why: 'rule 2 allows Bash(git:*); but rule 1 denies Bash(git push:*)',
      },
      { pattern: 'Bash(rm:*)', effect: 'deny', why: 'rule 4 denies bash(rm:*)' },
      { pattern: 'WebFetch', effect: 'ask', why: 'no rule matches all of it, so it is asked' },
      {
        pattern: 'Bash(',
        effect: 'deny',
        why: 'it is no tool pattern; write `Read`, `mcp__server__*` or `Bash(git:*)`',
      },
      { pattern: 'Write', effect: 'deny', why: 'Write is among its disallowed-tools' },
    ]);
  });

  test("the session's patterns where the skill gives none, for this agent and skill only", () => {
    const rules = [
      rule('allow Read'),
      rule('allow Write', { agent_tier: ['T0'] }),
      rule('deny Bash', { skill: 'other' }),
      rule('ask Bash', { skill: 'dep*' }),
    ];
    expect(effectiveAllowedTools(policyWith(rules), skill(), SESSION)).toEqual([
      { pattern: 'Read', effect: 'allow', why: 'rule 1 allows Read' },
      { pattern: 'Bash', effect: 'ask', why: 'rule 4 asks for Bash' },
    ]);
  });

  test('a rule that widens turns its question into a yes; without trust it does not', () => {
    const policy = policyWith([rule('ask Bash', { skill: 'deploy', widen: true })]);
    const tools = skill({ allowed_tools: ['Bash(git:*)'] });
    const [widened] = effectiveAllowedTools(policy, tools, SESSION);
    expect(widened).toEqual({
      pattern: 'Bash(git:*)',
      effect: 'allow',
      why: 'rule 1 asks for Bash and widens deploy',
    });
    const [plain] = effectiveAllowedTools(policy, { ...tools, trusted: false }, SESSION);
    expect(plain?.effect).toBe('ask');
  });
});
