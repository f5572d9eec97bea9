import { describe, expect, test } from 'vitest';

import { COMMANDS } from '../../../src/surfaces/cli/commands.ts';
import { GLOBAL_OPTIONS } from '../../../src/surfaces/cli/common-options.ts';
import { parseCommandLine } from '../../../src/surfaces/cli/options.ts';

const VOCABULARY = { commands: COMMANDS, globals: GLOBAL_OPTIONS };

function parse(line: string) {
  const { command, args, flags } = parseCommandLine(line.split(' ').filter(Boolean), VOCABULARY);
  return {
    command: command?.name ?? null,
    args,
    values: Object.fromEntries(flags.values),
    switches: [...flags.switches],
  };
}

describe('understood', () => {
  test.each([
    ['', { command: null, args: [], values: {}, switches: [] }],
    ['list', { command: 'list', args: [], values: {}, switches: [] }],
    [
      'list --search pdf --json',
      { command: 'list', args: [], values: { search: 'pdf' }, switches: ['json'] },
    ],
    ['--db x.db list -q', { command: 'list', args: [], values: { db: 'x.db' }, switches: ['quiet'] }],
    ['list --search=-x', { command: 'list', args: [], values: { search: '-x' }, switches: [] }],
    ['validate a b --publish', { command: 'validate', args: ['a', 'b'], values: {}, switches: ['publish'] }],
    ['validate -- --odd', { command: 'validate', args: ['--odd'], values: {}, switches: [] }],
    ['db recover --force', { command: 'db recover', args: [], values: {}, switches: ['force'] }],
    ['show -h', { command: 'show', args: [], values: {}, switches: ['help'] }],
    ['help db recover', { command: 'help', args: ['db', 'recover'], values: {}, switches: [] }],
    ['nonsense --version', { command: null, args: [], values: {}, switches: ['version'] }],
    ['list --search a --search b', { command: 'list', args: [], values: { search: 'b' }, switches: [] }],
  ])('%j', (line, expected) => {
    expect(parse(line)).toEqual(expected);
  });
});

describe('refused', () => {
  test.each([
    ['lst', 'no such command: `lst` (did you mean `list`?); `colibri help` lists them all'],
    ['frobnicate', 'no such command: `frobnicate`; `colibri help` lists them all'],
    ['db', '`db` needs a verb: `colibri db recover`'],
    ['db recovr', 'no such command: `db recovr` (did you mean `db recover`?); `colibri help` lists them all'],
    [
      'list --serch x',
      'no such option: `--serch` (did you mean `--search`?); `colibri help list` lists them all',
    ],
    ['list -x', 'no such option: `-x`; `colibri help list` lists them all'],
    ['list --__proto__', 'no such option: `--__proto__`; `colibri help list` lists them all'],
    ['list --publish', '--publish is an option of `validate`; `colibri help list` lists those that fit here'],
    ['list --db', '--db needs a value: --db=<file>'],
    ['list --db --json', '--db needs a value: --db=<file>'],
    ['list --db=', '--db needs a value: --db=<file>'],
    ['list --json=yes', '--json is a switch and takes no value'],
    ['list pdf', '`list` has no use for `pdf`; `colibri help list` shows how it is used'],
    ['show', '`show` needs <name>; `colibri help show` shows how it is used'],
    ['validate', '`validate` needs <path>; `colibri help validate` shows how it is used'],
    ['validate --profile easy x', '--profile cannot be `easy`; it is one of: strict, lenient, publish'],
    ['completion fsh', '<shell> cannot be `fsh` (did you mean `fish`?); it is one of: bash, zsh, fish'],
    ['\u001b[2Jlist', 'no such command: `\\u{1b}[2Jlist`; `colibri help` lists them all'],
  ])('%j', (line, message) => {
    expect(() => parse(line)).toThrow(expect.objectContaining({ code: 'USAGE', message }));
  });
});

test('a flag means the same in every command, because the words are read before the command is known', () => {
  const kinds = new Map<string, string>();
  for (const { flag, value } of [...GLOBAL_OPTIONS, ...COMMANDS.flatMap(({ options }) => options)]) {
    const kind = value === undefined ? 'switch' : 'value';
    expect(kinds.get(flag) ?? kind, flag).toBe(kind);
    kinds.set(flag, kind);
  }
});
