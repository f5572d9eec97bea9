import { describe, expect, test } from 'vitest';

import { ColibriError } from '../../../src/lib/errors.ts';
import { COMMANDS } from '../../../src/surfaces/cli/commands.ts';
import { GLOBAL_OPTIONS } from '../../../src/surfaces/cli/common-options.ts';
import { colibri } from './harness.ts';

/** A composition root that fails to start. */
function failingWith(error: unknown) {
  const fail = () => Promise.reject(error);
  return () => Promise.resolve({ startup: fail, recover: fail, readSettings: fail });
}

describe('exit codes', () => {
  test.each([
    ['--version', 0],
    ['--help', 0],
    ['help', 0],
    ['help db recover', 0],
    ['', 2],
    ['lst', 2],
    ['help lst', 2],
    ['list --nonsense', 2],
  ])('%j exits with %i', async (line, code) => {
    expect((await colibri(line.split(' ').filter(Boolean))).code).toBe(code);
  });

  test('an expected failure exits with 3 and says its code', async () => {
    const boot = failingWith(new ColibriError('DB_CORRUPT', 'the file\u001b[2J is damaged'));
    expect(await colibri(['list'], { boot })).toEqual({
      code: 3,
      stdout: '',
      stderr: 'error: the file\\u{1b}[2J is damaged (DB_CORRUPT)\n',
    });
  });

  test('an unexpected failure says that it is a bug, and shows the stack only for debugging', async () => {
    const boot = failingWith(new TypeError('x is not a function'));
    const plain = await colibri(['list'], { boot });
    expect(plain.code).toBe(3);
    expect(plain.stderr).toMatch(/^error: x is not a function\nthis is a bug in colibri[^\n]*\n$/);
    const debug = await colibri(['list'], { boot, env: { COLIBRI_DEBUG: '1' } });
    expect(debug.stderr).toMatch(/\n {4}at /);
  });
});

test('the version goes to stdout', async () => {
  expect(await colibri(['--version'])).toEqual({ code: 0, stdout: '9.8.7\n', stderr: '' });
});

describe('help', () => {
  test('names every command and every global option', async () => {
    const { stdout } = await colibri(['help']);
    for (const { name, summary } of COMMANDS)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    for (const { flag } of GLOBAL_OPTIONS) expect(stdout).toContain(flag);
  });

  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    'of %s shows usage, options and examples, and is the same by both roads',
    async (name, command) => {
      const { stdout } = await colibri([...name.split(' '), '--help']);
      expect(stdout).toContain(`usage: ${command.usage}`);
      for (const { flag } of command.options) {
        expect(stdout).toContain(`  ${flag}`);
        expect(command.usage).toContain(flag);
      }
      for (const example of command.examples) expect(stdout).toContain(example);
      expect((await colibri(['help', ...name.split(' ')])).stdout).toBe(stdout);
    },
  );
});

test('an error is coloured on a terminal only', async () => {
  expect((await colibri(['lst'], { terminal: 80 })).stderr).toContain('\u001b[31merror:\u001b[0m ');
  expect((await colibri(['lst', '--no-color'], { terminal: 80 })).stderr).toMatch(/^error: /);
  expect((await colibri(['lst'])).stderr).toMatch(/^error: /);
});
