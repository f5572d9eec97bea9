/** A rescan reads what changed, and only that; without a change it leaves no trace. */
import { execFileSync } from 'node:child_process';
import fs, {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { listSkills, loadSkillsFromDisk } from '../../../../src/domains/skills/repository.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { LATER, type TestRegistry, testRegistry } from '../../../support/registry.ts';
import { skillText, writeSkill, writeSkillFile } from '../../../support/skill-files.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';

const folder = (registry: TestRegistry) => registry.roots.workspace.path;

function namesIn(registry: TestRegistry): readonly unknown[] {
  return registry.db.prepare('SELECT name FROM skills ORDER BY name').pluck().all();
}

function describes(registry: TestRegistry, name: string): unknown {
  return registry.db.prepare('SELECT description FROM skills WHERE name = ?').pluck().get(name);
}

function rejections(registry: TestRegistry): readonly unknown[] {
  return registry.db
    .prepare(
      `SELECT directory, json_extract(diagnostics, '$[0].code') AS code FROM skill_rejections ORDER BY directory`,
    )
    .all();
}

function totalChanges(registry: TestRegistry): unknown {
  return registry.db.prepare('SELECT total_changes()').pluck().get();
}

/** Every path that is opened from now on, until the test ends. */
function recordOpenedFiles(): string[] {
  const opened: string[] = [];
  const { openSync } = fs;
  fs.openSync = (file, ...rest) => {
    opened.push(String(file));
    return openSync(file, ...rest);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  });
  return opened;
}

describe('the first scan', () => {
  test('indexes what is there and says what it did', () => {
    const registry = testRegistry();
    writeSkill(folder(registry), 'one');
    writeSkill(folder(registry), 'two', { lines: ['capabilities: [x, y]'] });
    writeSkillFile(folder(registry), 'bad', 'no frontmatter');
    expect(registry.scan()).toEqual({ added: 2, changed: 0, removed: 0, shadowed: 0 });
    expect(namesIn(registry)).toEqual(['one', 'two']);
    expect(rejections(registry)).toEqual([{ directory: '.agents/skills/bad', code: 'frontmatter-missing' }]);
    expect(registry.content().skill_capabilities).toEqual([
      { capability: 'x', name: 'two' },
      { capability: 'y', name: 'two' },
    ]);
    expect(registry.events()).toEqual([
      {
        count: 2,
        roots: [
          { path: '.agents/skills', source: 'workspace', count: 2 },
          { path: '~/.agents/skills', source: 'global', count: 0 },
          { path: '.claude/skills', source: 'mirror', count: 0 },
        ],
        collisions: 0,
        added: 2,
        changed: 0,
        removed: 0,
      },
    ]);
    expect(registry.lines).toHaveLength(1);
  });

  test('of nothing is nothing, and makes no event', () => {
    const registry = testRegistry();
    expect(registry.scan()).toBeNull();
    expect(registry.events()).toEqual([]);
  });
});

