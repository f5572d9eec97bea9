/** A first scan looks at each file once, when it reads it; what that does not tell makes it begin with a walk. */
import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { SKILL_BYTES_MAX } from '../../../../src/domains/skills/skill-file.ts';
import { LATER, type TestRegistry, testRegistry } from '../../../support/registry.ts';
import { writeSkill } from '../../../support/skill-files.ts';

function changes(registry: TestRegistry): unknown {
  return registry.db.prepare('SELECT total_changes()').pluck().get();
}

function all(registry: TestRegistry, sql: string): readonly unknown[] {
  return registry.db.prepare(sql).pluck().all();
}

/** Skills, a folder that is none, one that is misspelt, and one that is too large. */
function plainRoot(): TestRegistry & { readonly folder: string } {
  const registry = testRegistry();
  const folder = registry.roots.workspace.path;
  for (const name of ['a', 'b', 'c']) writeSkill(folder, name);
  mkdirSync(path.join(folder, 'empty'));
  writeSkill(folder, 'misspelt');
  renameSync(path.join(folder, 'misspelt', 'SKILL.md'), path.join(folder, 'misspelt', 'skill.md'));
  mkdirSync(path.join(folder, 'large'));
  writeFileSync(path.join(folder, 'large', 'SKILL.md'), Buffer.alloc(SKILL_BYTES_MAX + 1, 'x'));
  return { ...registry, folder };
}

test('what a first scan noted of the files is what a walk sees later', () => {
  const registry = plainRoot();
  expect(registry.scan(undefined, LATER)).toMatchObject({ added: 3 });
  expect(all(registry, 'SELECT directory FROM skill_rejections ORDER BY directory')).toEqual([
    expect.stringMatching(/large$/),
    expect.stringMatching(/misspelt$/),
  ]);
  const before = changes(registry);
  expect(registry.scan(undefined, LATER)).toBeNull();
  expect(changes(registry)).toBe(before);
  writeSkill(registry.folder, 'empty');
  writeSkill(registry.folder, 'large');
  expect(registry.scan(undefined, LATER)).toMatchObject({ added: 2, changed: 0, removed: 0 });
});

test.each([
  ['a linked SKILL.md', symlinkSync],
  ['a SKILL.md with two names', linkSync],
])('%s among them is an alias, as for any scan', (_, link) => {
  const registry = plainRoot();
  mkdirSync(path.join(registry.folder, 'z'));
  link(path.join(registry.folder, 'b', 'SKILL.md'), path.join(registry.folder, 'z', 'SKILL.md'));
  expect(registry.scan(undefined, LATER)).toMatchObject({ added: 3 });
  // What was given up is not told: two rejected folders, one line each.
  expect(registry.lines).toHaveLength(2);
  expect(all(registry, 'SELECT name FROM skills ORDER BY name')).toEqual(['a', 'b', 'c']);
  expect(all(registry, 'SELECT directory FROM skill_aliases')).toEqual([expect.stringMatching(/z$/)]);
  expect(registry.scan(undefined, LATER)).toBeNull();
});
