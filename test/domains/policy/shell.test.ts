/** Patterns against real shells: what an allow lets through runs one command, and what a shell runs a deny has seen. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { matchTool } from '../../../src/domains/policy/patterns.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { pattern } from './policies.ts';

const SHELLS = ['/bin/bash', '/bin/sh'].filter((shell) => existsSync(shell));
const GIT = pattern('Bash(git:*)');
const RM = pattern('Bash(rm:*)');

interface Ran {
  /** The programs that were started, in order. */
  readonly programs: readonly string[];
  /** Files that appeared. */
  readonly files: readonly string[];
}

/** Runs lines where only `git`, `rm` and `gitk` exist, and these only tell that they were started. */
function shellWorld(): (line: string) => Ran {
  const base = temporaryDirectory();
  const [bin, work, log] = [path.join(base, 'bin'), path.join(base, 'work'), path.join(base, 'log')];
  mkdirSync(bin);
  for (const name of ['git', 'rm', 'gitk']) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\necho ${name} >> ${log}\n`);
    chmodSync(path.join(bin, name), 0o755);
  }
  const runIn = (shell: string, line: string): Ran => {
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work);
    writeFileSync(log, '');
    spawnSync(shell, ['-c', line], { cwd: work, env: { PATH: bin }, timeout: 5_000 });
    return { programs: readFileSync(log, 'utf8').split('\n').slice(0, -1), files: readdirSync(work) };
  };
  return (line) => {
    const runs = SHELLS.map((shell) => runIn(shell, line));
    return { programs: runs.flatMap(({ programs }) => programs), files: runs.flatMap(({ files }) => files) };
  };
}

const SPICE = fc.constantFrom(
  ...[
    ' ',
    '\t',
    '\n',
    ';',
    '&',
    '|',
    '<',
    '>',
    '(',
    ')',
    '`',
    '$',
    '$(',
    '"',
    "'",
    '\\',
    '{',
    '}',
    '#',
    '!',
    '*',
    '~',
    '=',
  ],
  ...['a', '-x', 'rm', ' rm ', ' gitk ', 'git'],
);
const TAIL = fc.array(SPICE, { maxLength: 7 }).map((parts) => parts.join(''));

describe('a prefix pattern before a real shell', () => {
  test('allows nothing that starts a second program or writes a file', () => {
    const run = shellWorld();
    let seen = 0;
    fc.assert(
      fc.property(TAIL, (tail) => {
        const argument = `git ${tail}`;
        if (matchTool(GIT, { tool: 'Bash', argument }) !== 'yes') return;
        seen++;
        const { programs, files } = run(argument);
        expect({ others: programs.filter((name) => name !== 'git'), files }).toEqual({
          others: [],
          files: [],
        });
        expect(programs.length).toBeLessThanOrEqual(SHELLS.length);
      }),
      { numRuns: 600 },
    );
    expect(seen).toBeGreaterThan(20);
  });

  test('denies or asks for whatever starts its program', () => {
    const run = shellWorld();
    let seen = 0;
    fc.assert(
      fc.property(fc.tuple(TAIL, fc.constantFrom('rm', '"rm"', "r'm'", 'r\\m', ' rm'), TAIL), (parts) => {
        const argument = parts.join('');
        if (matchTool(RM, { tool: 'Bash', argument }) !== 'no') return;
        seen++;
        expect(run(argument).programs).not.toContain('rm');
      }),
      { numRuns: 600 },
    );
    expect(seen).toBeGreaterThan(20);
  });
});