describe('without a change', () => {
  test.each([
    ['long after the files were written', LATER],
    ['in the very moment after the files were written', systemClock],
  ])('nothing is written, %s', (_, clock) => {
    const directory = temporaryDirectory();
    const file = path.join(directory, 'colibri.db');
    const registry = testRegistry({ file, workspace: path.join(directory, 'work') });
    for (let number = 0; number < 50; number++) writeSkill(folder(registry), `skill-${number}`);
    writeSkillFile(folder(registry), 'bad', 'no frontmatter');
    writeSkill(path.join(folder(registry), '.store'), 'linked');
    symlinkSync('.store/linked', path.join(folder(registry), 'linked'));
    symlinkSync('skill-1', path.join(folder(registry), 'alias'));
    symlinkSync('nowhere', path.join(folder(registry), 'broken'));
    symlinkSync('/', path.join(folder(registry), 'outside'));
    mkdirSync(path.join(folder(registry), 'empty'));
    registry.scan(undefined, clock);
    const bytes = () => [file, `${file}-wal`].map((name) => readFileSync(name));
    const before = { changes: totalChanges(registry), bytes: bytes() };
    for (let time = 0; time < 2; time++) {
      expect(registry.scan(undefined, clock)).toBeNull();
      expect(registry.scan(undefined, LATER)).toBeNull();
      expect({ changes: totalChanges(registry), bytes: bytes() }).toEqual(before);
    }
  });

  test('of the bytes, a touched file is read once and then remembered', () => {
    const registry = testRegistry();
    const file = writeSkill(folder(registry), 'one');
    registry.scan();
    const content = registry.content();
    utimesSync(file, 1, 1);
    expect(registry.scan()).toBeNull();
    const changes = totalChanges(registry);
    expect(registry.scan()).toBeNull();
    expect(totalChanges(registry)).toBe(changes);
    expect(registry.content()).toEqual(content);
    expect(registry.events()).toHaveLength(1);
  });

  test('a folder without a skill may change as it likes', () => {
    const registry = testRegistry();
    mkdirSync(path.join(folder(registry), 'notes'), { recursive: true });
    registry.scan();
    writeFileSync(path.join(folder(registry), 'notes', 'a.txt'), '');
    expect(registry.scan()).toBeNull();
    const changes = totalChanges(registry);
    registry.scan();
    expect(totalChanges(registry)).toBe(changes);
  });
});

