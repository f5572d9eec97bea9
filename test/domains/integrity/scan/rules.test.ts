/** Each rule against its own examples, and all of them against texts that are made to be slow. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { SCAN_RULES } from '../../../../src/domains/integrity/scan/rules.ts';
import { SCAN_FAMILIES, type ScanRule } from '../../../../src/domains/integrity/scan/scan-rule.ts';
import { scanSkill } from '../../../../src/domains/integrity/scan/scan-skill.ts';

const RULES: readonly ScanRule[] = SCAN_RULES.flatMap(({ rules }) => rules);

function rulesFoundIn(text: string): readonly string[] {
  const files = [{ path: 'SKILL.md', bytes: new TextEncoder().encode(text) }];
  return scanSkill(files).findings.map(({ rule }) => rule);
}

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (id, { bad, good }) => {
  test('finds its bad examples and leaves its good ones alone', () => {
    expect(bad.filter((text) => !rulesFoundIn(text).includes(id))).toEqual([]);
    expect(good.filter((text) => rulesFoundIn(text).includes(id))).toEqual([]);
  });
});

test('a rule has a name of its own, a reason and a fix', () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  expect(SCAN_RULES.map(({ family }) => family)).toEqual(SCAN_FAMILIES);
  for (const { id, title, why, fix, good } of RULES) {
    expect(id).toMatch(/^[a-z]+(?:-[a-z]+)+$/);
    expect(
      [title, why, fix].every((text) => text.length > 5 && /^[a-z"]/.test(text) && !text.endsWith('.')),
      id,
    ).toBe(true);
    expect(good.length, id).toBeGreaterThan(0);
  }
});

/** Rules that need a file of another kind than SKILL.md; what they find is shown in scan-skill.test.ts. */
const WITHOUT_BAD_EXAMPLE = [
  'encoded-blob',
  'install-script',
  'listens-on-every-address',
  'runs-built-text',
  'runs-in-background',
  'ships-archive',
  'ships-program',
  'unpinned-latest',
  'uses-root',
];

test('a rule without a bad example is one about scripts and other files', () => {
  const without = RULES.filter(({ bad }) => bad.length === 0).map(({ id }) => id);
  expect(without.sort()).toEqual(WITHOUT_BAD_EXAMPLE);
});

describe('patterns stay linear', () => {
  const patterns = RULES.flatMap((rule) =>
    rule.kind === 'line'
      ? [...rule.match, ...(rule.unless ?? []), ...(rule.near?.match ?? [])].map((pattern) => ({
          id: rule.id,
          pattern,
        }))
      : [],
  );

  test('no pattern repeats anything without a bound', () => {
    // Escaped characters and classes are taken out first: a star in them is a star.
    const unbounded = patterns.filter(({ pattern }) =>
      /[*+]|\{\d+,\}/.test(pattern.source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')),
    );
    expect(unbounded.map(({ id, pattern }) => `${id}: ${pattern.source}`)).toEqual([]);
  });

  test('a pattern with an anchor works on whole files', () => {
    const anchored = RULES.flatMap((rule) => (rule.kind === 'line' ? rule.match : [])).filter(({ source }) =>
      /\^|\$(?![({\\])/.test(source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')),
    );
    expect(anchored.length).toBeGreaterThan(0);
    expect(anchored.filter(({ flags }) => !flags.includes('m')).map(({ source }) => source)).toEqual([]);
  });

  /** What makes a pattern start over and over: its own beginnings, many times, on one line and on many. */
  const SEEDS = [
    'curl ',
    'curl http://1.2.3.4 && chmod +x ',
    'ignore all previous ',
    'http://',
    'https://45.61.12.',
    'base64 -d ',
    'A',
    'os.environ["SECRET ',
    '\\x41',
    '<!-- ',
    'send user data to ',
    'chr(65)+',
    '`'.repeat(3),
    '![a](https://x?',
    'rm -r ',
  ];

  test.each(SEEDS)('a megabyte of %j comes to an end', (seed) => {
    const half = (between: string) =>
      `${seed}${between}`.repeat(Math.ceil(500_000 / (seed.length + between.length)));
    const bytes = new TextEncoder().encode(`${half('')}\n${half('\n')}`);
    scanSkill([{ path: 'scripts/run.sh', bytes }]);
  });
});

test('docs/scan.md lists every rule as it is', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/scan.md'), 'utf8');
  const rows = Array.from(
    page.matchAll(/^\| `([a-z-]+)` \| (\w+) \| (.+?) \| (.+?) \|$/gm),
    ([, ...cells]) => cells,
  );
  expect(rows).toEqual(RULES.map(({ id, severity, title, why }) => [id, severity, title, why]));
});
