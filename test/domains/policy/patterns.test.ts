import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readCommandLine } from '../../../src/domains/policy/command-line.ts';
import { matchesGlob } from '../../../src/domains/policy/glob.ts';
import {
  covers,
  type Match,
  matchTool,
  overlaps,
  parseToolPattern,
} from '../../../src/domains/policy/patterns.ts';
import { facts, pattern } from './policies.ts';

/** Pattern, call, how well they match. */
const ROWS: readonly (readonly [string, string, Match])[] = [
  ['Read', 'Read', 'yes'],
  ['Read', 'Read(src/a.ts)', 'yes'],
  ['Read', 'ReadAll', 'no'],
  ['read', 'Read(src/a.ts)', 'part'],
  ['*', 'anything(at all; && really)', 'yes'],
  ['mcp__github__*', 'mcp__github__create_issue', 'yes'],
  ['mcp__github__*', 'mcp__gitlab__create_issue', 'no'],
  ['skill_*', 'skill_run', 'yes'],
  ['Bash(*)', 'Bash(rm -rf /)', 'yes'],
  ['Bash(git:*)', 'Bash(git)', 'yes'],
  ['Bash(git:*)', 'Bash(git status)', 'yes'],
  ['Bash(git:*)', 'Bash(  git   status  )', 'yes'],
  ['Bash(git:*)', 'Bash(git\tstatus)', 'yes'],
  ['Bash(git:*)', 'Bash(gitk)', 'no'],
  ['Bash(git:*)', 'Bash(git-evil)', 'no'],
  ['Bash(git:*)', 'Bash(GIT status)', 'part'],
  ['Bash(git:*)', 'Bash', 'maybe'],
  ['Bash(git:*)', 'Shell(git status)', 'no'],
  ['Bash(git add:*)', 'Bash(git add -A)', 'yes'],
  ['Bash(git add:*)', 'Bash(git address)', 'no'],
  ['Bash(git add:*)', 'Bash(git commit)', 'no'],
  ['Bash(npm run test)', 'Bash(npm run test)', 'yes'],
  ['Bash(npm run test)', 'Bash(npm  run  test)', 'yes'],
  ['Bash(npm run test)', 'Bash(npm run test --all)', 'maybe'],
  ['Bash(npm run test)', 'Bash(npm run test && rm x)', 'part'],
  ['Bash(npm run build && npm test)', 'Bash(npm run build && npm test)', 'yes'],
  ['Bash(npm run *)', 'Bash(npm run lint)', 'yes'],
  ['Bash(npm run *)', 'Bash(npm run lint; rm x)', 'part'],
  ['Bash(npm run *)', 'Bash(npm install)', 'no'],
  // Nothing gets in behind a prefix.
  ['Bash(git:*)', 'Bash(git status; rm -rf /)', 'part'],
  ['Bash(git:*)', 'Bash(git status && x)', 'part'],
  ['Bash(git:*)', 'Bash(git status & x)', 'part'],
  ['Bash(git:*)', 'Bash(git log | sh)', 'part'],
  ['Bash(git:*)', 'Bash(git status\nrm -rf /)', 'part'],
  ['Bash(git:*)', 'Bash(git status\rrm)', 'part'],
  ['Bash(git:*)', 'Bash(git $(rm x))', 'part'],
  ['Bash(git:*)', 'Bash(git "$(rm x)")', 'part'],
  ['Bash(git:*)', 'Bash(git `rm x`)', 'part'],
  ['Bash(git:*)', 'Bash(git log > /etc/passwd)', 'part'],
  ['Bash(git:*)', 'Bash(git diff <(rm x))', 'part'],
  ['Bash(git:*)', 'Bash(git push $TOKEN)', 'part'],
  ['Bash(git:*)', 'Bash(git "$TOKEN")', 'part'],
  ['Bash(git:*)', 'Bash(git commit -m "open)', 'part'],
  ['Bash(git:*)', 'Bash(git \\\n rm)', 'part'],
  ['Bash(git:*)', 'Bash(git commit -m "a; b && c | d")', 'yes'],
  ['Bash(git:*)', "Bash(git commit -m 'costs $5; `really`')", 'yes'],
  ['Bash(git:*)', 'Bash(git commit -m a\\;b)', 'yes'],
  // A prefix that holds a separator itself allows that one, and no other.
  ['Bash(cd web && npm:*)', 'Bash(cd web && npm test)', 'yes'],
  ['Bash(cd web && npm:*)', 'Bash(cd web && npm test; rm x)', 'maybe'],
  // What a deny must see.
  ['Bash(rm:*)', 'Bash(true; rm -rf x)', 'part'],
  ['Bash(rm:*)', 'Bash(sudo -n rm -rf x)', 'part'],
  ['Bash(rm:*)', 'Bash(timeout 5 /bin/rm -rf x)', 'part'],
  ['Bash(rm:*)', 'Bash(A=1 rm x)', 'part'],
  ['Bash(rm:*)', 'Bash("rm" -rf x)', 'part'],
  ['Bash(rm:*)', 'Bash(r\\m -rf x)', 'part'],
  ['Bash(rm:*)', 'Bash(if true; then rm x; fi)', 'part'],
  ['Bash(rm:*)', 'Bash(echo "$(rm x)")', 'part'],
  ['Bash(rm:*)', 'Bash(bash -c "rm -rf x")', 'maybe'],
  ['Bash(rm:*)', 'Bash(find . -exec rm {} +)', 'maybe'],
  ['Bash(rm:*)', 'Bash($x -rf y)', 'maybe'],
  ['Bash(rm:*)', "Bash(echo 'open)", 'maybe'],
  ['Bash(rm:*)', 'Bash(npm run format)', 'no'],
  ['Bash(git push:*)', 'Bash(git -C sub push)', 'maybe'],
  ['Bash(git push:*)', 'Bash(git stash)', 'no'],
  // Paths.
  ['Read(src/**)', 'Read(src/a/b.ts)', 'yes'],
  ['Read(src/**)', 'Read(./src/a.ts)', 'yes'],
  ['Read(src/*)', 'Read(src/a/b.ts)', 'no'],
  ['Read(src/**)', 'Read(src/../.env)', 'no'],
  ['Read(.env)', 'Read(src/../.env)', 'part'],
  ['Read(.env)', 'Read(/work/space/.env)', 'part'],
  ['Read(.env)', 'Read(.ENV)', 'part'],
  ['Read(app/**)', 'Read(app/(group)/page.tsx)', 'yes'],
  ['Read(**/*.pem)', 'Read(keys/a.pem)', 'yes'],
];

