import { describe, expect, test } from 'vitest';

import { evaluate, type Facts, strictest } from '../../../src/domains/policy/evaluate.ts';
import type { Effect, Rule } from '../../../src/domains/policy/rule.ts';
import { facts, rule } from './policies.ts';

const GIT: readonly Rule[] = [
  rule('deny Bash(git push:*)', { reason: 'pushing is for people' }),
  rule('allow Bash(git:*)'),
  rule('ask Bash'),
  rule('allow Read'),
];
const TIERS: readonly Rule[] = [
  rule('deny Write', { agent_tier: ['T3', 'T4'] }),
  rule('allow Write', { agent_tier: ['T0', 'T1'] }),
  rule('allow mcp__db__*', { agent_tier: ['T0'] }),
  rule('deny mcp__db__*'),
];
const SCOPED: readonly Rule[] = [
  rule('deny Bash', { skill: 'draft-*' }),
  rule('allow Bash(make:*)', { skill: 'release-notes' }),
  rule('allow Read', { root: '~/.agents/skills' }),
  rule('ask Write', { root: '.agents/**', skill: 'release-notes' }),
  rule('deny Write'),
];
const CAREFUL: readonly Rule[] = [rule('deny Bash(rm:*)'), rule('ask Bash(git push:*)'), rule('allow Bash')];
const CLOSED: readonly Rule[] = [rule('ask Bash(git:*)'), rule('deny *')];
const OPEN: readonly Rule[] = [rule('allow *')];
const SHADOWED: readonly Rule[] = [rule('allow Bash'), rule('deny Bash(rm:*)')];

type Row = readonly [
  name: string,
  rules: readonly Rule[],
  call: string,
  more: Partial<Facts>,
  effect: Effect,
  rule: number | null,
];

const release = { skill: 'release-notes', root: '.agents/skills' };
const draft = { skill: 'draft-mail', root: '.agents/skills' };
const global = { skill: 'pdf', root: '~/.agents/skills' };
const untrusted = { skill: 'pdf', trusted: false };

