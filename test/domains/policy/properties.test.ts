/** What holds for every policy, seen on random ones. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  decideCall,
  effectiveAllowedTools,
  type SkillTools,
} from '../../../src/domains/policy/effective-tools.ts';
import {
  appliesTo,
  evaluate,
  type Facts,
  matchRule,
  type Verdict,
} from '../../../src/domains/policy/evaluate.ts';
import { matchTool } from '../../../src/domains/policy/patterns.ts';
import type { Rule } from '../../../src/domains/policy/rule.ts';
import { facts, pattern, policyWith, rule } from './policies.ts';

const RUNS = { numRuns: 2000 };
const ORDER = ['allow', 'ask', 'deny'];
const strictness = ({ effect }: Pick<Verdict, 'effect'>) => ORDER.indexOf(effect);

const TOOL = fc.constantFrom(
  ...[
    '*',
    'Read',
    'read',
    'Bash',
    'Bash(git:*)',
    'Bash(git push:*)',
    'Bash(rm:*)',
    'Bash(git status)',
    'B*',
    'skill_run',
    'Bash(npm *)',
  ],
);
const CALL = fc.constantFrom(
  ...[
    'Read(a)',
    'Bash(git status)',
    'Bash(git push)',
    'Bash(git status; rm x)',
    'Bash(rm x)',
    'Bash(sh -c "rm x")',
    'Bash($x)',
  ],
  ...['skill_run', 'Bash', 'Bash(npm test && git push)', 'BASH(rm x)', 'Write(a)'],
);
const TIER = fc.constantFrom('T0', 'T2', 'T4');
const SKILL_NAME = fc.constantFrom('deploy', 'notes');
const ROOT = fc.constantFrom('.agents/skills', '~/.agents/skills');

const RULE: fc.Arbitrary<Rule> = fc
  .record(
    {
      effect: fc.constantFrom('allow', 'ask', 'deny'),
      tool: TOOL,
      skill: fc.constantFrom('deploy', 'notes', '*', 'd*'),
      root: fc.constantFrom('.agents/skills', '~/**'),
      agent_tier: fc.uniqueArray(TIER, { minLength: 1 }),
      widen: fc.boolean(),
    },
    { requiredKeys: ['effect', 'tool'] },
  )
  .map(({ effect, tool, widen, ...scope }) => {
    // Only what a policy file may say: a widening rule names one skill and does not deny.
    const may =
      widen === true && effect !== 'deny' && scope.skill !== undefined && !scope.skill.includes('*');
    return rule(`${effect} ${tool}`, may ? { ...scope, widen } : scope);
  });
const RULES = fc.array(RULE, { maxLength: 6 });

const SKILL: fc.Arbitrary<SkillTools> = fc.record({
  name: SKILL_NAME,
  root: ROOT,
  trusted: fc.boolean(),
  allowed_tools: fc.array(fc.oneof(TOOL, fc.constant('Bash(')), { maxLength: 3 }),
  disallowed_tools: fc.array(fc.oneof(TOOL, fc.constant('Bash(')), { maxLength: 2 }),
});
const SESSION = fc.record({ agent_tier: TIER, vouched: fc.boolean() });
const FACTS: fc.Arbitrary<Facts> = fc
  .tuple(
    CALL,
    fc.record(
      { agent_tier: TIER, skill: SKILL_NAME, root: ROOT, trusted: fc.boolean() },
      { requiredKeys: ['agent_tier', 'trusted'] },
    ),
  )
  .map(([call, more]) => facts(call, more));

const callOf = (text: string) => {
  const { tool, argument } = facts(text);
  return { tool, argument };
};

describe('a skill', () => {
  test('never gets more than the rules say for it, unless a rule that widens names it', () => {
    fc.assert(
      fc.property(RULES, SKILL, SESSION, CALL, (rules, skill, session, text) => {
        fc.pre(!rules.some((each) => each.widen === true && each.skill === skill.name));
        const call = callOf(text);
        const byRules = evaluate(rules, { ...call, ...session, ...skill, skill: skill.name });
        const decided = decideCall(policyWith(rules), call, { skill, session });
        expect(strictness(decided)).toBeGreaterThanOrEqual(strictness(byRules));
      }),
      RUNS,
    );
  });

  test('that no rule speaks of never gets more than the session has without it', () => {
    const general = RULES.map((rules) => rules.map(({ skill: _, root: __, widen: ___, ...rest }) => rest));
    fc.assert(
      fc.property(general, SKILL, SESSION, CALL, (rules, skill, session, text) => {
        const policy = policyWith(rules);
        const without = decideCall(policy, callOf(text), { skill: null, session });
        const within = decideCall(policy, callOf(text), { skill, session });
        expect(strictness(within)).toBeGreaterThanOrEqual(strictness(without));
      }),
      RUNS,
    );
  });

  test('gets less and never more by what it adds to its disallowed-tools', () => {
    fc.assert(
      fc.property(RULES, SKILL, SESSION, CALL, TOOL, (rules, skill, session, text, extra) => {
        const policy = policyWith(rules);
        const more = { ...skill, disallowed_tools: [...skill.disallowed_tools, extra] };
        const before = decideCall(policy, callOf(text), { skill, session });
        const after = decideCall(policy, callOf(text), { skill: more, session });
        expect(strictness(after)).toBeGreaterThanOrEqual(strictness(before));
      }),
      RUNS,
    );
  });

  test('that is not trusted is never allowed anything, and runs nothing', () => {
    fc.assert(
      fc.property(RULES, SKILL, SESSION, CALL, (rules, skill, session, text) => {
        const origin = { skill: { ...skill, trusted: false }, session };
        expect(decideCall(policyWith(rules), callOf(text), origin).effect).not.toBe('allow');
        expect(decideCall(policyWith(rules), { tool: 'skill_run' }, origin).effect).toBe('deny');
      }),
      RUNS,
    );
  });
});

describe('rules', () => {
  test('no rule added after a matching deny makes that call allowed or asked', () => {
    fc.assert(
      fc.property(RULES, RULES, FACTS, (before, after, call) => {
        fc.pre(evaluate(before, call).effect === 'deny' && evaluate(before, call).rule !== null);
        expect(evaluate([...before, ...after], call).effect).toBe('deny');
      }),
      RUNS,
    );
  });

  test('no rule added after one that asks makes that call allowed', () => {
    fc.assert(
      fc.property(RULES, RULES, FACTS, (before, after, call) => {
        fc.pre(evaluate(before, call).effect === 'ask' && evaluate(before, call).rule !== null);
        expect(evaluate([...before, ...after], call).effect).not.toBe('allow');
      }),
      RUNS,
    );
  });

  test('a call is allowed only by an allow rule that means all of it', () => {
    fc.assert(
      fc.property(RULES, FACTS, (rules, call) => {
        const verdict = evaluate(rules, call);
        if (verdict.effect !== 'allow') return;
        const decisive = rules[(verdict.rule ?? 0) - 1];
        expect(decisive?.effect).toBe('allow');
        expect(decisive && matchRule(decisive, call)).toBe('yes');
      }),
      RUNS,
    );
  });

  test('a policy that nobody vouched for allows nothing', () => {
    fc.assert(
      fc.property(RULES, fc.option(SKILL), TIER, CALL, (rules, skill, agent_tier, text) => {
        const session = { agent_tier, vouched: false };
        expect(decideCall(policyWith(rules), callOf(text), { skill, session }).effect).not.toBe('allow');
      }),
      RUNS,
    );
  });
});

describe('the list of effective tools', () => {
  test('says of a pattern what becomes of its calls, unless it names exceptions', () => {
    fc.assert(
      fc.property(RULES, SKILL, SESSION, CALL, (rules, skill, session, text) => {
        const policy = policyWith(rules);
        const call = callOf(text);
        for (const { pattern: written, effect, why } of effectiveAllowedTools(policy, skill, session)) {
          if (written === 'Bash(' || why.includes('; but ')) continue;
          if (matchTool(pattern(written), call) !== 'yes') continue;
          // A call may hold more than its pattern says: then it is judged harder, never milder.
          expect(strictness(decideCall(policy, call, { skill, session }))).toBeGreaterThanOrEqual(
            ORDER.indexOf(effect),
          );
        }
      }),
      RUNS,
    );
  });

  test('holds only what rules for this agent and skill speak of', () => {
    fc.assert(
      fc.property(RULES, SKILL, SESSION, (rules, skill, session) => {
        const listed = effectiveAllowedTools(policyWith(rules), { ...skill, allowed_tools: [] }, session);
        const known = rules
          .filter((each) => appliesTo(each, { ...session, skill: skill.name, root: skill.root }))
          .map(({ tool }) => tool.text);
        expect(listed.map(({ pattern: text }) => text)).toEqual([...new Set(known)]);
      }),
      RUNS,
    );
  });
});
