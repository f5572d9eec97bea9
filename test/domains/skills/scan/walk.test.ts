import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

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
  const { directories } = walkRoot(roots.workspace, 0);
  expect(directories).toEqual([
    { relative: 'empty', kind: 'absent' },
    { relative: 'one', kind: 'skill' },
  ]);
});

test('a skill is not searched for more skills, and no more levels than the depth are', () => {
  const { roots } = testRegistry();
  const root = roots.workspace.path;
  for (const name of ['a/one', 'a/one/inner', 'b/c/two', 'b/c/d/three']) writeSkill(root, name);
  const found = walkRoot({ ...roots.workspace, depth: 3 }, 0).directories;
  expect(found.filter(({ kind }) => kind === 'skill').map(({ relative }) => relative)).toEqual([
    'a/one',
    'b/c/two',
  ]);
});

test('a missing root is empty and has no real path', () => {
  const { roots } = testRegistry();
  expect(walkRoot(roots.mirror, 0)).toEqual({
    root: roots.mirror,
    realPath: null,
    directories: [],
    fingerprints: new Float64Array(),
  });
});
