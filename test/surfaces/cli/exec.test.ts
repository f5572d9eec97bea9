/** `colibri exec`, and questions of the policy on a terminal. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';

import { describe, expect, test } from 'vitest';

import { confirm } from '../../../src/surfaces/cli/confirm.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, type RunOptions, skillText, workspaceWith } from './harness.ts';

const SCRIPT = 'echo "hello $1"; echo made > out.txt; [ -z "$2" ] || exit "$2"\n';

function withScript(): string {
  const cwd = workspaceWith({ tools: skillText({ name: 'tools', description: 'Tools.' }) });
  const folder = path.join(cwd, '.agents/skills/tools/scripts');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'hi.sh'), SCRIPT);
  return cwd;
}

const TRUSTED: RunOptions = { env: { COLIBRI_TRUST_WORKSPACE: '1' } };

describe('colibri exec', () => {
  test('asks at the terminal; a yes runs the script, and its files land in --out', async () => {
    const cwd = withScript();
    const questions: string[] = [];
    const ask = async (question: string) => questions.push(question) > 0;
    const ran = await colibri(['exec', 'tools', 'scripts/hi.sh', 'you', '--out', path.join(cwd, 'kept')], {
      ...TRUSTED,
      cwd,
      ask,
    });
    expect(ran).toMatchObject({ code: 0, stdout: 'hello you\n' });
    expect(questions).toEqual([expect.stringContaining('may the skill tools run scripts/hi.sh "you"?')]);
    expect(readFileSync(path.join(cwd, 'kept/out.txt'), 'utf8')).toBe('made\n');
    const again = await colibri(['exec', 'tools', 'scripts/hi.sh', '--out', path.join(cwd, 'kept')], {
      ...TRUSTED,
      cwd,
      ask,
    });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already') });
  });

  test('does not write to where a link of the workspace leads', async () => {
    const cwd = withScript();
    const victim = temporaryDirectory();
    symlinkSync(victim, path.join(cwd, 'kept'));
    const ran = await colibri(['exec', 'tools', 'scripts/hi.sh', 'you', '--out', 'kept/deeper'], {
      ...TRUSTED,
      cwd,
      ask: async () => true,
    });
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('LINK_OUTSIDE') });
    expect(readdirSync(victim)).toEqual([]);
  });

  test('a no refuses, and so does a run that nobody can be asked about', async () => {
    const cwd = withScript();
    const no = await colibri(['exec', 'tools', 'scripts/hi.sh'], { ...TRUSTED, cwd, ask: async () => false });
    expect(no).toMatchObject({ code: 3, stderr: expect.stringContaining('a person refused') });
    const nobody = await colibri(['exec', 'tools', 'scripts/hi.sh'], { ...TRUSTED, cwd });
    expect(nobody).toMatchObject({ code: 3, stderr: expect.stringContaining('nobody can be asked') });
  });

  test("a script's own failure is 1, and the run can be replayed", async () => {
    const cwd = withScript();
    const policy = 'use: mine\nprofiles:\n  mine:\n    rules:\n      - { effect: allow, tool: skill_run }\n';
    writeFileSync(path.join(cwd, 'colibri.policy.yaml'), policy);
    const ran = await colibri(['exec', 'tools', 'scripts/hi.sh', '--json', '--', 'you', '4'], {
      ...TRUSTED,
      cwd,
    });
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({ exit_code: 4, files: [{ path: 'out.txt' }] });
    for (const how of [[], ['--live']])
      expect(await colibri(['replay', 'last', ...how], { ...TRUSTED, cwd })).toMatchObject({ code: 0 });
  });
});

describe('a question on the terminal', () => {
  test.each([
    ['y\n', true],
    ['  YES \n', true],
    ['\n', false],
    ['yep\n', false],
    ['n\ny\n', false],
    ['', false],
  ])('answered with %j is %s', async (typed, meant) => {
    const input = new PassThrough();
    const output = new PassThrough();
    input.end(typed);
    expect(await confirm(input, output, 'may it \u001b[31mrun\u202e?')).toBe(meant);
    const shown = String(output.read());
    for (const hidden of ['\u001b', '\u202e']) expect(shown).not.toContain(hidden);
  });
});

describe('the other words for it', () => {
  test('trust --list is trust without names; policy explain --tool is the first word', async () => {
    const cwd = withScript();
    const [bare, listed] = [await colibri(['trust'], { cwd }), await colibri(['trust', '--list'], { cwd })];
    expect(listed).toEqual(bare);
    expect(await colibri(['trust', '--list', 'tools'], { cwd })).toMatchObject({ code: 2 });
    const words = await colibri(['policy', 'explain', 'Bash(ls)', '--skill', 'tools'], { cwd });
    expect(await colibri(['policy', 'explain', '--skill', 'tools', '--tool', 'Bash(ls)'], { cwd })).toEqual(
      words,
    );
    expect(await colibri(['policy', 'explain'], { cwd })).toMatchObject({ code: 2 });
  });
});