describe('a tool pattern', () => {
  test.each(ROWS)('%s on %j is %s', (written, call, match) => {
    expect(matchTool(pattern(written), facts(call))).toBe(match);
  });

  test.each([
    '',
    '()',
    'Bash()',
    'Bash(:*)',
    'Bash( :*)',
    'Bash(git',
    'Bash git',
    'Bash(echo ":*)',
    "Bash(echo ':*)",
    'Bash(git\\:*)',
    'Bash($x:*)',
    'Read(a\u202eb)',
    'Read(a\nb)',
    `Bash(${'x'.repeat(600)})`,
  ])('%j is refused', (written) => {
    expect(parseToolPattern(written).ok).toBe(false);
  });

  test('covers another only when each of its calls is also its own', () => {
    const covered = (outer: string, inner: string) => covers(pattern(outer), pattern(inner));
    expect(covered('*', 'Bash(git:*)')).toBe(true);
    expect(covered('Bash', 'Bash(git:*)')).toBe(true);
    expect(covered('Bash(git:*)', 'Bash(git add:*)')).toBe(true);
    expect(covered('Bash(git:*)', 'Bash(git status)')).toBe(true);
    expect(covered('Bash(git:*)', 'Bash(git status; rm x)')).toBe(false);
    expect(covered('Bash(git add:*)', 'Bash(git:*)')).toBe(false);
    expect(covered('Bash(git:*)', 'Bash')).toBe(false);
    expect(covered('Bash(gi:*)', 'Bash(git:*)')).toBe(false);
    expect(covered('Bash', '*')).toBe(false);
  });
});

