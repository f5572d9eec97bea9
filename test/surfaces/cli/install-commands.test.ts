import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { commitFiles, gitRepository, SKILL, writeFiles } from '../../domains/integrity/install/world.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, type RunOptions } from './harness.ts';

const FILES = {
  'pdf/SKILL.md': SKILL('pdf'),
  'pdf/scripts/run.sh': '#!/bin/sh\n',
  'notes/SKILL.md': SKILL('notes'),
};

function world() {
  const cwd = temporaryDirectory();
  const home = temporaryDirectory();
  const run = (line: readonly string[], more: RunOptions = {}) => colibri(line, { cwd, home, ...more });
  return { cwd, run, repository: gitRepository(FILES) };
}

describe('add', () => {
  test('says what was installed, from where, and what to do next', async () => {
    const { run, repository, cwd } = world();
    const added = await run(['add', `file://${repository}`, '--skill', 'pdf,notes', '--yes']);
    expect(added).toMatchObject({ code: 0 });
    expect(added.stdout.split('\n').map((line) => line.split('\t').slice(0, 3).join(' '))).toEqual([
      'installed pdf 2',
      'installed notes 1',
      '',
    ]);
    expect(added.stderr).toBe('installed 2 skills; look at them, then run `colibri trust pdf notes`\n');
    const shown = await run(['add', `file://${repository}`, '--skill', 'pdf', '--yes'], {
      terminal: 70,
      env: { NO_COLOR: '1' },
    });
    expect(shown.stdout).toMatch(/^STATE +NAME +FILES +FROM\nunchanged +pdf +2 +file:/);
    // The same repository, written in another way.
    const json = await run(['add', repository, '--ref', 'main', '--skill', 'pdf', '--yes', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      dry_run: false,
      skills: [{ name: 'pdf', state: 'unchanged' }],
    });
    expect(JSON.parse(readFileSync(path.join(cwd, 'colibri.lock.json'), 'utf8')).version).toBe(1);
  });

  test('asks the person at the terminal, and takes no for an answer', async () => {
    const { run, repository } = world();
    const line = ['add', repository, '--ref', 'main', '--skill', 'pdf'];
    expect(await run(line)).toMatchObject({ code: 3, stderr: expect.stringContaining('SOURCE_REFUSED') });
    const questions: string[] = [];
    const answering = (answer: boolean) => async (question: string) => {
      questions.push(question);
      return answer;
    };
    expect(await run(line, { ask: answering(false) })).toMatchObject({ code: 3 });
    expect(await run(line, { ask: answering(true) })).toMatchObject({ code: 0 });
    expect(questions).toEqual(Array(2).fill(`install from file://${repository}?`));
  });

  test.each([
    [['add'], 2, 'name a source'],
    [['add', 'nonsense'], 3, 'cannot be a source'],
    [['publish'], 2, '--out'],
    [['remove', 'nobody'], 3, 'was not installed by colibri'],
    [['list', '--outdated', '--search', 'x'], 2, 'do not go together'],
  ])('%j is told how it is meant', async (line, code, says) => {
    expect(await world().run(line)).toMatchObject({ code, stderr: expect.stringContaining(says) });
  });

  test('what a source calls itself cannot steer the terminal', async () => {
    const { run } = world();
    const folder = writeFiles(temporaryDirectory(), {
      'a\u001b[31m/SKILL.md': SKILL('a').replace('name: a', 'name: "a\\e[31m"'),
      'b/SKILL.md': SKILL('b'),
    });
    const { stderr, stdout } = await run(['add', folder, '--yes']);
    expect(stderr + stdout).not.toContain('\u001b');
  });
});

describe('the way of an installed skill', () => {
  test('verify, list --outdated, update, frozen, remove: each with its exit code', async () => {
    const { run, repository, cwd } = world();
    await run(['add', `file://${repository}`, '--skill', '*', '--yes']);
    expect(await run(['verify'])).toMatchObject({ code: 0, stderr: '2 skills as the lock says\n' });
    expect(await run(['list', '--outdated', '--yes'])).toMatchObject({ code: 0, stdout: '' });

    commitFiles(repository, { 'pdf/SKILL.md': SKILL('pdf', '# Pdf\n\nNew.\n') });
    const outdated = await run(['list', '--outdated', '--yes']);
    expect(outdated).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^outdated\tpdf\t\w{12}\t\w{12}\tfile:/),
    });
    const preview = await run(['update', '--dry-run', '--yes']);
    expect(preview).toMatchObject({ code: 0, stderr: 'would update 1 skill, 1 up to date\n' });
    expect(preview.stdout).toContain('-# pdf\n+# Pdf\n+\n+New.\n');
    expect(await run(['update', 'pdf', '--yes', '--json'])).toMatchObject({ code: 0 });

    const file = path.join(cwd, '.agents/skills/pdf/SKILL.md');
    appendFileSync(file, 'edit\n');
    expect(await run(['verify'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^ok\tnotes.*\nchanged\tpdf\tSKILL\.md\t\w{64}\t\w{64}\n$/),
    });
    expect(await run(['add', '--frozen', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('LOCK_MISMATCH'),
    });
    expect(await run(['remove', 'pdf'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('SKILL_CHANGED'),
    });

    commitFiles(repository, { 'pdf/SKILL.md': SKILL('pdf', '# Pdf\n\nNew.\nOther.\n') });
    const stuck = await run(['update', '--yes']);
    expect(stuck).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('SKILL.md: you and the source changed the same lines'),
      stderr: expect.stringContaining('undo your edit, then update again'),
    });
    expect(stuck.stdout).toContain('-edit\n+Other.\n');
    expect(readFileSync(file, 'utf8')).toContain('edit\n');

    expect(await run(['remove', 'pdf', '--force'])).toMatchObject({ code: 0, stdout: 'pdf\n' });
    rmSync(path.join(cwd, '.agents'), { recursive: true });
    expect(await run(['verify', '--json'])).toMatchObject({ code: 1 });
    expect(await run(['add', '--frozen', '--yes'])).toMatchObject({ code: 0 });
    expect(await run(['verify', '--json'])).toMatchObject({ code: 0 });
  });
});

describe('publish', () => {
  test('says what was published and what was left out', async () => {
    const { run, cwd } = world();
    writeFiles(path.join(cwd, '.agents/skills'), FILES);
    mkdirSync(path.join(cwd, '.agents/skills/pdf/assets'));
    writeFileSync(path.join(cwd, '.agents/skills/pdf/assets/x'), 'x');
    const { code, stdout, stderr } = await run(['publish', '--out', 'site']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'notes\npdf\n' });
    expect(stderr).toBe(`published 2 skills to ${path.join(cwd, 'site/.well-known/agent-skills')}\n`);
  });
});
