/** What counts as a skill directory, and under which path it is known. */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { getSkill, listSkills, loadSkillsFromDisk } from '../../../src/domains/skills/repository.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { namesOf, testIndex } from '../../support/skill-index.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const QUIET = (loaded: number) => [`[colibri] skills loaded: ${loaded}, skipped: 0, pruned: 0`];

describe('directories', () => {
  test('dot-directories and node_modules are not looked into', () => {
    const index = testIndex();
    for (const name of ['.git', '.hidden', 'node_modules', 'seen']) writeSkill(index.root, name);
    expect(index.load()).toEqual({ loaded: 1, skipped: 0, pruned: 0, total_on_disk: 1 });
    expect(index.lines).toEqual(QUIET(1));
  });

  test('only the first level is scanned', () => {
    const index = testIndex();
    writeSkill(index.root, 'outer');
    writeSkill(path.join(index.root, 'outer'), 'inner');
    writeSkill(path.join(index.root, 'group'), 'nested');
    index.load();
    expect(namesOf(listSkills(index.db))).toEqual(['outer']);
  });

  test('they are taken in the order of their names, so the same files give the same log', () => {
    const index = testIndex();
    for (const name of ['c', 'a', 'b', 'B', 'a-b']) {
      mkdirSync(path.join(index.root, name), { recursive: true });
      writeFileSync(path.join(index.root, name, 'SKILL.md'), 'bad');
    }
    index.load();
    const order = index.lines
      .slice(0, -1)
      .map((line) => path.basename(path.dirname(line.split(': ')[1] ?? '')));
    expect(order).toEqual(['B', 'a', 'a-b', 'b', 'c']);
  });

  test('a root that is itself a link is scanned, and its skills are known under the link', () => {
    const index = testIndex();
    const real = path.join(index.workspace, 'real');
    writeSkill(real, 'one');
    mkdirSync(path.dirname(index.root), { recursive: true });
    symlinkSync(real, index.root);
    expect(index.load()).toEqual({ loaded: 1, skipped: 0, pruned: 0, total_on_disk: 1 });
    expect(getSkill(index.db, 'one')?.source_path).toBe('.agents/skills/one/SKILL.md');
  });
});

