import { appendFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';
import { pinFiles } from '../../../../src/domains/integrity/install/bundle.ts';
import { mergeTrees } from '../../../../src/domains/integrity/install/merge.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';
import { commitFiles, git, gitRepository, installWorld, SKILL, snapshot, writeFiles } from './world.ts';

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';

async function installed() {
  const world = await installWorld();
  const repository = gitRepository({
    'pdf/SKILL.md': SKILL('pdf', LINES),
    'pdf/a.txt': LINES,
    'pdf/b.txt': 'b\n',
    'notes/SKILL.md': SKILL('notes'),
  });
  await world.install.add({ source: repository, ref: 'main', skills: ['*'], yes: true });
  const file = (name: string): string => path.join(world.root, name);
  return { ...world, repository, file };
}

describe('an update', () => {
  test('shows what changes, moves the pins and leaves the rest alone', async () => {
    const { install, repository, file, workspace } = await installed();
    const from = git(repository, 'rev-parse', 'HEAD');
    rmSync(path.join(repository, 'pdf/b.txt'));
    const to = commitFiles(repository, {
      'pdf/a.txt': LINES.replace('two', 'TWO'),
      'pdf/scripts/new.sh': 'new\n',
    });
    const before = snapshot(workspace);
    const preview = await install.update({ dryRun: true, yes: true });
    expect(snapshot(workspace)).toEqual(before);
    const report = await install.update({ yes: true });
    expect(report).toEqual({ ...preview, dry_run: false });
    const [notes, pdf] = report.skills;
    expect(notes).toMatchObject({ name: 'notes', state: 'current', changes: [] });
    expect(pdf).toMatchObject({
      name: 'pdf',
      state: 'updated',
      commit: { from, to },
      kept: [],
      conflicts: [],
    });
    expect(pdf?.changes.map(({ path: name, change }) => `${change} ${name}`)).toEqual([
      'changed a.txt',
      'removed b.txt',
      'added scripts/new.sh',
    ]);
    expect(pdf?.changes[0]?.diff).toContain('-two\n+TWO\n');
    expect(readFileSync(file('pdf/a.txt'), 'utf8')).toContain('TWO');
    expect(await install.verify()).toMatchObject({ ok: true });
    expect(await install.outdated({ yes: true })).toMatchObject([{ state: 'current' }, { state: 'current' }]);
  });

  test('keeps edits: other files, other lines, files of one’s own, files taken away', async () => {
    const { install, repository, file } = await installed();
    commitFiles(repository, {
      'pdf/a.txt': LINES.replace('two', 'TWO'),
      'pdf/SKILL.md': SKILL('pdf', `${LINES}new\n`),
    });
    writeFileSync(file('pdf/a.txt'), LINES.replace('six', 'SIX'));
    writeFileSync(file('pdf/mine.txt'), 'mine\n');
    rmSync(file('pdf/b.txt'));
    const { skills } = await install.update({ names: ['pdf'], yes: true });
    expect(skills).toMatchObject([{ state: 'updated', kept: ['a.txt', 'b.txt', 'mine.txt'] }]);
    expect(readFileSync(file('pdf/a.txt'), 'utf8')).toBe(LINES.replace('two', 'TWO').replace('six', 'SIX'));
    expect(readFileSync(file('pdf/mine.txt'), 'utf8')).toBe('mine\n');
    expect(readFileSync(file('pdf/SKILL.md'), 'utf8')).toContain('new\n');
    const { skills: verified } = await install.verify();
    expect(
      verified
        .find(({ name }) => name === 'pdf')
        ?.differences.map(({ path: name, change }) => `${change} ${name}`),
    ).toEqual(['changed a.txt', 'missing b.txt', 'added mine.txt']);
  });

  test.each([
    [
      'the same lines',
      'a.txt',
      (file: string) => writeFileSync(file, LINES.replace('two', 'mine')),
      /same lines/,
    ],
    [
      'a file that the source removed',
      'b.txt',
      (file: string) => appendFileSync(file, 'x'),
      /the source removed it/,
    ],
    ['a file that was removed here', 'a.txt', (file: string) => rmSync(file), /you removed it/],
    ['bytes that are no text', 'bin', (file: string) => writeFileSync(file, 'x\0y'), /both added it/],
    ['a link', 'link', (file: string) => symlinkSync('/etc/passwd', file), /link or a special file/],
  ])('stops at %s, names it, and changes nothing of that skill', async (_, name, edit, why) => {
    const { install, repository, file, workspace } = await installed();
    rmSync(path.join(repository, 'pdf/b.txt'));
    commitFiles(repository, {
      'pdf/a.txt': LINES.replace('two', 'TWO'),
      'pdf/bin': 'a\0b',
      'notes/SKILL.md': SKILL('notes', 'new\n'),
    });
    edit(file(`pdf/${name}`));
    const pdf = (tree: Readonly<Record<string, string>>) =>
      Object.entries(tree).filter(([key]) => key.includes('/pdf/'));
    const before = pdf(snapshot(path.join(workspace, '.agents')));
    const { skills } = await install.update({ yes: true });
    expect(skills).toMatchObject([
      { name: 'notes', state: 'updated' },
      { name: 'pdf', state: 'conflict', conflicts: [{ path: name, why: expect.stringMatching(why) }] },
    ]);
    expect(pdf(snapshot(path.join(workspace, '.agents')))).toEqual(before);
  });

  test('a merge that breaks SKILL.md is a conflict', async () => {
    const { install, repository, file } = await installed();
    commitFiles(repository, { 'pdf/SKILL.md': SKILL('pdf', `${LINES}new\n`) });
    const text = readFileSync(file('pdf/SKILL.md'), 'utf8');
    writeFileSync(file('pdf/SKILL.md'), text.replace('name: pdf', 'name: other'));
    const { skills } = await install.update({ names: ['pdf'], yes: true });
    expect(skills).toMatchObject([{ state: 'conflict', conflicts: [{ path: 'SKILL.md' }] }]);
  });

  test('fetches what was installed again when the copy of it is gone', async () => {
    const { install, repository, file, workspace } = await installed();
    commitFiles(repository, { 'pdf/a.txt': LINES.replace('two', 'TWO') });
    writeFileSync(file('pdf/a.txt'), LINES.replace('six', 'SIX'));
    rmSync(path.join(workspace, '.colibri'), { recursive: true });
    const { skills } = await install.update({ names: ['pdf'], yes: true });
    expect(skills).toMatchObject([{ state: 'updated', kept: ['a.txt'] }]);
    expect(readFileSync(file('pdf/a.txt'), 'utf8')).toBe(LINES.replace('two', 'TWO').replace('six', 'SIX'));
  });

  test('of a folder without its copy is a conflict, not a guess', async () => {
    const { install, root, workspace } = await installWorld();
    const folder = writeFiles(temporaryDirectory(), { 'x/SKILL.md': SKILL('x', LINES) });
    await install.add({ source: folder, yes: true });
    writeFiles(folder, { 'x/SKILL.md': SKILL('x', LINES.replace('two', 'TWO')) });
    writeFileSync(path.join(root, 'x/SKILL.md'), SKILL('x', LINES.replace('six', 'SIX')));
    rmSync(path.join(workspace, '.colibri'), { recursive: true });
    const { skills } = await install.update({ yes: true });
    expect(skills).toMatchObject([
      { state: 'conflict', conflicts: [{ why: expect.stringContaining('not kept here') }] },
    ]);
  });

  test('says when the source is gone, has no such skill any more, or has one that is refused', async () => {
    const { install, repository } = await installed();
    rmSync(path.join(repository, 'notes'), { recursive: true });
    commitFiles(repository, { 'pdf/SKILL.md': '---\nname: pdf\n---\n' });
    expect((await install.update({ yes: true })).skills).toMatchObject([
      { name: 'notes', state: 'gone' },
      { name: 'pdf', state: 'failed', reason: expect.stringContaining('description') },
    ]);
    rmSync(repository, { recursive: true });
    expect(await install.outdated({ yes: true })).toMatchObject([{ state: 'failed' }, { state: 'failed' }]);
    await expect(install.update({ names: ['pfd'], yes: true })).rejects.toThrow(/did you mean pdf\?/);
  });

  test('follows another branch from then on', async () => {
    const { install, repository, lockFile } = await installed();
    git(repository, 'checkout', '--quiet', '-b', 'next');
    commitFiles(repository, { 'pdf/b.txt': 'next\n' });
    await install.update({ names: ['pdf'], ref: 'next', yes: true });
    expect(JSON.parse(readFileSync(lockFile, 'utf8')).skills.pdf.ref).toBe('next');
    expect(await install.outdated({ yes: true })).toMatchObject([{ state: 'current' }, { state: 'current' }]);
  });
});

describe('a merge', () => {
  const file = (name: string, text: string, executable = false) => ({
    path: name,
    bytes: Buffer.from(text),
    executable,
  });

  test('takes a mode from the side that changed it, and the text from the other', () => {
    const base = [file('run', LINES)];
    const merged = mergeTrees({
      base: pinFiles(base),
      baseContent: () => Buffer.from(LINES),
      mine: [file('run', LINES, true)],
      theirs: [file('run', `${LINES}more\n`)],
    });
    expect(merged).toEqual({ files: [file('run', `${LINES}more\n`, true)], conflicts: [], kept: ['run'] });
  });

  test('never turns bytes into other bytes', () => {
    const latin = (text: string) => ({ path: 'x', bytes: Buffer.from(text, 'latin1'), executable: false });
    const [base, mine, theirs] = [latin('é\n1\n2\n3\n'), latin('É\n1\n2\n3\n'), latin('é\n1\n2\nX\n')];
    const merged = mergeTrees({
      base: pinFiles([base]),
      baseContent: () => base.bytes,
      mine: [mine],
      theirs: [theirs],
    });
    expect(merged.conflicts).toHaveLength(1);
  });
});