const WORD = fc.constantFrom(
  'git',
  'gitk',
  'rm',
  'add',
  'status',
  '-rf',
  'npm',
  'run',
  '"a b"',
  "'x'",
  'a\\ b',
);
const JOINT = fc.constantFrom(
  ' ',
  '  ',
  '\t',
  ';',
  ' && ',
  ' | ',
  '\n',
  ' $(',
  ')',
  '`',
  ' > ',
  ' "',
  "'",
  ' & ',
  '$',
);
const LINE = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.tuple(WORD, fc.constant(' ')) }, fc.tuple(WORD, JOINT)), {
    maxLength: 6,
  })
  .map((parts) => parts.flat().join(''));
const CALL = fc.oneof(LINE, fc.string({ maxLength: 30 })).map((argument) => ({ tool: 'Bash', argument }));
const INNER = fc.constantFrom(
  '*',
  'git:*',
  'git add:*',
  'rm:*',
  'npm run:*',
  'git status',
  'npm *',
  'git * -rf',
  'rm',
);
const PATTERN = fc
  .tuple(fc.constantFrom('Bash', '*', 'B*', 'bash', 'Read'), INNER)
  .map(([tool, inner]) => pattern(`${tool}(${inner})`));

describe('any tool pattern on any call', () => {
  test('an allow of a prefix never lets a second command, an expansion or a redirection in', () => {
    fc.assert(
      fc.property(CALL, (call) => {
        if (matchTool(pattern('Bash(git:*)'), call) !== 'yes') return;
        const line = readCommandLine(call.argument);
        expect(line).toMatchObject({ plain: true, commands: [expect.arrayContaining(['git'])] });
        expect(line.commands[0]?.[0]).toBe('git');
        expect(call.argument).not.toMatch(/[\n\r`]|\$\(/);
      }),
      { numRuns: 3000 },
    );
  });

  test('a command that a shell would run first in a chain is seen by a deny', () => {
    fc.assert(
      fc.property(LINE, fc.constantFrom('; ', ' && ', ' | ', '\n', ' & '), (line, joint) => {
        fc.pre(readCommandLine(line).readable);
        const match = matchTool(pattern('Bash(rm:*)'), { tool: 'Bash', argument: `${line}${joint}rm -rf x` });
        expect(match).toBe('part');
      }),
      { numRuns: 2000 },
    );
  });

  test('covering and overlapping agree with matching', () => {
    fc.assert(
      fc.property(PATTERN, PATTERN, CALL, (outer, inner, call) => {
        if (matchTool(inner, call) !== 'yes') return;
        if (covers(outer, inner)) expect(matchTool(outer, call)).toBe('yes');
        if (matchTool(outer, call) === 'yes') expect(overlaps(outer, inner)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  test('parsing any text, and matching any two, never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (written, argument) => {
        const parsed = parseToolPattern(`Bash(${written})`);
        if (parsed.ok) matchTool(parsed.pattern, { tool: 'Bash', argument });
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a glob', () => {
  test('is what a regular expression would say', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (glob, said) => {
        const source = glob.replace(/\*+|[/]/g, (part) =>
          part === '/' ? '\\/' : part === '*' ? '[^/]*' : '.*',
        );
        expect(matchesGlob(glob, said)).toBe(new RegExp(`^${source}$`, 's').test(said));
      }),
      { numRuns: 3000 },
    );
  });

  test('full of stars on a long text ends', () => {
    expect(matchesGlob('*a'.repeat(100), `${'a'.repeat(16_000)}b`, { flat: true })).toBe(false);
  });
});
