import { rmSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDisplay, displayPath } from '../../../src/domains/skills/display-path.ts';
import { parseHead } from '../../../src/domains/skills/parse.ts';
import { getSkill, listSkills } from '../../../src/domains/skills/repository.ts';
import { RARE_COLUMNS } from '../../../src/domains/skills/skill-row.ts';
import type { Runtime } from '../../../src/startup.ts';
import { skillText, writeSkill } from '../../support/skill-files.ts';
import { openMemory, seedContractedRow } from '../../support/skill-index.ts';
import { testSessions } from '../sessions/harness.ts';

function writeTwo(root: string): void {
  writeSkill(root, 'one', { body: 'First text.' });
  writeSkill(root, 'two', { body: 'Other text.' });
}

function keptTexts({ db }: Runtime): unknown[] {
  return db.prepare('SELECT body FROM bodies ORDER BY body').pluck().all();
}

test('a scan keeps no text; whoever asks gets it from the file', async () => {
  const { runtime } = await testSessions({ before: writeTwo });
  expect(keptTexts(runtime)).toEqual([]);
  expect(runtime.db.prepare('SELECT DISTINCT body FROM skills').pluck().all()).toEqual(['']);
  expect(runtime.skills.get('one')).toMatchObject({
    body: 'First text.',
    body_version: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect(runtime.skills.command('one')?.body).toBe('First text.');
  expect(getSkill(runtime.db, 'one')?.body).toBe('First text.');
  expect(listSkills(runtime.db).map(({ body }) => body)).toEqual(['First text.', 'Other text.']);
});

test('a text that no longer fits the index is refused until the next scan', async () => {
  const { runtime, skill, reload } = await testSessions({ before: writeTwo });
  skill('one', { body: 'New text.' });
  expect(() => runtime.skills.get('one')).toThrow(
    expect.objectContaining({
      code: 'FILE_CHANGED',
      message: expect.stringContaining('reload and ask again'),
    }),
  );
  expect(runtime.skills.get('two')?.body).toBe('Other text.');
  await reload();
  expect(runtime.skills.get('one')?.body).toBe('New text.');
});

test('from the first session on every text is kept, and an edit takes nothing from it', async () => {
  const { runtime, skill, reload, open } = await testSessions({ before: writeTwo });
  const session = await open();
  expect(keptTexts(runtime)).toEqual(['First text.', 'Other text.']);
  skill('one', { body: 'New text.' });
  expect(runtime.skills.get('one')?.body).toBe('First text.');
  await reload();
  expect(keptTexts(runtime)).toEqual(['First text.', 'New text.', 'Other text.']);
  expect(await session.load('one')).toMatchObject({ ok: true, text: expect.stringContaining('First text.') });
});

test('a file that changes between the scan and the first session is indexed and kept as it is then', async () => {
  const { runtime, skill, open } = await testSessions({ before: writeTwo });
  skill('one', { description: 'Edited.', body: 'New text.' });
  const session = await open();
  expect(keptTexts(runtime)).toEqual(['New text.', 'Other text.']);
  expect(runtime.skills.get('one')?.description).toBe('Edited.');
  expect(await session.load('one')).toMatchObject({ ok: true, text: expect.stringContaining('New text.') });
});

test('the text of a skill that no session saw goes with it', async () => {
  const { runtime, skill, root, reload } = await testSessions({ before: writeTwo });
  await runtime.skills.keep();
  skill('one', { body: 'New text.' });
  rmSync(path.join(root, 'two'), { recursive: true });
  await reload();
  expect(keptTexts(runtime)).toEqual(['New text.']);
});

test('what a short row leaves out is what the table fills in', () => {
  const db = openMemory();
  seedContractedRow(db, 'plain');
  const { head } = parseHead(Buffer.from(skillText('plain')), { file: 'SKILL.md', directory: 'plain' });
  if (head === null) throw new Error('a plain skill is one');
  // Of the contracted columns the body alone is never left out.
  const { body: _, ...rare } = RARE_COLUMNS;
  const row = db
    .prepare(`SELECT ${Object.keys(rare).join(', ')} FROM skills`)
    .raw()
    .get();
  const context = { directory: 'plain', diagnostics: [] };
  expect(row).toEqual(Object.values(rare).map((read) => read(head, context)));
});

test('a row that once had capabilities loses them with the next edit', async () => {
  const { runtime, skill, reload } = await testSessions({
    before: (root) => void writeSkill(root, 'one', { lines: ['capabilities: [reading, reading, writing]'] }),
  });
  expect(runtime.skills.list({ capability: 'reading' }).map(({ name }) => name)).toEqual(['one']);
  skill('one', { lines: ['capabilities: [writing]'] });
  await reload();
  expect(runtime.skills.list({ capability: 'reading' })).toEqual([]);
  skill('one');
  await reload();
  expect(runtime.skills.list({ capability: 'writing' })).toEqual([]);
});

test('paths that are shown one after the other are shown as each of them alone', () => {
  const part = fc.constantFrom('work', 'home', 'me', 'a', '.agents', 'skills', 'x');
  const place = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
  fc.assert(
    fc.property(place, place, fc.array(place, { minLength: 2, maxLength: 8 }), (workspace, home, paths) => {
      const display = createDisplay({ workspace, home });
      const shown = paths.flatMap((one) => [one, `${one}/b`]);
      expect(shown.map(display)).toEqual(shown.map((one) => displayPath(one, { workspace, home })));
    }),
  );
});
