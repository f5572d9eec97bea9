/** What is refused before any process starts. */
import { appendFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { type RunRequest, runScript } from '../../../../src/domains/sessions/run/run-script.ts';
import { createWorld, linesOf, NOTHING, type ScriptWorld } from './script-world.ts';

let world: ScriptWorld;

beforeAll(() => {
  world = createWorld();
});
afterEach(() => {
  expect(world.leftovers()).toEqual(NOTHING);
});
afterAll(() => world.remove());

const HELLO = 'echo hello >ran';

describe('script paths', () => {
  it.each([
    ['scripts/../SKILL.md', 'PATH_OUTSIDE'],
    ['../scripts/a.sh', 'PATH_OUTSIDE'],
    ['/bin/sh', 'PATH_ABSOLUTE'],
    ['scripts/./a.sh', 'PATH_INVALID'],
    ['scripts//a.sh', 'PATH_INVALID'],
    ['scripts\\a.sh', 'PATH_INVALID'],
    ['scripts/%2e%2e/a.sh', 'PATH_INVALID'],
    ['scripts/a.sh\0.txt', 'PATH_INVALID'],
    ['', 'PATH_INVALID'],
    ['SKILL.md', 'SCRIPT_INVALID'],
    ['scripts', 'SCRIPT_INVALID'],
    ['Scripts/a.sh', 'SCRIPT_INVALID'],
    ['scripts/b.sh', 'FILE_NOT_FOUND'],
    ['scripts/A.sh', 'FILE_NOT_FOUND'],
    ['scripts/notes.txt', 'SCRIPT_INVALID'],
    ['scripts/crlf', 'SCRIPT_INVALID'],
    ['scripts/evil', 'SCRIPT_INVALID'],
    ['scripts/plain', 'SCRIPT_INVALID'],
  ])('%j is refused with %s', async (script, code) => {
    const skill = world.skill({
      'SKILL.md': '# x',
      'scripts/a.sh': HELLO,
      'scripts/notes.txt': 'notes',
      'scripts/crlf': '#!/usr/bin/env python3\r\nprint(1)\r\n',
      'scripts/evil': '#!/work/evil\n',
      'scripts/plain': 'echo hello',
    });
    await expect(runScript({ skill, script, sandbox: 'bubblewrap' }, world.runtime)).rejects.toMatchObject({
      code,
    });
  });
});

describe('a skill that is not what was pinned', () => {
  const cases: readonly [string, (directory: string) => void][] = [
    ['a changed script', (directory) => appendFileSync(path.join(directory, 'scripts/a.sh'), '\n: more')],
    ['another changed file', (directory) => writeFileSync(path.join(directory, 'data.txt'), 'other')],
    ['a file that is gone', (directory) => rmSync(path.join(directory, 'data.txt'))],
    [
      'a file that became a link to the same content',
      (directory) => {
        renameSync(path.join(directory, 'data.txt'), path.join(directory, 'moved.txt'));
        symlinkSync('moved.txt', path.join(directory, 'data.txt'));
      },
    ],
  ];
  it.each(cases)('does not run: %s', async (_, change) => {
    const skill = world.skill({ 'scripts/a.sh': HELLO, 'data.txt': 'data' });
    change(skill.directory);
    const run = runScript({ skill, script: 'scripts/a.sh', sandbox: 'bubblewrap' }, world.runtime);
    await expect(run).rejects.toMatchObject({ code: 'FILE_CHANGED' });
  });

  it('is run from a copy of the pinned files alone, without compiled code', async () => {
    const skill = world.skill({
      'SKILL.md': '# x',
      'scripts/list.sh': 'cd /skill && find . -type f | sort; sleep 1; cat data/later.txt',
      'scripts/__pycache__/helper.pyc': 'compiled',
      'data/later.txt': 'as pinned',
    });
    writeFileSync(path.join(skill.directory, 'scripts/added.sh'), 'echo added');
    const running = runScript({ skill, script: 'scripts/list.sh', sandbox: 'bubblewrap' }, world.runtime);
    setTimeout(() => writeFileSync(path.join(skill.directory, 'data/later.txt'), 'swapped'), 700);
    expect(linesOf(await running)).toEqual([
      './SKILL.md',
      './data/later.txt',
      './scripts/list.sh',
      'as pinned',
    ]);
  });
});

describe('values out of range', () => {
  const cases: readonly [string, Partial<RunRequest>, string][] = [
    ['an argument of 10 MB', { args: ['x'.repeat(10_000_000)] }, 'RUN_LIMIT'],
    ['a thousand arguments', { args: Array.from({ length: 1_000 }, () => 'x') }, 'RUN_LIMIT'],
    ['many long arguments', { args: Array.from({ length: 20 }, () => 'x'.repeat(60_000)) }, 'RUN_LIMIT'],
    ['an argument with NUL', { args: ['a\0b'] }, 'RUN_LIMIT'],
    ['20 MB of input', { stdin: Buffer.alloc(20_000_000) }, 'RUN_LIMIT'],
    ['no time', { limits: { timeMs: 0 } }, 'RUN_LIMIT'],
    ['endless time', { limits: { timeMs: Number.POSITIVE_INFINITY } }, 'RUN_LIMIT'],
    ['half a process', { limits: { processesMax: 16.5 } }, 'RUN_LIMIT'],
    ['a grant that brings code', { env: { LD_PRELOAD: '/work/x.so' } }, 'SCRIPT_INVALID'],
    ['a grant that steers an interpreter', { env: { NODE_OPTIONS: '--require=/work/x' } }, 'SCRIPT_INVALID'],
    ['a grant with a broken name', { env: { 'A=B': 'x' } }, 'SCRIPT_INVALID'],
    ['a grant with NUL', { env: { A: 'x\0--bind' } }, 'SCRIPT_INVALID'],
  ];
  it.each(cases)('%s', async (_, more, code) => {
    await expect(world.run('a.sh', HELLO, more)).rejects.toMatchObject({ code });
  });
});

describe('values that look like options or code', () => {
  it('arrive as they are', async () => {
    const args = ['--help', '-c', '$(touch ran)', '`id`', 'a\nb', '; rm -rf /', "'", '*', '', '--'];
    for (const [name, content] of [
      ['a.py', 'import json, sys; print(json.dumps(sys.argv[1:]))'],
      ['a.js', 'console.log(JSON.stringify(process.argv.slice(2)))'],
      ['a.pl', 'print join("|", @ARGV), "\\n"'],
    ] as const) {
      const [line = '', ...rest] = linesOf(await world.run(name, content, { args }));
      if (name === 'a.pl') expect([line, ...rest].join('\n')).toBe(args.join('|'));
      else expect(JSON.parse(line)).toEqual(args);
    }
    const shell = await world.run('a.sh', 'printf "%s|" "$@"', { args });
    expect(shell.stdout.bytes.toString()).toBe(args.map((argument) => `${argument}|`).join(''));
    expect(shell.files).toEqual([]);
  });
});

describe('interpreters', () => {
  it.each([
    ['a.py', 'import sys\nprint(sys.flags.isolated, sys.dont_write_bytecode)', '1 True'],
    ['a.mjs', 'console.log(typeof import.meta.url)', 'string'],
    ['a.cjs', 'console.log(typeof require)', 'function'],
    ['a.bash', 'echo $((1 + 1)) $BASH', '2 /usr/bin/bash'],
    ['a.sh', '#!/usr/bin/env bash\n[[ a == a ]] && echo bash', 'bash'],
    ['strict.sh', '#!/bin/sh -e\nfalse\necho not reached', ''],
    ['a.pl', 'print "perl\n"', 'perl'],
    ['tool', '#!/usr/bin/env python3\nprint("by its first line")', 'by its first line'],
    ['windows.py', '#!/usr/bin/env python3\r\nprint("python does not mind")\r\n', 'python does not mind'],
  ])('%s runs', async (name, content, expected) => {
    const result = await world.run(name, content);
    expect([linesOf(result).join('\n'), result.stderr.bytes.toString()]).toEqual([expected, '']);
  });
});
