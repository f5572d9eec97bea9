import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { COMMANDS } from '../../../src/surfaces/cli/commands.ts';
import { GLOBAL_OPTIONS } from '../../../src/surfaces/cli/common-options.ts';
import { completionScript, type Shell } from '../../../src/surfaces/cli/completion.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const VOCABULARY = { commands: COMMANDS, globals: GLOBAL_OPTIONS };
const isInstalled = (shell: string) => spawnSync(shell, ['--version']).status === 0;

function scriptFile(shell: Shell): string {
  const file = path.join(temporaryDirectory(), `colibri.${shell}`);
  writeFileSync(file, `${completionScript(shell, VOCABULARY)}\n`);
  return file;
}

/** Quotes and brackets that are opened and never closed. The `)` of a `case` pattern opens nothing, so `(` only is counted. */
function unpaired(script: string): string[] {
  const open: string[] = [];
  const closes: Readonly<Record<string, string>> = { ')': '(', '}': '{', ']': '[' };
  let quote = '';
  for (let index = 0; index < script.length; index++) {
    const character = script[index] ?? '';
    if (character === '\\' && quote !== "'") index++;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '#' && /\s|^$/.test(script[index - 1] ?? '')) {
      index = Math.max(index, script.indexOf('\n', index) - 1);
    } else if (character === "'" || character === '"') quote = character;
    else if ('({['.includes(character)) open.push(character);
    else if (closes[character] !== undefined && open.at(-1) === closes[character]) open.pop();
  }
  return quote === '' ? open : [...open, quote];
}

test('the text check sees a quote and a bracket that stay open', () => {
  expect(unpaired("complete -d 'it''s'")).toEqual([]);
  expect(unpaired("complete -d 'it's'")).toEqual(["'"]);
  expect(unpaired('f() { case x in a) b ;; esac }')).toEqual([]);
  expect(unpaired('f() { names=(a b ')).toEqual(['{', '(']);
});

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
  test('every flag and every word of a command is in the script', () => {
    const script = completionScript(shell, VOCABULARY);
    for (const { name, options } of COMMANDS) {
      for (const word of name.split(' ')) expect(script).toMatch(new RegExp(`\\b${word}\\b`));
      for (const { flag } of options) expect(script).toMatch(new RegExp(`\\b${flag.slice(2)}\\b`));
    }
  });

  test('the shell can parse the script; without the shell, its quotes and brackets pair up', () => {
    const script = completionScript(shell, VOCABULARY);
    expect(unpaired(script)).toEqual([]);
    const apostrophe = { flag: '--whose', value: 'text', description: "the user's own" };
    const globals = [...GLOBAL_OPTIONS, apostrophe];
    expect(unpaired(completionScript(shell, { commands: COMMANDS, globals }))).toEqual([]);
    if (!isInstalled(shell)) {
      process.stderr.write(`note: ${shell} is not installed, so its script was checked as text only\n`);
      return;
    }
    const checked = spawnSync(shell, ['-n', scriptFile(shell)], { encoding: 'utf8' });
    expect(checked).toMatchObject({ status: 0, stderr: '' });
  });
});

/** What bash offers after Tab at the end of the line. */
function bashOffers(line: string, setup = ''): string[] {
  const words = line.split(' ');
  const script = `source "$1"; ${setup}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
    _colibri; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', scriptFile('bash')], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

describe('bash offers', () => {
  test.each([
    ['colibri l', ['list', 'load']],
    ['colibri session ', ['list', 'show', 'close']],
    ['colibri events ver', ['verify']],
    ['colibri events --f', ['--follow', '--format']],
    ['colibri events verify --f', []],
    ['colibri events --format ', ['markdown', 'xml', 'table', 'json', 'frames']],
    ['colibri catalog --tier T', ['T0', 'T1', 'T2', 'T3', 'T4']],
    ['colibri replay x --l', ['--live']],
    ['colibri d', ['doctor', 'disable', 'drift', 'db']],
    ['colibri config ', ['show']],
    ['colibri doctor --s', ['--summary', '--sarif']],
    ['colibri show x --a', ['--all']],
    ['colibri db ', ['recover']],
    ['colibri db recover --f', ['--force']],
    ['colibri list --s', ['--search', '--skills-root']],
    ['colibri --db x.db val', ['validate']],
    ['colibri validate --profile ', ['strict', 'lenient', 'publish']],
    ['colibri completion ', ['bash', 'zsh', 'fish']],
    ['colibri help val', ['validate']],
  ])('%j: %j', (line, offers) => {
    const offered = bashOffers(line);
    expect(offered.filter((word) => !GLOBAL_OPTIONS.some(({ flag }) => flag === word))).toEqual(offers);
  });

  test('the ids of sessions, as an argument and as a value', () => {
    const setup = `colibri() { printf '01AB\\t-\\n$(rm x)\\t-\\n01AC\\t-\\n'; }`;
    expect(bashOffers('colibri replay 01', setup)).toEqual(['01AB', '01AC']);
    expect(bashOffers('colibri session show 01AC', setup)).toEqual(['01AC']);
    expect(bashOffers('colibri events --session 01', setup)).toEqual(['01AB', '01AC']);
  });

  test('the names of skills, but none that the shell would run', () => {
    const canary = path.join(temporaryDirectory(), 'canary');
    const names = `'pdf-tools\\t-\\n$(touch ${canary})\\t-\\npdf-forms\\t-\\n'`;
    expect(bashOffers('colibri show pdf', `colibri() { printf ${names}; }`)).toEqual([
      'pdf-tools',
      'pdf-forms',
    ]);
    expect(spawnSync('test', ['-e', canary]).status).toBe(1);
  });
});
