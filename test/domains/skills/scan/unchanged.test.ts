/** The quick look at the roots never says that nothing has changed where a scan would find something. */
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { SkillRoot } from '../../../../src/domains/skills/scan/roots.ts';
import { readSeenRoots } from '../../../../src/domains/skills/scan/seen-repository.ts';
import { looksUnchanged } from '../../../../src/domains/skills/scan/unchanged.ts';
import { applyChange, CHANGES, type Change } from '../../../support/random-tree.ts';
import { LATER, type TestRegistry, testRegistry } from '../../../support/registry.ts';
import { writeSkill } from '../../../support/skill-files.ts';

const RUNS = Number(process.env['COLIBRI_PROPERTY_RUNS'] ?? 60);
const seed = Number(process.env['COLIBRI_PROPERTY_SEED'] ?? Date.now() % 1_000_000_000);

function looks(registry: TestRegistry, roots: readonly SkillRoot[]): boolean {
  return looksUnchanged(readSeenRoots(registry.db), roots);
}

/** Two skills in the first root, a folder that is none, and a file beside them, all of it indexed. */
function indexed() {
  const registry = testRegistry();
  const { workspace, global, mirror } = registry.roots;
  const roots = [workspace, global, mirror];
  const one = writeSkill(workspace.path, 'one');
  writeSkill(workspace.path, 'two');
  mkdirSync(path.join(workspace.path, 'empty'));
  writeFileSync(path.join(workspace.path, 'README.md'), 'Not a skill.');
  registry.scan(roots, LATER);
  return { registry, roots, root: workspace.path, one };
}

test('roots of folders are recognised, with and without files and empty folders in them', () => {
  const { registry, roots, root } = indexed();
  expect(looks(registry, roots)).toBe(true);
  writeFileSync(path.join(root, 'notes.txt'), 'Not a skill either.');
  expect(looks(registry, roots)).toBe(true);
});

type World = ReturnType<typeof indexed>;

const EDITS: Readonly<Record<string, (world: World) => void>> = {
  'a text of the same length': ({ one }) => writeFileSync(one, 'x'.repeat(statSync(one).size)),
  'a time that was set back': ({ one }) => utimesSync(one, 1, 1),
  'a new skill': ({ root }) => writeSkill(root, 'three'),
  'a skill that went': ({ root }) => rmSync(path.join(root, 'two'), { recursive: true }),
  'another name': ({ root }) => renameSync(path.join(root, 'two'), path.join(root, 'three')),
  'a SKILL.md in the empty folder': ({ root }) => writeSkill(root, 'empty'),
  'a SKILL.md that went': ({ one }) => rmSync(one),
  'a folder that became a link to itself': ({ root }) => {
    renameSync(path.join(root, 'two'), path.join(root, '..', 'moved'));
    symlinkSync(path.join(root, '..', 'moved'), path.join(root, 'two'));
  },
  'a file that became a link to itself': ({ root, one }) => {
    renameSync(one, path.join(root, '..', 'moved.md'));
    symlinkSync(path.join(root, '..', 'moved.md'), one);
  },
  'a skill in a root that was missing': ({ roots }) => writeSkill(roots[2]?.path ?? '', 'one'),
  'a root that is a file': ({ roots }) => {
    mkdirSync(path.dirname(roots[2]?.path ?? ''), { recursive: true });
    writeFileSync(roots[2]?.path ?? '', '');
  },
  'a row that somebody deleted': ({ registry }) =>
    registry.db.prepare("DELETE FROM skills WHERE name = 'one'").run(),
  'a snapshot that lost its end': ({ registry }) =>
    registry.db.prepare('UPDATE skill_roots SET snapshot = substr(snapshot, 1, length(snapshot) - 1)').run(),
  'a snapshot with another number in it': ({ registry }) =>
    registry.db
      .prepare(
        "UPDATE skill_roots SET snapshot = cast(substr(snapshot, 1, 60) || x'00' || substr(snapshot, 62) AS blob) WHERE position = 0",
      )
      .run(),
};

test.each(Object.entries(EDITS))('%s is noticed', (_what, edit) => {
  const world = indexed();
  edit(world);
  expect(looks(world.registry, world.roots)).toBe(false);
});

test('other roots, another order and another way of reading are noticed', () => {
  const { registry, roots } = indexed();
  const [first, second, third] = roots;
  if (first === undefined || second === undefined || third === undefined) throw new Error('three roots');
  expect(looks(registry, [second, first, third])).toBe(false);
  expect(looks(registry, [first, second])).toBe(false);
  expect(looks(registry, [first, second, third, registry.root('more')])).toBe(false);
  expect(looks(registry, [{ ...first, profile: 'lenient' }, second, third])).toBe(false);
});

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...CHANGES),
  at: fc.nat(1000),
  to: fc.nat(1000),
  text: fc.nat(100),
});
const changes = fc.array(change, { maxLength: 6 });

test(`after random changes it never says more than a scan would (COLIBRI_PROPERTY_SEED=${seed})`, {
  timeout: 120_000,
}, () => {
  let recognised = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(changes, changes), { minLength: 1, maxLength: 4 }), (rounds) => {
      const registry = testRegistry();
      const roots = Object.values(registry.roots);
      const folders = roots.map((root) => root.path);
      for (const [before, after] of rounds) {
        for (const each of before) applyChange(folders, each);
        registry.scan(roots, LATER);
        for (const each of after) applyChange(folders, each);
        if (!looks(registry, roots)) continue;
        recognised++;
        expect(registry.scan(roots, LATER)).toBeNull();
      }
    }),
    { numRuns: RUNS, seed },
  );
  // Otherwise the property would hold because nothing is ever recognised.
  expect(recognised).toBeGreaterThan(0);
});
