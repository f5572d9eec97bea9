import { createHash } from 'node:crypto';

import { describe } from 'vitest';

import { testPlanted } from './planted.ts';

const one = (text: string): Record<string, string> => ({ 'src/domains/skills/service.ts': text });

describe('loading a module', () => {
  testPlanted([
    { says: 'may not run a statement', files: one('[1].forEach((x) => x);\n'), breaks: 'no-side-effects' },
    { says: 'may not loop', files: one('for (const x of []) {\n  x;\n}\n'), breaks: 'no-side-effects' },
    {
      says: 'may not read a file into a constant',
      files: one("import { readFileSync } from 'node:fs';\nexport const a = readFileSync('x');\n"),
      breaks: 'no-side-effects',
    },
    {
      says: 'may not read a file deep inside a constant',
      files: one("import fs from 'node:fs';\nexport const a = { b: [fs.readFileSync('x').length] };\n"),
      breaks: 'no-side-effects',
    },
    {
      says: 'may not read a file through a function of its own',
      files: one(
        "import { readFileSync } from 'node:fs';\nexport const a = read();\nfunction read() {\n  return readFileSync('x');\n}\n",
      ),
      breaks: 'no-side-effects',
    },
    {
      says: 'may not call a method of a constant that came from elsewhere',
      files: one("import { pool } from 'pool';\nconst one = pool.first;\nexport const a = one.connect();\n"),
      breaks: 'no-side-effects',
    },
    {
      says: 'may not wait',
      files: one('export const a = await 1;\n'),
      breaks: 'no-side-effects',
    },
    {
      says: 'may not make a thing that lives',
      files: one("import { Worker } from 'node:worker_threads';\nexport const a = new Worker('x');\n"),
      breaks: 'no-side-effects',
    },
    {
      says: 'may not import a file for its effect',
      files: { ...one("import './tools.ts';\n"), 'src/domains/skills/tools.ts': 'export const x = 1;\n' },
      breaks: 'no-side-effects',
    },
    {
      says: 'may not run a static block of a class',
      files: one('export class A {\n  static {\n    A.name;\n  }\n}\n'),
      breaks: 'no-side-effects',
    },
    {
      says: 'may build tables, schemas, patterns and functions',
      files: {
        ...one(
          [
            "import { z } from 'zod';",
            "import { createMutexRegistry } from '../../lib/mutex.ts';",
            'const LIMIT = 4 * 1024;',
            "export const table = Object.freeze({ a: ['b'], re: /x/u, big: -LIMIT });",
            "export const names = new Set(Object.keys(table).map((key) => key.toUpperCase()).join('|'));",
            'export const schema = z.object({ a: z.string().min(1).transform((text) => JSON.parse(text)) });',
            'export const wider = schema.extend({ b: schema.optional() });',
            'export const locks = createMutexRegistry();',
            "export const commands = [command('list'), command('show')];",
            "export const home = new URL('./migrations', import.meta.url);",
            'export const later = async () => await import("./tools.ts");',
            'function command(name: string) {',
            '  return { name, schema: z.literal(name) };',
            '}',
            '',
          ].join('\n'),
        ),
        'src/domains/skills/tools.ts': 'export const x = 1;\n',
        'src/lib/mutex.ts': 'export function createMutexRegistry() {\n  return new Map();\n}\n',
      },
      breaks: null,
    },
    {
      says: 'may start the program in the bin entry',
      files: { 'src/cli.ts': 'process.exitCode = await Promise.resolve(0);\n' },
      breaks: null,
    },
  ]);
});

const inside = (expression: string, head = ''): Record<string, string> =>
  one(`${head}export const f = () => ${expression};\n`);

