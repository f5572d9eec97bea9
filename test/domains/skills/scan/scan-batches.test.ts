/** A scan writes its rows several at a time; nobody can tell from the index. */
import { expect, test } from 'vitest';

import { indexContent, testRegistry } from '../../../support/registry.ts';
import { writeSkill } from '../../../support/skill-files.ts';

/** Enough for several batches and a rest. */
const SKILLS = 75;

/** Plain ones, ones with capabilities, and ones with letters that are folded for a search. */
function writeNumbered(root: string, number: number): void {
  const lines = number % 3 === 0 ? [`capabilities: [all, "c${number % 5}"]`] : ['license: MIT'];
  const description = number % 4 === 0 ? `Über ${number}.` : `About ${number}.`;
  writeSkill(root, `skill-${number}`, { description, lines });
}

test('all at once or one after the other, the rows are the same', () => {
  const [together, apart] = [testRegistry(), testRegistry()];
  for (let number = 0; number < SKILLS; number++) {
    writeNumbered(together.roots.workspace.path, number);
    writeNumbered(apart.roots.workspace.path, number);
    apart.scan();
  }
  expect(together.scan()).toEqual({ added: SKILLS, changed: 0, removed: 0, shadowed: 0 });
  const content = indexContent(together.db);
  expect(content).toEqual(indexContent(apart.db));
  expect(content.skills).toHaveLength(SKILLS);
  expect(content.skill_capabilities).toHaveLength((SKILLS / 3) * 2);
});

test('a row says which root it came from, also where a root begins in the middle of a batch', () => {
  const registry = testRegistry();
  const { workspace, global, mirror } = registry.roots;
  for (let number = 0; number < SKILLS; number++) {
    const root = [workspace, global, mirror][number % 3] ?? workspace;
    writeNumbered(root.path, number);
  }
  registry.scan();
  const rows = registry.db
    .prepare('SELECT source, root, count(*) AS skills FROM skills GROUP BY source, root ORDER BY source')
    .all();
  expect(rows).toEqual([
    { source: 'global', root: '~/.agents/skills', skills: SKILLS / 3 },
    { source: 'mirror', root: '.claude/skills', skills: SKILLS / 3 },
    { source: 'workspace', root: '.agents/skills', skills: SKILLS / 3 },
  ]);
});

test('a copy is recorded beside a winner that was found by the same scan', () => {
  const registry = testRegistry();
  const { workspace, global } = registry.roots;
  writeSkill(workspace.path, 'one');
  writeSkill(global.path, 'one', { description: 'Another.' });
  expect(registry.scan()).toMatchObject({ added: 1, shadowed: 1 });
  expect(registry.db.prepare('SELECT winner_path FROM skill_shadowed').pluck().all()).toEqual([
    '.agents/skills/one/SKILL.md',
  ]);
});
