/** Pages of the list: kept while the index stays as it is, and never longer. */
import path from 'node:path';

import { expect, test } from 'vitest';

import { createPages, offeredPage, PAGE_SKILLS } from '../../../src/domains/skills/page-repository.ts';
import { testRegistry } from '../../support/registry.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `skill-${String(index).padStart(3, '0')}`);
}

function filled(count: number, file?: string) {
  const registry = testRegistry({
    workspace: path.join(temporaryDirectory(), 'work'),
    ...(file && { file }),
  });
  for (const name of names(count)) writeSkill(registry.roots.workspace.path, name);
  registry.scan();
  return registry;
}

test('the same page of the same index is the same object; another page is not', () => {
  const { db } = filled(3);
  const pageOf = createPages(db, { perTurn: false });
  const first = pageOf({ limit: 2 });
  expect(first.skills.map(({ name }) => name)).toEqual(['skill-000', 'skill-001']);
  expect(first).toMatchObject({ total_count: 3, next_cursor: 'skill-001' });
  expect(pageOf({ limit: 2 })).toBe(first);
  const last = pageOf({ limit: 2, cursor: 'skill-001' });
  expect(last.skills.map(({ name }) => name)).toEqual(['skill-002']);
  expect('next_cursor' in last).toBe(false);
  expect(pageOf({ limit: 2, search: '002' }).skills.map(({ name }) => name)).toEqual(['skill-002']);
  expect(pageOf({ limit: 2, capability: '002' })).toMatchObject({ skills: [], total_count: 0 });
});

test('a change of the index, made through whichever connection, is on the next page that is asked for', () => {
  const file = path.join(temporaryDirectory(), 'colibri.db');
  const { db, workspace, roots } = filled(1, file);
  const pageOf = createPages(db, { perTurn: false });
  expect(pageOf({}).total_count).toBe(1);
  writeSkill(roots.workspace.path, 'skill-000', { description: 'Something else altogether.' });
  testRegistry({ file, workspace }).scan();
  expect(pageOf({}).skills.map(({ description }) => description)).toEqual(['Something else altogether.']);
  writeSkill(roots.workspace.path, 'another');
  testRegistry({ file, workspace }).scan();
  expect(pageOf({}).skills.map(({ name }) => name)).toEqual(['another', 'skill-000']);
});

test('pages that are asked for beyond those that are kept are as right as the others', () => {
  const { db } = filled(40);
  const pageOf = createPages(db, { perTurn: false });
  const walk = () => ['', ...names(40)].map((cursor) => pageOf({ limit: 1, cursor }).skills[0]?.name);
  expect(walk()).toEqual([...names(40), undefined]);
  expect(walk()).toEqual([...names(40), undefined]);
  expect(pageOf({ limit: PAGE_SKILLS + 1 }).skills).toHaveLength(40);
});

test('where skills are held back, the pages are those of the others', () => {
  const { db } = filled(4);
  const isOffered = ({ name }: { readonly name: string }) => name !== 'skill-001';
  const first = offeredPage(db, { limit: 2 }, isOffered);
  expect(first.skills.map(({ name }) => name)).toEqual(['skill-000', 'skill-002']);
  expect(first).toMatchObject({ total_count: 3, next_cursor: 'skill-002' });
  const last = offeredPage(db, { limit: 2, cursor: 'skill-002' }, isOffered);
  expect(last.skills.map(({ name }) => name)).toEqual(['skill-003']);
  expect('next_cursor' in last).toBe(false);
});
