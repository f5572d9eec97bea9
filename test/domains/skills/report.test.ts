import { describe, expect, test } from 'vitest';

import {
  countByCode,
  findingsOf,
  firstError,
  type IndexedSkill,
  judgeShadowed,
  mirrorOnly,
  type RegistryRecords,
  totalsOf,
} from '../../../src/domains/skills/report.ts';
import type { SkillRoot } from '../../../src/domains/skills/scan/roots.ts';
import type { Diagnostic } from '../../../src/lib/diagnostics.ts';

function root(source: SkillRoot['source'], display: string): SkillRoot {
  return { path: `/work/${display}`, display, source, profile: 'strict', depth: 1 };
}

const ROOTS = [root('workspace', '.agents/skills'), root('global', '~/g'), root('mirror', '.claude/skills')];
const WARNING: Diagnostic = {
  code: 'body-long',
  severity: 'warning',
  file: '.agents/skills/a/SKILL.md',
  message: 'split it',
};

function indexed(name: string, rest: Partial<IndexedSkill> = {}): IndexedSkill {
  const { root: within = '.agents/skills', source = 'workspace', digest = 'd1', diagnostics = [] } = rest;
  const directory = `${within}/${name}`;
  return { name, path: `${directory}/SKILL.md`, directory, source, root: within, digest, diagnostics };
}

function copy(name: string, source: SkillRoot['source'], digest = 'd1') {
  const within = ROOTS.find((each) => each.source === source)?.display ?? 'gone';
  return {
    name,
    path: `${within}/${name}/SKILL.md`,
    source,
    root: within,
    digest,
    winner_path: `.agents/skills/${name}/SKILL.md`,
  };
}

function records(parts: Partial<RegistryRecords>): RegistryRecords {
  return { roots: ROOTS, indexed: [], shadowed: [], rejected: [], aliases: [], ...parts };
}

function rejected(directory: string, diagnostics: readonly Diagnostic[], lenient_ok = false) {
  return { directory, lenient_ok, diagnostics };
}

describe('findings', () => {
  test('an empty registry has none', () => {
    expect(findingsOf(records({}))).toEqual([]);
  });

  test('come worst first: rejected, collisions, mirror only, warnings, and what needs nothing', () => {
    const error: Diagnostic = {
      code: 'field-missing',
      severity: 'error',
      file: '.agents/skills/x/SKILL.md',
      line: 3,
      field: 'description',
      message: 'add it',
    };
    const all = records({
      indexed: [
        indexed('a', { diagnostics: [WARNING] }),
        indexed('b'),
        indexed('m', { source: 'mirror', root: '.claude/skills' }),
      ],
      shadowed: [copy('a', 'mirror'), copy('b', 'global', 'd2')],
      rejected: [rejected('.agents/skills/x', [{ ...WARNING, file: '.agents/skills/x/SKILL.md' }, error])],
    });
    expect(findingsOf(all).map(({ group, severity, code, skill }) => [group, severity, code, skill])).toEqual(
      [
        ['rejected', 'error', 'field-missing', null],
        ['rejected', 'warning', 'body-long', null],
        ['collision', 'warning', 'collision', 'b'],
        ['mirror-only', 'warning', 'mirror-only', 'm'],
        ['warning', 'warning', 'body-long', 'a'],
        ['mirrored', 'info', 'mirrored', 'a'],
      ],
    );
    expect(findingsOf(all)[0]).toEqual({
      group: 'rejected',
      severity: 'error',
      code: 'field-missing',
      skill: null,
      file: '.agents/skills/x/SKILL.md',
      line: 3,
      field: 'description',
      message: 'add it',
    });
  });

  test.each([
    ['global', 'd1', 'the content is the same; rename or remove one of them'],
    ['global', 'd2', 'the content differs; rename or remove one of them'],
    ['mirror', 'd2', 'the content differs; copy the canonical one over it'],
    ['mirror', 'd1', 'nothing to do'],
  ] as const)('a copy in %s with digest %s is told: %s', (source, digest, end) => {
    const [finding] = findingsOf(records({ indexed: [indexed('a')], shadowed: [copy('a', source, digest)] }));
    expect(finding?.message).toContain('.agents/skills/a/SKILL.md is used (');
    expect(finding?.message).toMatch(new RegExp(`${end}$`));
  });

  test('a file that was read from elsewhere is placed where the user knows it', () => {
    const error: Diagnostic = {
      code: 'file-empty',
      severity: 'error',
      file: '/elsewhere/SKILL.md',
      message: '',
    };
    const one = rejected('.agents/skills/x', [error]);
    expect(findingsOf(records({ rejected: [one] }))[0]?.file).toBe('.agents/skills/x/SKILL.md');
    expect(firstError(one)?.file).toBe('.agents/skills/x/SKILL.md');
    // A neighbour whose name only begins alike is elsewhere, too.
    const neighbour = rejected('skills/x', [{ ...error, file: 'skills/xy/SKILL.md' }]);
    expect(firstError(neighbour)?.file).toBe('skills/x/SKILL.md');
  });
});