describe('one change among many', () => {
  test('only the changed file is opened', () => {
    const registry = testRegistry();
    for (let number = 0; number < 30; number++) writeSkill(folder(registry), `skill-${number}`);
    const opened = recordOpenedFiles();
    registry.scan();
    expect(opened.splice(0)).toHaveLength(30);
    registry.scan();
    expect(opened).toEqual([]);
    const file = writeSkill(folder(registry), 'skill-7', { description: 'Another text.' });
    opened.splice(0);
    registry.scan();
    expect(opened.splice(0)).toEqual([file]);
    registry.scan();
    expect(opened).toEqual([]);
  });

  test('an edit is one change', () => {
    const registry = testRegistry();
    for (const name of ['one', 'two']) writeSkill(folder(registry), name);
    registry.scan();
    writeSkill(folder(registry), 'two', { description: 'Another.' });
    expect(registry.scan()).toEqual({ added: 0, changed: 1, removed: 0, shadowed: 0 });
    expect(describes(registry, 'two')).toBe('Another.');
  });

  test('an edit that keeps size and modification time is seen by the change time', () => {
    const registry = testRegistry();
    const file = writeSkill(folder(registry), 'one', { description: 'First.' });
    registry.scan();
    const { atime, mtime, size } = statSync(file);
    writeSkill(folder(registry), 'one', { description: 'Other.' });
    utimesSync(file, atime, mtime);
    expect(statSync(file)).toMatchObject({ size, mtime });
    expect(registry.scan()).toEqual({ added: 0, changed: 1, removed: 0, shadowed: 0 });
    expect(describes(registry, 'one')).toBe('Other.');
  });

  test('edits in one instant are all seen, although the clock of the file system stands still', () => {
    const registry = testRegistry();
    for (let number = 0; number < 300; number++) {
      writeSkill(folder(registry), 'one', { description: `Text ${100 + number}.` });
      registry.scan(undefined, systemClock);
      expect(describes(registry, 'one')).toBe(`Text ${100 + number}.`);
    }
  });

  test('a file replaced by renaming another over it is seen', () => {
    const registry = testRegistry();
    const file = writeSkill(folder(registry), 'one');
    registry.scan();
    writeFileSync(`${file}~`, skillText('one', { description: 'By an editor.' }));
    renameSync(`${file}~`, file);
    registry.scan();
    expect(describes(registry, 'one')).toBe('By an editor.');
  });

  test('a directory swapped for another is seen', () => {
    const registry = testRegistry();
    writeSkill(folder(registry), 'one');
    writeSkill(registry.workspace, 'one', { description: 'From elsewhere.' });
    registry.scan();
    rmSync(path.join(folder(registry), 'one'), { recursive: true });
    renameSync(path.join(registry.workspace, 'one'), path.join(folder(registry), 'one'));
    registry.scan();
    expect(describes(registry, 'one')).toBe('From elsewhere.');
  });

  test('a renamed directory takes the skill out of the index until its name fits again', () => {
    const registry = testRegistry();
    writeSkill(folder(registry), 'one');
    registry.scan();
    renameSync(path.join(folder(registry), 'one'), path.join(folder(registry), 'uno'));
    expect(registry.scan()).toEqual({ added: 0, changed: 0, removed: 1, shadowed: 0 });
    expect(rejections(registry)).toEqual([{ directory: '.agents/skills/uno', code: 'name-directory' }]);
    writeSkill(folder(registry), 'uno');
    expect(registry.scan()).toEqual({ added: 1, changed: 0, removed: 0, shadowed: 0 });
    expect([namesIn(registry), rejections(registry)]).toEqual([['uno'], []]);
  });

  test('a deleted skill and a new one', () => {
    const registry = testRegistry();
    writeSkill(folder(registry), 'one');
    registry.scan();
    rmSync(path.join(folder(registry), 'one'), { recursive: true });
    writeSkill(folder(registry), 'two');
    expect(registry.scan()).toEqual({ added: 1, changed: 0, removed: 1, shadowed: 0 });
    expect(namesIn(registry)).toEqual(['two']);
  });

  test.each([
    ['a pipe', 'file-not-regular', (file: string) => execFileSync('mkfifo', [file])],
    ['a directory', 'file-not-regular', (file: string) => mkdirSync(file)],
    ['a link out of the root', 'link-outside', (file: string) => symlinkSync('/etc/passwd', file)],
    ['a link to itself', 'link-loop', (file: string) => symlinkSync('SKILL.md', file)],
    ['a link to nothing', 'link-broken', (file: string) => symlinkSync('nothing', file)],
  ])('SKILL.md replaced by %s is rejected as %s, and the others stay', (_, code, replace) => {
    const registry = testRegistry();
    const file = writeSkill(folder(registry), 'one');
    writeSkill(folder(registry), 'two');
    registry.scan();
    rmSync(file);
    replace(file);
    registry.scan();
    expect(namesIn(registry)).toEqual(['two']);
    expect(rejections(registry)).toEqual([{ directory: '.agents/skills/one', code }]);
    expect(JSON.stringify(registry.content())).not.toContain('root:');
    const changes = totalChanges(registry);
    expect(registry.scan()).toBeNull();
    expect(totalChanges(registry)).toBe(changes);
  });
});

describe('names', () => {
  test.each([1, 3])('a skill.md gets a hint, at depth %i and at every level', (depth) => {
    const registry = testRegistry();
    const roots = [{ ...registry.roots.workspace, depth }];
    for (const name of ['wrong', 'group/wrong'].slice(0, depth)) {
      mkdirSync(path.join(folder(registry), name), { recursive: true });
      writeFileSync(path.join(folder(registry), name, 'Skill.md'), skillText('wrong'));
    }
    registry.scan(roots);
    const found = rejections(registry);
    expect(found).toEqual(
      ['.agents/skills/group/wrong', '.agents/skills/wrong']
        .slice(depth === 1 ? 1 : 0)
        .map((directory) => ({ directory, code: 'skill-md-missing' })),
    );
    expect(registry.lines.join()).toContain('did you mean SKILL.md? rename Skill.md');
    renameSync(
      path.join(folder(registry), 'wrong', 'Skill.md'),
      path.join(folder(registry), 'wrong', 'SKILL.md'),
    );
    registry.scan(roots);
    expect(namesIn(registry)).toEqual(['wrong']);
    expect(rejections(registry)).toEqual(found.slice(0, -1));
  });

  test('a directory whose name is no UTF-8 is told once and hides nothing', () => {
    const registry = testRegistry();
    writeSkill(folder(registry), 'one');
    for (const end of [0xff, 0xfe])
      mkdirSync(Buffer.concat([Buffer.from(`${folder(registry)}/inv`), Buffer.of(end)]));
    registry.scan();
    expect(namesIn(registry)).toEqual(['one']);
    expect(rejections(registry)).toEqual([{ directory: '.agents/skills/inv\ufffd', code: 'name-encoding' }]);
    expect(registry.scan()).toBeNull();
  });
});

