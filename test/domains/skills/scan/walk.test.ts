import { cpSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import {
  EMPTY_SNAPSHOT,
  NEVER_LISTED,
  type RootSnapshot,
} from '../../../../src/domains/skills/scan/root-snapshot.ts';
import type { SkillRoot } from '../../../../src/domains/skills/scan/roots.ts';
import { walkRoot } from '../../../../src/domains/skills/scan/walk.ts';
import { testRegistry } from '../../../support/registry.ts';
import { writeSkill } from '../../../support/skill-files.ts';

test('a fingerprint is trusted only when the file was quiet for a while before the walk', () => {
  const { roots } = testRegistry();
  const file = writeSkill(roots.workspace.path, 'one');
  const { mtimeMs, ctimeMs, size, ino } = statSync(file);
  const fingerprintAt = (now: number) => [...walkRoot(roots.workspace, now).fingerprints];
  expect(fingerprintAt(ctimeMs + 1000)).toEqual([mtimeMs, ctimeMs, size, ino]);
  expect(fingerprintAt(ctimeMs + 10)).toEqual([Number.NaN, ctimeMs, size, ino]);
  // Changed while a long walk was under way, which began much earlier.
  expect(fingerprintAt(ctimeMs - 5000)).toEqual([Number.NaN, ctimeMs, size, ino]);
});

test('what is no candidate is not looked at: hidden folders, node_modules, files, links to files', () => {
  const { roots } = testRegistry();
  const root = roots.workspace.path;
  for (const name of ['.hidden', 'node_modules', 'one']) writeSkill(root, name);
  writeFileSync(path.join(root, 'README.md'), '');
  symlinkSync('README.md', path.join(root, 'linked-file'));
  mkdirSync(path.join(root, 'empty'));
  const { directories, oddities } = walkRoot(roots.workspace, 0);
  expect(directories).toEqual(['empty', 'one']);
  expect(oddities).toEqual(new Map([[0, { kind: 'absent' }]]));
});

test('a skill is not searched for more skills, and no more levels than the depth are', () => {
  const { roots } = testRegistry();
  const root = roots.workspace.path;
  for (const name of ['a/one', 'a/one/inner', 'b/c/two', 'b/c/d/three']) writeSkill(root, name);
  const { directories, oddities } = walkRoot({ ...roots.workspace, depth: 3 }, 0);
  expect(directories.filter((_, index) => !oddities.has(index))).toEqual(['a/one', 'b/c/two']);
});

test('a missing root is empty and has no real path', () => {
  const { roots } = testRegistry();
  expect(walkRoot(roots.mirror, 0)).toEqual({
    root: roots.mirror,
    realPath: null,
    directories: [],
    oddities: new Map(),
    fingerprints: new Float64Array(),
    listed: NEVER_LISTED,
  });
});

describe('a root that was listed before', () => {
  /** Elsewhere every root is listed every time. */
  const REMEMBERS = process.platform === 'linux';
  /** Long after everything here was written. */
  const LATE = Date.now() + 60_000;

  function walkedOnce(depth = 1) {
    const { roots } = testRegistry();
    const root: SkillRoot = { ...roots.workspace, depth };
    for (const name of ['one', 'two']) writeSkill(root.path, name);
    mkdirSync(path.join(root.path, 'empty'));
    return { root, seen: (now = LATE): RootSnapshot => ({ ...EMPTY_SNAPSHOT, ...walkRoot(root, now) }) };
  }

  /** A list that was taken over is the very same, and one that was read again is not. */
  const takesOver = (root: SkillRoot, before: RootSnapshot) =>
    walkRoot(root, LATE, before).directories === before.directories;

  test('is not listed again while it keeps its times, and its files are looked at all the same', () => {
    const { root, seen } = walkedOnce();
    const before = seen();
    expect(takesOver(root, before)).toBe(REMEMBERS);
    expect(walkRoot(root, LATE, before)).toEqual(walkRoot(root, LATE));
    writeFileSync(path.join(root.path, 'one', 'SKILL.md'), 'other');
    rmSync(path.join(root.path, 'two', 'SKILL.md'));
    writeSkill(root.path, 'empty');
    expect(takesOver(root, before)).toBe(REMEMBERS);
    expect(walkRoot(root, LATE, before)).toEqual(walkRoot(root, LATE));
  });

  const CHANGES: Readonly<Record<string, (folder: string) => void>> = {
    'a new folder': (folder) => mkdirSync(path.join(folder, 'three')),
    'a folder that went': (folder) => rmSync(path.join(folder, 'empty'), { recursive: true }),
    'another name': (folder) => renameSync(path.join(folder, 'one'), path.join(folder, 'eins')),
    'a link in the place of a folder': (folder) => {
      rmSync(path.join(folder, 'empty'), { recursive: true });
      symlinkSync('one', path.join(folder, 'empty'));
    },
    'another folder in its place': (folder) => {
      cpSync(folder, `${folder}-copy`, { recursive: true, preserveTimestamps: true });
      renameSync(folder, `${folder}-old`);
      renameSync(`${folder}-copy`, folder);
    },
  };

  test.each(Object.entries(CHANGES))('is listed again after %s', async (_, change) => {
    const { root, seen } = walkedOnce();
    const before = seen();
    // Within one tick of the file system's clock there is no before and after.
    await setTimeout(10);
    change(root.path);
    expect(takesOver(root, before)).toBe(false);
    expect(walkRoot(root, LATE, before)).toEqual(walkRoot(root, LATE));
  });

  test('is listed again when it had changed only just before', () => {
    const { root, seen } = walkedOnce();
    expect(takesOver(root, seen(statSync(root.path).ctimeMs + 10))).toBe(false);
  });

  test.each([
    ['a link to a folder', 'one'],
    ['a link to a file, which may become a folder without a trace in the root', 'README.md'],
    ['a link to nothing', 'nothing'],
  ])('is listed again when it holds %s', (_, target) => {
    const { root, seen } = walkedOnce();
    writeFileSync(path.join(root.path, 'README.md'), '');
    symlinkSync(target, path.join(root.path, 'link'));
    expect(takesOver(root, seen())).toBe(false);
  });

  test('is listed again when it holds a name that is no text, or goes deeper than one level', () => {
    const named = walkedOnce();
    mkdirSync(Buffer.concat([Buffer.from(`${named.root.path}/bad-`), Buffer.from([0xff])]));
    expect(takesOver(named.root, named.seen())).toBe(false);
    const deep = walkedOnce(2);
    expect(takesOver(deep.root, deep.seen())).toBe(false);
  });
});