test('the first error rejected a skill, not a warning before it', () => {
  const error: Diagnostic = { ...WARNING, severity: 'error', code: 'name-case' };
  expect(firstError(rejected('.agents/skills/a', [WARNING, error]))?.code).toBe('name-case');
  expect(firstError(rejected('.agents/skills/a', []))).toBeNull();
});

describe('a shadowed copy', () => {
  test('is told the rule and whether its content is the same', () => {
    const judged = judgeShadowed(
      records({ indexed: [indexed('a')], shadowed: [copy('a', 'global', 'd2'), copy('a', 'mirror')] }),
    );
    expect(judged).toEqual([
      { ...copy('a', 'global', 'd2'), rule: 'workspace overrides global', same_content: false },
      { ...copy('a', 'mirror'), rule: 'canonical overrides mirror', same_content: true },
    ]);
  });

  test('of a root that is configured no more still gets a rule', () => {
    const [judged] = judgeShadowed(records({ indexed: [indexed('a')], shadowed: [copy('a', 'repo')] }));
    expect(judged?.rule).toBe('the root that is configured first wins');
  });
});

test('a mirror skill that a canonical root links to is not only in the mirror', () => {
  const all = records({
    indexed: ['linked', 'lonely', 'doubled'].map((name) =>
      indexed(name, { source: 'mirror', root: '.claude/skills' }),
    ),
    aliases: [
      { directory: '.agents/skills/linked', root: '.agents/skills', target: '.claude/skills/linked' },
      { directory: '.claude/skills/again', root: '.claude/skills', target: '.claude/skills/doubled' },
    ],
  });
  expect(mirrorOnly(all).map(({ name }) => name)).toEqual(['lonely', 'doubled']);
});

test('counts go by diagnostic, most errors first; totals add up', () => {
  const error = (code: string): Diagnostic => ({ ...WARNING, code, severity: 'error' });
  const all = records({
    indexed: [indexed('a', { diagnostics: [WARNING] }), indexed('b')],
    shadowed: [copy('b', 'global', 'd2')],
    rejected: [
      rejected('.agents/skills/x', [error('name-case'), error('field-missing'), WARNING], true),
      rejected('.agents/skills/y', [error('name-case')]),
    ],
    aliases: [{ directory: '~/g/l', root: '~/g', target: '.agents/skills/b' }],
  });
  const findings = findingsOf(all);
  expect(countByCode(findings)).toEqual([
    { code: 'name-case', errors: 2, warnings: 0 },
    { code: 'field-missing', errors: 1, warnings: 0 },
    { code: 'body-long', errors: 0, warnings: 2 },
  ]);
  expect(totalsOf(all, findings)).toEqual({
    found: 5,
    indexed: 2,
    rejected: 2,
    lenient_ok: 1,
    shadowed: 1,
    aliases: 1,
    errors: 3,
    warnings: 3,
  });
});
