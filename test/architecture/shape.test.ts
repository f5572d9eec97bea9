import { describe, expect, it } from 'vitest';

import { check } from './check.ts';
import { testPlanted } from './planted.ts';
import { FILE_LINES_MAX, FUNCTION_LINES_MAX, sizeLimitsExcept } from './rules/size.ts';

describe('imports', () => {
  testPlanted([
    {
      says: 'may not run in a circle of types',
      files: {
        'src/lib/text.ts': "import type { B } from './ids.ts';\nexport type A = B;\n",
        'src/lib/ids.ts': "import type { C } from './clock.ts';\nexport type B = C;\n",
        'src/lib/clock.ts': "import type { A } from './text.ts';\nexport type C = A;\n",
      },
      breaks: 'no-cycles',
    },
    {
      says: 'may not run in a circle that a lazy import closes',
      files: {
        'src/lib/text.ts': "export const load = () => import('./ids.ts');\n",
        'src/lib/ids.ts': "import { load } from './text.ts';\nexport const b = load;\n",
      },
      breaks: 'no-cycles',
    },
    {
      says: 'may meet again in one file',
      files: {
        'src/lib/text.ts':
          "import { b } from './ids.ts';\nimport { c } from './clock.ts';\nexport const a = [b, c];\n",
        'src/lib/ids.ts': "import { c } from './clock.ts';\nexport const b = c;\n",
        'src/lib/clock.ts': 'export const c = 1;\n',
      },
      breaks: null,
    },
  ]);

  it('are told with the whole circle', () => {
    const violations = check(
      new Map([
        ['src/lib/a.ts', "import type { B } from './b.ts';\nexport type A = B;\n"],
        ['src/lib/b.ts', "import type { A } from './a.ts';\nexport type B = A;\n"],
      ]),
    );
    expect(violations).toEqual([
      {
        rule: 'no-cycles',
        file: 'src/lib/a.ts',
        message: 'imports itself: src/lib/a.ts → src/lib/b.ts → src/lib/a.ts',
      },
    ]);
  });
});

describe('files', () => {
  testPlanted([
    {
      says: 'may not be called index',
      files: { 'src/domains/skills/index.ts': 'export const x = 1;\n' },
      breaks: 'no-barrels',
    },
    {
      says: 'may not re-export everything of another',
      files: { 'src/lib/text.ts': "export * from './ids.ts';\n", 'src/lib/ids.ts': 'export const x = 1;\n' },
      breaks: 'no-barrels',
    },
    {
      says: 'may not re-export a type of another',
      files: {
        'src/lib/text.ts': "export type { X } from './ids.ts';\n",
        'src/lib/ids.ts': 'export type X = 1;\n',
      },
      breaks: 'no-barrels',
    },
    {
      says: 'may not import a name only to export it',
      files: {
        'src/lib/text.ts': "import { x } from './ids.ts';\nexport { x as y };\n",
        'src/lib/ids.ts': 'export const x = 1;\n',
      },
      breaks: 'no-barrels',
    },
    {
      says: 'may export their own names in a list',
      files: { 'src/lib/text.ts': 'const x = 1;\nexport { x };\n' },
      breaks: null,
    },
    {
      says: 'may not be called utils',
      files: { 'src/lib/utils.ts': 'export const x = 1;\n' },
      breaks: 'telling-names',
    },
    {
      says: 'may not be called after helpers of something',
      files: { 'src/lib/text-helpers.ts': 'export const x = 1;\n' },
      breaks: 'telling-names',
    },
    {
      says: 'may not be written in camel case',
      files: { 'src/lib/textWidth.ts': 'export const x = 1;\n' },
      breaks: 'telling-names',
    },
    {
      says: 'may have a noun that only contains such a word',
      files: {
        'src/lib/utility-belt.ts': 'export const x = 1;\n',
        'src/lib/index-key.ts': 'export const x = 1;\n',
      },
      breaks: null,
    },
  ]);
});

const lines = (count: number): string => '  x();\n'.repeat(count);
const functionOf = (count: number): string =>
  `export function long(x: () => void): void {\n${lines(count - 2)}}\n`;

describe('sizes', () => {
  testPlanted([
    {
      says: 'break when a file is one line too long',
      files: { 'src/lib/text.ts': 'export type X = 1;\n'.repeat(FILE_LINES_MAX + 1) },
      breaks: 'size-limits',
    },
    {
      says: 'break when a function is one line too long',
      files: { 'src/lib/text.ts': functionOf(FUNCTION_LINES_MAX + 1) },
      breaks: 'size-limits',
    },
    {
      says: 'break when a method of an object is too long',
      files: {
        'src/lib/text.ts': `export const a = {\n  long(x: () => void) {\n${lines(FUNCTION_LINES_MAX)}  },\n};\n`,
      },
      breaks: 'size-limits',
    },
    {
      says: 'hold when file and function are exactly as long as allowed',
      files: {
        'src/lib/text.ts': 'export type X = 1;\n'.repeat(FILE_LINES_MAX),
        'src/lib/ids.ts': functionOf(FUNCTION_LINES_MAX),
      },
      breaks: null,
    },
  ]);

  it('allow what is listed by name, and say when the list is longer than needed', () => {
    const files = new Map([['src/lib/text.ts', functionOf(FUNCTION_LINES_MAX + 1)]]);
    const named = 'src/lib/text.ts#long';
    expect(check(files, [sizeLimitsExcept([named])])).toEqual([]);
    expect(check(files, [sizeLimitsExcept([named, 'src/lib/gone.ts'])])).toEqual([
      {
        rule: 'size-limits',
        file: 'src/lib/gone.ts',
        message: 'is within the limits now; take it off SIZE_EXCEPTIONS',
      },
    ]);
  });
});