const ROWS: readonly Row[] = [
  ['git', GIT, 'Bash(git status)', {}, 'allow', 2],
  ['git', GIT, 'Bash(git)', {}, 'allow', 2],
  ['git', GIT, 'Bash(git push)', {}, 'deny', 1],
  ['git', GIT, 'Bash(git push origin main)', {}, 'deny', 1],
  ['git', GIT, 'Bash(git pushx)', {}, 'allow', 2],
  ['git', GIT, 'Bash(git status; git push)', {}, 'deny', 1],
  ['git', GIT, 'Bash(git status && rm x)', {}, 'ask', 3],
  ['git', GIT, 'Bash(git status\nrm x)', {}, 'ask', 3],
  ['git', GIT, 'Bash(git log | tee x)', {}, 'ask', 3],
  ['git', GIT, 'Bash(git $(x))', {}, 'ask', 3],
  ['git', GIT, 'Bash(gitk)', {}, 'ask', 3],
  ['git', GIT, 'Bash(git commit -m "git push later")', {}, 'ask', 1],
  ['git', GIT, 'Bash(sh -c "git push")', {}, 'ask', 1],
  ['git', GIT, 'Bash', {}, 'ask', 1],
  ['git', GIT, 'bash(git status)', {}, 'ask', 3],
  ['git', GIT, 'Read(a)', {}, 'allow', 4],
  ['git', GIT, 'read(a)', {}, 'ask', null],
  ['git', GIT, 'Write(a)', {}, 'ask', null],
  ['tiers', TIERS, 'Write(a)', { agent_tier: 'T0' }, 'allow', 2],
  ['tiers', TIERS, 'Write(a)', { agent_tier: 'T1' }, 'allow', 2],
  ['tiers', TIERS, 'Write(a)', { agent_tier: 'T2' }, 'ask', null],
  ['tiers', TIERS, 'Write(a)', { agent_tier: 'T3' }, 'deny', 1],
  ['tiers', TIERS, 'Write(a)', { agent_tier: 'T4' }, 'deny', 1],
  ['tiers', TIERS, 'WRITE(a)', { agent_tier: 'T4' }, 'deny', 1],
  ['tiers', TIERS, 'WRITE(a)', { agent_tier: 'T0' }, 'ask', null],
  ['tiers', TIERS, 'mcp__db__drop', { agent_tier: 'T0' }, 'allow', 3],
  ['tiers', TIERS, 'mcp__db__drop', { agent_tier: 'T1' }, 'deny', 4],
  ['tiers', TIERS, 'mcp__dbx__drop', { agent_tier: 'T1' }, 'ask', null],
  ['scoped', SCOPED, 'Bash(make all)', release, 'allow', 2],
  ['scoped', SCOPED, 'Bash(make all)', {}, 'ask', null],
  ['scoped', SCOPED, 'Bash(make all)', global, 'ask', null],
  ['scoped', SCOPED, 'Bash(make all)', draft, 'deny', 1],
  ['scoped', SCOPED, 'Bash(make all; x)', release, 'ask', null],
  ['scoped', SCOPED, 'Bash(make all)', { ...release, skill: 'release-notes-evil' }, 'ask', null],
  ['scoped', SCOPED, 'Bash(make all)', { ...release, trusted: false }, 'ask', 2],
  ['scoped', SCOPED, 'Read(a)', global, 'allow', 3],
  ['scoped', SCOPED, 'Read(a)', { ...global, root: '~/.agents/skills/' }, 'allow', 3],
  ['scoped', SCOPED, 'Read(a)', { ...global, root: '~/.agents/skills-evil' }, 'ask', null],
  ['scoped', SCOPED, 'Read(a)', release, 'ask', null],
  ['scoped', SCOPED, 'Read(a)', {}, 'ask', null],
  ['scoped', SCOPED, 'Write(a)', release, 'ask', 4],
  ['scoped', SCOPED, 'Write(a)', { ...release, root: 'elsewhere' }, 'deny', 5],
  ['scoped', SCOPED, 'Write(a)', {}, 'deny', 5],
  ['careful', CAREFUL, 'Bash(ls)', {}, 'allow', 3],
  ['careful', CAREFUL, 'Bash(rm x)', {}, 'deny', 1],
  ['careful', CAREFUL, 'Bash(ls; rm x)', {}, 'deny', 1],
  ['careful', CAREFUL, 'Bash(sudo rm x)', {}, 'deny', 1],
  ['careful', CAREFUL, 'Bash(/bin/rm x)', {}, 'deny', 1],
  ['careful', CAREFUL, 'Bash(bash -c "rm x")', {}, 'ask', 1],
  ['careful', CAREFUL, 'Bash($x)', {}, 'ask', 1],
  ['careful', CAREFUL, 'Bash(true && git push)', {}, 'ask', 2],
  ['careful', CAREFUL, 'Bash(git push; rm x)', {}, 'deny', 1],
  ['careful', CAREFUL, 'Bash(git commit -m "do not git push")', {}, 'ask', 2],
  ['careful', CAREFUL, 'Bash(git status && ls)', {}, 'allow', 3],
  ['closed', CLOSED, 'Bash(git status)', {}, 'ask', 1],
  ['closed', CLOSED, 'Bash(rm x; git status)', {}, 'deny', 2],
  ['closed', CLOSED, 'Bash(git status; rm x)', {}, 'deny', 2],
  ['closed', CLOSED, 'Bash(ls)', {}, 'deny', 2],
  ['closed', CLOSED, 'skill_run', {}, 'deny', 2],
  ['shadowed', SHADOWED, 'Bash(rm x)', {}, 'allow', 1],
  ['open', OPEN, 'Bash(rm -rf /)', {}, 'allow', 1],
  ['open', OPEN, 'skill_run', { skill: 'pdf' }, 'allow', 1],
  ['open', OPEN, 'skill_run', untrusted, 'deny', 1],
  ['open', OPEN, 'Bash(ls)', untrusted, 'ask', 1],
  ['open', OPEN, 'Bash(ls)', { trusted: false }, 'allow', 1],
  ['none', [], 'Read(a)', {}, 'ask', null],
  ['none', [], 'Read(a)', untrusted, 'ask', null],
  ['none', [], 'skill_run', untrusted, 'deny', null],
];

describe('rules and facts', () => {
  test('the table is long enough to mean something', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(60);
  });

  test.each(ROWS)('%s: %#', (_, rules, call, more, effect, number) => {
    const { reason, ...verdict } = evaluate(rules, facts(call, more));
    expect({ call, more, ...verdict }).toEqual({ call, more, effect, rule: number });
    expect(reason).not.toBe('');
  });

  test('the reason names the pattern and what its author wrote', () => {
    expect(evaluate(GIT, facts('Bash(git push)')).reason).toBe(
      'denies Bash(git push:*): pushing is for people',
    );
    expect(evaluate(GIT, facts('Bash(true; git push)')).reason).toBe(
      'denies Bash(git push:*), which is part of this call: pushing is for people',
    );
    expect(evaluate(OPEN, facts('Bash(ls)', untrusted)).reason).toBe(
      'allows *, but skill pdf is not trusted; look at it, then run `colibri trust pdf`',
    );
  });

  test('of two verdicts the stricter one counts, and the first of equals', () => {
    const [allow, ask, deny] = (['allow', 'ask', 'deny'] as const).map((effect) => ({ effect }));
    if (allow === undefined || ask === undefined || deny === undefined) throw new Error('three effects');
    expect(strictest(allow, ask)).toBe(ask);
    expect(strictest(deny, ask, allow)).toBe(deny);
    expect(strictest(ask, { effect: 'ask' })).toBe(ask);
  });
});