describe('time, chance, environment and exit', () => {
  testPlanted([
    { says: 'may not be taken by process.exit', files: inside('process.exit(1)'), breaks: 'ambient-at-home' },
    {
      says: 'may not be taken by a computed name',
      files: inside("process['env']"),
      breaks: 'ambient-at-home',
    },
    {
      says: 'may not be taken through globalThis',
      files: inside('globalThis.process.env'),
      breaks: 'ambient-at-home',
    },
    {
      says: 'may not be taken by destructuring',
      files: inside('{ const { env } = process; return env; }'),
      breaks: 'ambient-at-home',
    },
    {
      says: 'may not be taken by an import from node:process',
      files: inside('env', "import { env } from 'node:process';\n"),
      breaks: 'ambient-at-home',
    },
    { says: 'may not be taken by console', files: inside("console.error('x')"), breaks: 'ambient-at-home' },
    {
      says: 'may not be taken by handing console on',
      files: inside('({ log: console })'),
      breaks: 'ambient-at-home',
    },
    { says: 'may not be taken by Date.now', files: inside('Date.now()'), breaks: 'ambient-at-home' },
    {
      says: 'may not be taken by handing Date.now on',
      files: inside('[Date.now]'),
      breaks: 'ambient-at-home',
    },
    { says: 'may not be taken by an empty Date', files: inside('new Date()'), breaks: 'ambient-at-home' },
    {
      says: 'may not be taken by performance.now',
      files: inside('performance.now()'),
      breaks: 'ambient-at-home',
    },
    { says: 'may not be taken by Math.random', files: inside('Math.random()'), breaks: 'ambient-at-home' },
    {
      says: 'may not be taken by randomUUID',
      files: inside('randomUUID()', "import { randomUUID } from 'node:crypto';\n"),
      breaks: 'ambient-at-home',
    },
    {
      says: 'may not be taken by the global crypto',
      files: inside('crypto.randomUUID()'),
      breaks: 'ambient-at-home',
    },
    {
      says: 'may not end the process in the middle of the composition root',
      files: { 'src/startup.ts': 'export function fail(): void {\n  process.exit(1);\n}\n' },
      breaks: 'ambient-at-home',
    },
    {
      says: 'may not end the process through a function that is also called outright',
      files: {
        'src/startup.ts':
          'export function start(exit: (code: number) => void = end): void {\n  end(1);\n  exit(1);\n}\n' +
          'function end(code: number): void {\n  process.exit(code);\n}\n',
      },
      breaks: 'ambient-at-home',
    },
    {
      says: 'may end the process through a function that is only a default',
      files: {
        'src/startup.ts':
          'export function start({ exit = end }: { exit?: (code: number) => void }): void {\n  exit(1);\n}\n' +
          'function end(code: number): void {\n  process.exit(code);\n}\n',
      },
      breaks: null,
    },
    {
      says: 'may end the process where the composition root was not told how',
      files: {
        'src/startup.ts':
          'export function fail(exit?: (code: number) => void): void {\n  const end = exit ?? ((code) => process.exit(code));\n  end(1);\n}\n' +
          'export function stop({ exit = process.exit }: { exit?: (code: number) => void }): void {\n  exit(1);\n}\n',
      },
      breaks: null,
    },
    {
      says: 'may be taken in their named files',
      files: {
        'src/cli.ts': "import { x } from './config.ts';\nconsole.error(process.env, x);\nprocess.exit(1);\n",
        'src/config.ts': 'export const x = () => process.env;\n',
        'src/lib/clock.ts': 'export const now = () => [Date.now(), new Date(), performance.now()];\n',
        'src/lib/ids.ts':
          "import { randomBytes } from 'node:crypto';\nexport const make = () => randomBytes(4);\n",
      },
      breaks: null,
    },
    {
      says: 'are not meant by converting a date, by a key called console or by words in a text',
      files: inside(
        "({ console: new Date(5), said: 'Date.now()', env: x.env, out: x.console })",
        'declare const x: { env: 1; console: 2 };\n',
      ),
      breaks: null,
    },
  ]);
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const folder = 'src/db/migrations';
const migrations = (sql: Record<string, string>, lock: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(sql).map(([name, text]) => [`${folder}/${name}`, text])),
  [`${folder}/lock.json`]: JSON.stringify(lock),
});