describe('rows that somebody else wrote', () => {
  test('the single-root loader takes over, and the registry takes back', () => {
    const registry = testRegistry();
    writeSkill(folder(registry), 'one');
    writeSkill(registry.roots.global.path, 'two');
    writeSkill(registry.roots.global.path, 'one');
    registry.scan();
    const before = registry.content();
    loadSkillsFromDisk(registry.db, folder(registry), () => undefined, { workspace: registry.workspace });
    expect(namesIn(registry)).toEqual(['one']);
    registry.scan();
    expect(registry.content()).toEqual(before);
  });

  test.each([
    ['deleted rows', 'DELETE FROM skills'],
    ['one deleted row', `DELETE FROM skills WHERE name = 'two'`],
    ['a damaged snapshot', `UPDATE skill_roots SET snapshot = x'00112233' WHERE position = 0`],
    ['snapshots without rows', 'DELETE FROM skill_roots'],
  ])('%s are noticed and put right', (_, sql) => {
    const registry = testRegistry();
    for (const name of ['one', 'two']) writeSkill(folder(registry), name);
    writeSkill(registry.roots.mirror.path, 'two');
    writeSkillFile(folder(registry), 'bad', '');
    registry.scan();
    registry.db.exec(sql);
    // What went meanwhile must go, although nothing remembers it.
    rmSync(path.join(folder(registry), 'bad'), { recursive: true });
    registry.scan();
    expect(registry.content()).toEqual(registry.fresh());
    expect(registry.content().skill_rejections).toEqual([]);
  });
});

test('the text that a list is searched by is stored only where SQLite cannot fold it', () => {
  const registry = testRegistry();
  writeSkill(folder(registry), 'plain', { description: 'Files INVOICES.' });
  writeSkill(folder(registry), 'umlaut', { description: 'Stellt ÜBERWEISUNGEN aus.' });
  registry.scan();
  expect(registry.db.prepare('SELECT name, search_text FROM skills ORDER BY name').all()).toEqual([
    { name: 'plain', search_text: '' },
    { name: 'umlaut', search_text: 'umlaut\u001fstellt überweisungen aus.' },
  ]);
  const found = (search: string) => listSkills(registry.db, { search }).map(({ name }) => name);
  expect(['invoices', 'PLAIN', 'überWEISUNGEN', 'files\u001f'].map(found)).toEqual([
    ['plain'],
    ['plain'],
    ['umlaut'],
    [],
  ]);
});

test('every row of a first scan and every new or changed one later waits for the search index', () => {
  const registry = testRegistry();
  const pending = () => registry.db.prepare('SELECT name FROM search_pending ORDER BY name').pluck().all();
  for (const name of ['a', 'b', 'c']) writeSkill(folder(registry), name);
  registry.scan();
  expect(pending()).toEqual(['a', 'b', 'c']);
  registry.db.exec('DELETE FROM search_pending');
  writeSkill(folder(registry), 'b', { description: 'Changed.' });
  writeSkill(folder(registry), 'd');
  rmSync(path.join(folder(registry), 'c'), { recursive: true });
  registry.scan();
  expect(pending()).toEqual(['b', 'c', 'd']);
});

test('a first scan gives the cache of the database back as large as it was', () => {
  const registry = testRegistry();
  writeSkill(folder(registry), 'a');
  const before = registry.db.pragma('cache_size', { simple: true });
  registry.scan();
  expect(namesIn(registry)).toEqual(['a']);
  expect(registry.db.pragma('cache_size', { simple: true })).toBe(before);
});