describe('linked directories', () => {
  test('a link to a place inside the root counts as a directory of its own name', () => {
    const index = testIndex();
    writeSkill(path.join(index.root, '.store'), 'linked');
    symlinkSync('.store/linked', path.join(index.root, 'linked'));
    expect(index.load()).toEqual({ loaded: 1, skipped: 0, pruned: 0, total_on_disk: 1 });
    expect(getSkill(index.db, 'linked')?.source_path).toBe('.agents/skills/linked/SKILL.md');
    expect(index.lines).toEqual(QUIET(1));
  });

  test('a link to a listed sibling is an alias: neither a second skill nor an error', () => {
    const index = testIndex();
    writeSkill(index.root, 'real');
    symlinkSync('real', path.join(index.root, 'alias'));
    expect(index.load()).toEqual({ loaded: 1, skipped: 0, pruned: 0, total_on_disk: 1 });
    expect(namesOf(listSkills(index.db))).toEqual(['real']);
    expect(index.lines).toEqual(QUIET(1));
  });

  test.each([
    ['out of the root', '../../elsewhere/thing'],
    ['to the root itself', '.'],
    ['to a sibling of the root whose name begins with two dots', '../..elsewhere/thing'],
  ])('a link %s is refused and logged, the others load', (_, target) => {
    const index = testIndex();
    writeSkill(index.root, 'good');
    writeSkill(path.join(index.workspace, 'elsewhere'), 'thing');
    writeSkill(path.join(index.workspace, '.agents', '..elsewhere'), 'thing');
    const link = path.join(index.root, 'thing');
    symlinkSync(target, link);
    expect(index.load()).toEqual({ loaded: 1, skipped: 1, pruned: 0, total_on_disk: 2 });
    expect(index.lines).toEqual([
      `[colibri] skill skipped: ${link}: link leads out of the skills root; copy the skill here or configure its folder as a root`,
      '[colibri] skills loaded: 1, skipped: 1, pruned: 0',
    ]);
  });

  test('a folder inside the root whose name begins with two dots is inside', () => {
    const index = testIndex();
    writeSkill(path.join(index.root, '..store'), 'linked');
    symlinkSync('..store/linked', path.join(index.root, 'linked'));
    index.load();
    expect(namesOf(listSkills(index.db))).toEqual(['linked']);
  });

  test('a link to nothing and a link to itself are refused and logged', () => {
    const index = testIndex();
    writeSkill(index.root, 'good');
    symlinkSync('nowhere', path.join(index.root, 'dangling'));
    symlinkSync('loop', path.join(index.root, 'loop'));
    expect(index.load()).toEqual({ loaded: 1, skipped: 2, pruned: 0, total_on_disk: 3 });
    expect(index.lines).toEqual([
      `[colibri] skill skipped: ${path.join(index.root, 'dangling')}: link points to nothing; remove or repair it`,
      expect.stringMatching(/^\[colibri\] skill skipped: .*\/loop: link ELOOP: .*; remove or repair it$/),
      '[colibri] skills loaded: 1, skipped: 2, pruned: 0',
    ]);
  });

  test('a link to a file is no skill, wherever the file is', () => {
    const index = testIndex();
    writeSkill(index.root, 'good');
    writeFileSync(path.join(index.workspace, 'notes.md'), '');
    symlinkSync('../../notes.md', path.join(index.root, 'notes-outside'));
    symlinkSync('good/SKILL.md', path.join(index.root, 'notes-inside'));
    expect(index.load()).toEqual({ loaded: 1, skipped: 0, pruned: 0, total_on_disk: 1 });
    expect(index.lines).toEqual(QUIET(1));
  });

  test('SKILL.md may be a link inside the root, not out of it', () => {
    const index = testIndex();
    const inside = writeSkill(path.join(index.root, '.store'), 'inside');
    const outside = writeSkill(path.join(index.workspace, 'elsewhere'), 'outside');
    for (const [name, target] of [
      ['inside', inside],
      ['outside', outside],
    ] as const) {
      mkdirSync(path.join(index.root, name));
      symlinkSync(target, path.join(index.root, name, 'SKILL.md'));
    }
    expect(index.load()).toEqual({ loaded: 1, skipped: 1, pruned: 0, total_on_disk: 2 });
    expect(namesOf(listSkills(index.db))).toEqual(['inside']);
    expect(index.lines[0]).toBe(
      `[colibri] skill skipped: ${path.join(index.root, 'outside', 'SKILL.md')}: SKILL.md is a link to a place outside the skill roots; copy the file here`,
    );
  });
});

describe('source_path', () => {
  const home = process.env['HOME'];
  let fakeHome = '';

  beforeEach(() => {
    fakeHome = temporaryDirectory();
    process.env['HOME'] = fakeHome;
  });

  afterEach(() => {
    if (home === undefined) delete process.env['HOME'];
    else process.env['HOME'] = home;
  });

  test('is relative to the workspace, else begins with ~, else is absolute', () => {
    const index = testIndex();
    const elsewhere = temporaryDirectory();
    const pathFrom = (root: string) => {
      writeSkill(root, 'one');
      index.load(root);
      return getSkill(index.db, 'one')?.source_path;
    };
    expect([
      pathFrom(path.join(index.workspace, 'skills')),
      pathFrom(path.join(fakeHome, '.agents', 'skills')),
      pathFrom(path.join(elsewhere, 'skills')),
    ]).toEqual(['skills/one/SKILL.md', '~/.agents/skills/one/SKILL.md', `${elsewhere}/skills/one/SKILL.md`]);
  });

  test('without a workspace it is relative to the current directory, and so is a relative root', () => {
    const index = testIndex();
    const root = path.join(index.workspace, 'skills');
    writeSkill(root, 'one');
    const relative = path.relative(process.cwd(), root);
    const before = Date.now();
    loadSkillsFromDisk(index.db, relative, () => undefined);
    const row = getSkill(index.db, 'one');
    expect(row?.source_path).toBe(`${root}/one/SKILL.md`);
    expect(Date.parse(row?.loaded_at ?? '')).toBeGreaterThanOrEqual(before);
  });

  test('a renamed directory moves the row to the new name', () => {
    const index = testIndex();
    writeSkill(index.root, 'before');
    index.load();
    renameSync(path.join(index.root, 'before'), path.join(index.root, 'after'));
    writeSkill(index.root, 'after');
    expect(index.load()).toEqual({ loaded: 1, skipped: 0, pruned: 1, total_on_disk: 1 });
    expect(getSkill(index.db, 'before')).toBe(null);
    expect(getSkill(index.db, 'after')?.source_path).toBe('.agents/skills/after/SKILL.md');
  });
});