describe('migrations', () => {
  testPlanted([
    {
      says: 'may not leave out a number',
      files: migrations(
        { '001_a.sql': 'A', '003_c.sql': 'C' },
        { '001_a.sql': sha256('A'), '003_c.sql': sha256('C') },
      ),
      breaks: 'migrations-locked',
    },
    {
      says: 'may not use a number twice',
      files: migrations(
        { '001_a.sql': 'A', '001_b.sql': 'B' },
        { '001_a.sql': sha256('A'), '001_b.sql': sha256('B') },
      ),
      breaks: 'migrations-locked',
    },
    {
      says: 'may not be edited',
      files: migrations({ '001_a.sql': 'A;' }, { '001_a.sql': sha256('A') }),
      breaks: 'migrations-locked',
    },
    { says: 'may not be unlocked', files: migrations({ '001_a.sql': 'A' }, {}), breaks: 'migrations-locked' },
    {
      says: 'may not vanish',
      files: migrations({ '001_a.sql': 'A' }, { '001_a.sql': sha256('A'), '002_b.sql': sha256('B') }),
      breaks: 'migrations-locked',
    },
    {
      says: 'hold when numbered and locked',
      files: migrations(
        { '001_a.sql': 'A', '002_b.sql': 'B' },
        { '001_a.sql': sha256('A'), '002_b.sql': sha256('B') },
      ),
      breaks: null,
    },
  ]);
});

describe('syntax', () => {
  testPlanted([
    { says: 'may not use any', files: one('export type X = Map<string, any>;\n'), breaks: 'strict-syntax' },
    {
      says: 'may not export a default',
      files: one('export default function f() {}\n'),
      breaks: 'strict-syntax',
    },
    {
      says: 'may not rename an export to default',
      files: one('const a = 1;\nexport { a as default };\n'),
      breaks: 'strict-syntax',
    },
    {
      says: 'may not swallow an error',
      files: one(
        'export function f(g: () => void) {\n  try {\n    g();\n  } catch {\n    // nothing\n  }\n}\n',
      ),
      breaks: 'strict-syntax',
    },
    {
      says: 'may not silence the compiler',
      files: one('// @ts-expect-error\nexport const a: string = 1;\n'),
      breaks: 'strict-syntax',
    },
    {
      says: 'may not let a missing case slip through',
      files: one(
        "export function f(x: 'a' | 'b') {\n  let y = 0;\n  switch (x) {\n    case 'a':\n      y = 1;\n      break;\n  }\n  return y;\n}\n",
      ),
      breaks: 'strict-syntax',
    },
    {
      says: 'may not hide a missing case behind an empty default',
      files: one(
        "export function f(x: 'a' | 'b') {\n  switch (x) {\n    case 'a':\n      return 1;\n    default:\n      break;\n  }\n  return 2;\n}\n",
      ),
      breaks: 'strict-syntax',
    },
    {
      says: 'may switch with returns, shared cases and a default that answers',
      files: one(
        "export function f(x: 'a' | 'b' | 'c'): number {\n  switch (x) {\n    case 'a':\n    case 'b': {\n      return 1;\n    }\n    case 'c':\n      if (x === 'c') return 2;\n      throw new Error(x);\n  }\n}\n" +
          "export function g(x: string): string {\n  switch (x) {\n    case 'a':\n      return 'any';\n    default:\n      return '// no';\n  }\n}\n",
      ),
      breaks: null,
    },
    {
      says: 'may let a catch that says why return',
      files: one(
        'export function f(g: () => void) {\n  try {\n    return g();\n  } catch {\n    return null;\n  }\n}\n',
      ),
      breaks: null,
    },
  ]);
});
