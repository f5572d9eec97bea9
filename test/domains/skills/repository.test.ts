/** The contracted cases, block by block under the contract's own names. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';

import { getSkill, listSkills, registerSkillTools } from '../../../src/domains/skills/repository.ts';
import { FIXED_ISO } from '../../support/fixed-clock.ts';
import { callTool, testContext } from '../../support/kernel.ts';
import { writeSkill, writeSkillFile } from '../../support/skill-files.ts';
import {
  namesOf,
  openMemory,
  seedContractedRow,
  type TestIndex,
  testIndex,
} from '../../support/skill-index.ts';

const ZEROS = { loaded: 0, skipped: 0, pruned: 0, total_on_disk: 0 };

describe('loadSkillsFromDisk happy path', () => {
  test('a root with three skills loads all three and says so', () => {
    const index = testIndex();
    for (const name of ['one', 'three', 'two']) writeSkill(index.root, name);
    expect(index.load()).toEqual({ loaded: 3, skipped: 0, pruned: 0, total_on_disk: 3 });
    expect(namesOf(listSkills(index.db))).toEqual(['one', 'three', 'two']);
    expect(index.lines).toEqual(['[colibri] skills loaded: 3, skipped: 0, pruned: 0']);
  });

  test('every contracted column holds what the file says', () => {
    const index = testIndex();
    writeSkill(index.root, 'full', {
      description: 'Does everything.',
      lines: [
        'version: "1.2.0"',
        'entrypoint: scripts/run.sh',
        'capabilities: [read, write]',
        'greek_letter: epsilon',
      ],
      body: '# Full\n\nText.\n',
    });
    index.load();
    expect(getSkill(index.db, 'full')).toEqual({
      name: 'full',
      description: 'Does everything.',
      version: '1.2.0',
      entrypoint: 'scripts/run.sh',
      capabilities: ['read', 'write'],
      greek_letter: 'epsilon',
      body: '# Full\n\nText.\n',
      source_path: '.agents/skills/full/SKILL.md',
      frontmatter_json: JSON.stringify({
        name: 'full',
        description: 'Does everything.',
        version: '1.2.0',
        entrypoint: 'scripts/run.sh',
        capabilities: ['read', 'write'],
        greek_letter: 'epsilon',
      }),
      loaded_at: FIXED_ISO,
    });
  });

  test('absent optional fields are null and capabilities an empty list', () => {
    const index = testIndex();
    writeSkill(index.root, 'bare');
    index.load();
    expect(getSkill(index.db, 'bare')).toMatchObject({
      version: null,
      entrypoint: null,
      capabilities: [],
      greek_letter: null,
    });
    expect(index.db.prepare('SELECT capabilities FROM skills').pluck().get()).toBe('[]');
  });

  test('an edited skill replaces its row', () => {
    const index = testIndex();
    writeSkill(index.root, 'edited', { description: 'Before.', lines: ['version: "1"'] });
    index.load();
    writeSkill(index.root, 'edited', { description: 'After.' });
    expect(index.load()).toEqual({ loaded: 1, skipped: 0, pruned: 0, total_on_disk: 1 });
    expect(getSkill(index.db, 'edited')).toMatchObject({ description: 'After.', version: null });
  });

  test('an empty root loads nothing', () => {
    const index = testIndex();
    mkdirSync(index.root, { recursive: true });
    expect(index.load()).toEqual(ZEROS);
    expect(index.lines).toEqual(['[colibri] skills loaded: 0, skipped: 0, pruned: 0']);
  });
});

describe('loadSkillsFromDisk parse error', () => {
  test('broken frontmatter is logged once with its path and skipped; the others load', () => {
    const index = testIndex();
    writeSkill(index.root, 'good');
    const broken = writeSkillFile(index.root, 'broken', '---\nname: broken\n');
    expect(index.load()).toEqual({ loaded: 1, skipped: 1, pruned: 0, total_on_disk: 2 });
    expect(index.lines).toEqual([
      `[colibri] skill skipped: ${broken}: frontmatter is not properly closed; end it with a --- line within 16 KiB`,
      '[colibri] skills loaded: 1, skipped: 1, pruned: 0',
    ]);
    expect(namesOf(listSkills(index.db))).toEqual(['good']);
  });

  test('a skill that becomes broken loses its row', () => {
    const index = testIndex();
    writeSkill(index.root, 'flaky');
    index.load();
    writeSkillFile(index.root, 'flaky', 'no frontmatter');
    expect(index.load()).toEqual({ loaded: 0, skipped: 1, pruned: 1, total_on_disk: 1 });
    expect(listSkills(index.db)).toEqual([]);
  });
});

describe('loadSkillsFromDisk missing root', () => {
  test('zeros, one log line, and the rows stay', () => {
    const index = testIndex();
    seedContractedRow(index.db, 'kept');
    expect(index.load()).toEqual(ZEROS);
    expect(index.lines).toEqual([`[colibri] skills root missing ${index.root}`]);
    expect(namesOf(listSkills(index.db))).toEqual(['kept']);
  });
});

describe('loadSkillsFromDisk pruning', () => {
  test('a row whose skill is not on disk is deleted', () => {
    const index = testIndex();
    seedContractedRow(index.db, 'gone');
    writeSkill(index.root, 'here');
    expect(index.load()).toEqual({ loaded: 1, skipped: 0, pruned: 1, total_on_disk: 1 });
    expect(namesOf(listSkills(index.db))).toEqual(['here']);
  });

  test('an emptied root prunes everything', () => {
    const index = testIndex();
    writeSkill(index.root, 'one');
    writeSkill(index.root, 'two');
    index.load();
    rmSync(path.join(index.root, 'one'), { recursive: true });
    rmSync(path.join(index.root, 'two'), { recursive: true });
    expect(index.load()).toEqual({ loaded: 0, skipped: 0, pruned: 2, total_on_disk: 0 });
  });
});

describe('loadSkillsFromDisk idempotent', () => {
  test('a second load gives the same counters and the same rows', () => {
    const index = testIndex();
    writeSkill(index.root, 'one');
    writeSkill(index.root, 'two');
    const first = index.load();
    const rows = listSkills(index.db);
    expect(index.load()).toEqual(first);
    expect(listSkills(index.db)).toEqual(rows);
  });
});

describe('loadSkillsFromDisk no SKILL.md', () => {
  test('a directory without SKILL.md, and a file in the root, are passed over in silence', () => {
    const index = testIndex();
    writeSkill(index.root, 'real');
    mkdirSync(path.join(index.root, 'notes'));
    writeFileSync(path.join(index.root, 'README.md'), 'hello');
    expect(index.load()).toEqual({ loaded: 1, skipped: 0, pruned: 0, total_on_disk: 1 });
    expect(index.lines).toEqual(['[colibri] skills loaded: 1, skipped: 0, pruned: 0']);
  });
});

describe('loadSkillsFromDisk failures that propagate', () => {
  test('an unreadable root throws, names the root, and the rows stay', () => {
    const index = testIndex();
    seedContractedRow(index.db, 'kept');
    const file = path.join(index.workspace, 'file');
    writeFileSync(file, 'not a directory');
    expect(() => index.load(file)).toThrow(
      expect.objectContaining({
        code: 'ROOT_UNREADABLE',
        message: `skills root ${file} cannot be read (ENOTDIR: not a directory, scandir '${file}'); check the path and its permissions`,
        details: { root: file, cause: 'ENOTDIR' },
      }),
    );
    expect(namesOf(listSkills(index.db))).toEqual(['kept']);
    expect(index.lines).toEqual([]);
  });

  test('a root below a file throws too', () => {
    const index = testIndex();
    writeFileSync(path.join(index.workspace, 'file'), '');
    expect(() => index.load(path.join(index.workspace, 'file', 'skills'))).toThrow(
      expect.objectContaining({ code: 'ROOT_UNREADABLE' }),
    );
  });

  test('a database without the table throws', () => {
    const index = testIndex();
    writeSkill(index.root, 'one');
    index.db.exec('DROP TABLE skills');
    expect(() => index.load()).toThrow('no such table: skills');
  });

  test.each([
    ['in the middle of the upserts', "BEFORE INSERT ON skills WHEN new.name = 'm'"],
    ['while pruning', "BEFORE DELETE ON skills WHEN old.name = 'old'"],
  ])('a database that fails %s keeps exactly the previous rows', (_, when) => {
    const index = testIndex();
    seedContractedRow(index.db, 'old');
    seedContractedRow(index.db, 'a', { description: 'Before.' });
    const before = listSkills(index.db);
    index.db.exec(`CREATE TRIGGER broken ${when} BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
    for (const name of ['a', 'm', 'z']) writeSkill(index.root, name, { description: 'After.' });
    expect(() => index.load()).toThrow('disk full');
    expect(listSkills(index.db)).toEqual(before);
    expect(index.db.inTransaction).toBe(false);
    expect(index.lines).toEqual([]);
  });
});

function seeded(): TestIndex['db'] {
  const db = openMemory();
  seedContractedRow(db, 'zeta-tool', { description: 'Formats code.', capabilities: ['write'] });
  seedContractedRow(db, 'alpha-tool', { description: 'Reads Documents.', capabilities: ['read', 'write'] });
  seedContractedRow(db, 'middle', { description: 'Reads and writes tools.', capabilities: ['readwrite'] });
  return db;
}

describe('getSkill happy', () => {
  test('gives the row of that name', () => {
    expect(getSkill(seeded(), 'alpha-tool')).toEqual({
      name: 'alpha-tool',
      description: 'Reads Documents.',
      version: null,
      entrypoint: null,
      capabilities: ['read', 'write'],
      greek_letter: null,
      body: 'body',
      source_path: '.agents/skills/alpha-tool/SKILL.md',
      frontmatter_json: '{}',
      loaded_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test('sees a change at once, and works on two databases side by side', () => {
    const [one, two] = [seeded(), seeded()];
    getSkill(one, 'middle');
    one.prepare("UPDATE skills SET version = '2' WHERE name = 'middle'").run();
    expect(getSkill(one, 'middle')?.version).toBe('2');
    expect(getSkill(two, 'middle')?.version).toBe(null);
  });
});

describe('getSkill miss', () => {
  test('an unknown name, or one in another case, gives null', () => {
    const db = seeded();
    expect([getSkill(db, 'nobody'), getSkill(db, 'MIDDLE')]).toEqual([null, null]);
  });

  test('an empty or blank name gives null and does not throw', () => {
    const db = seeded();
    expect([getSkill(db, ''), getSkill(db, '  \t')]).toEqual([null, null]);
  });
});

describe('listSkills no-filter', () => {
  test('gives all, sorted by name, whatever the order of arrival', () => {
    const all = ['alpha-tool', 'middle', 'zeta-tool'];
    const db = seeded();
    expect(namesOf(listSkills(db))).toEqual(all);
    expect(namesOf(listSkills(db, {}))).toEqual(all);
    expect(namesOf(listSkills(db, { search: '', capability: '' }))).toEqual(all);
  });
});

describe('listSkills search', () => {
  test.each([
    ['a part of the name', 'zeta', ['zeta-tool']],
    ['a part of the description', 'documents', ['alpha-tool']],
    ['either, in any case', 'TOOL', ['alpha-tool', 'middle', 'zeta-tool']],
    ['nothing', 'absent', []],
    ['no text that runs from the name into the description', 'middlereads', []],
  ])('finds by %s', (_, search, expected) => {
    expect(namesOf(listSkills(seeded(), { search }))).toEqual(expected);
  });
});

describe('listSkills capability', () => {
  test.each([
    ['one of several', 'read', ['alpha-tool']],
    ['shared by two skills', 'write', ['alpha-tool', 'zeta-tool']],
    ['only as a whole word', 'readwrite', ['middle']],
    ['only in its own case', 'READ', []],
  ])('matches %s', (_, capability, expected) => {
    expect(namesOf(listSkills(seeded(), { capability }))).toEqual(expected);
  });
});

describe('listSkills both filters', () => {
  test('a row must match both', () => {
    expect(namesOf(listSkills(seeded(), { search: 'tool', capability: 'write' }))).toEqual([
      'alpha-tool',
      'zeta-tool',
    ]);
  });

  test('matching one of them is not enough', () => {
    expect(listSkills(seeded(), { search: 'zeta', capability: 'read' })).toEqual([]);
  });
});

describe('registerSkillTools', () => {
  test('registers exactly skill_list, in snake case', () => {
    const ctx = testContext();
    registerSkillTools(ctx, openMemory());
    expect([...ctx.tools.keys()]).toEqual(['skill_list']);
  });

  test('a second registration is refused by name', () => {
    const ctx = testContext();
    const db = openMemory();
    registerSkillTools(ctx, db);
    expect(() => registerSkillTools(ctx, db)).toThrow(new Error('tool already registered: skill_list'));
  });
});

function skillListContext(): ReturnType<typeof testContext> {
  const index = testIndex();
  writeSkill(index.root, 'pdf', {
    description: 'Reads PDF files.',
    lines: ['capabilities: [read]', 'version: "1.0"', 'greek_letter: mu', 'tier: 1'],
  });
  writeSkill(index.root, 'commit', { description: 'Writes commits.', lines: ['tier: 3'] });
  index.load();
  const ctx = testContext();
  registerSkillTools(ctx, index.db);
  return ctx;
}

const PDF = {
  name: 'pdf',
  version: '1.0',
  description: 'Reads PDF files.',
  capabilities: ['read'],
  greek_letter: 'mu',
  path: '.agents/skills/pdf/SKILL.md',
  tier: 1,
  invokable_by: ['T0', 'T1', 'T2', 'T3', 'T4'],
  source: 'workspace',
  source_dir: '.agents/skills/pdf',
};
const COMMIT = {
  name: 'commit',
  version: null,
  description: 'Writes commits.',
  capabilities: [],
  greek_letter: null,
  path: '.agents/skills/commit/SKILL.md',
  tier: 3,
  invokable_by: ['T0', 'T1'],
  source: 'workspace',
  source_dir: '.agents/skills/commit',
};

describe('skill_list handler', () => {
  test('happy: without filter all rows, with the fields of concept and contract together', async () => {
    expect(await callTool(skillListContext(), 'skill_list')).toEqual({
      ok: true,
      data: { skills: [COMMIT, PDF], total_count: 2 },
    });
  });

  test('search: the filter narrows the list, and total_count counts what matched', async () => {
    expect(await callTool(skillListContext(), 'skill_list', { search: 'PDF' })).toEqual({
      ok: true,
      data: { skills: [PDF], total_count: 1 },
    });
  });

  test('capability: the filter narrows the list', async () => {
    expect(await callTool(skillListContext(), 'skill_list', { capability: 'read', search: 'files' })).toEqual(
      {
        ok: true,
        data: { skills: [PDF], total_count: 1 },
      },
    );
  });

  test('invalid input: a wrong type is answered with INVALID_PARAMS and its issues', async () => {
    expect(await callTool(skillListContext(), 'skill_list', { search: 42 })).toEqual({
      ok: false,
      error: {
        code: 'INVALID_PARAMS',
        message: 'schema validation failed',
        details: {
          issues: [
            {
              code: 'invalid_type',
              expected: 'string',
              path: ['search'],
              message: 'Invalid input: expected string, received number',
            },
          ],
        },
      },
    });
  });

  test('a database that fails is answered with HANDLER_ERROR', async () => {
    const db = new Database(':memory:');
    onTestFinished(() => void db.close());
    const ctx = testContext();
    registerSkillTools(ctx, db);
    expect(await callTool(ctx, 'skill_list')).toEqual({
      ok: false,
      error: { code: 'HANDLER_ERROR', message: 'no such table: skills' },
    });
  });

  test('middleware conformance: the audit sink sees enter and exit of the same call', async () => {
    const ctx = skillListContext();
    await callTool(ctx, 'skill_list', { search: 'pdf' });
    expect(ctx.audit.seen).toEqual(['audit-enter', 'audit-exit']);
    expect(ctx.audit.entered[0]).toMatchObject({ tool: 'skill_list', input: { search: 'pdf' } });
    expect(ctx.audit.exited[0]).toMatchObject({
      tool: 'skill_list',
      callId: ctx.audit.entered[0]?.callId,
      durationMs: 0,
      result: { skills: [PDF], total_count: 1 },
    });
  });
});

describe('corpus load test', () => {
  const workspace = fileURLToPath(new URL('../../../', import.meta.url));
  const corpus = path.join(workspace, '.agents', 'skills');
  const onDisk = readdirSync(corpus)
    .filter((name) => existsSync(path.join(corpus, name, 'SKILL.md')))
    .sort();

  test('our own skills all load: as many as there are directories with a SKILL.md', () => {
    const index = testIndex();
    const result = index.load(corpus, { workspace });
    expect(onDisk.length).toBeGreaterThan(0);
    expect(index.lines).toEqual([`[colibri] skills loaded: ${onDisk.length}, skipped: 0, pruned: 0`]);
    expect(result).toEqual({
      loaded: onDisk.length,
      skipped: 0,
      pruned: 0,
      total_on_disk: onDisk.length,
    });
  });

  test('every one of them is listed under its directory name and can be fetched', () => {
    const index = testIndex();
    index.load(corpus, { workspace });
    const rows = listSkills(index.db);
    expect(namesOf(rows)).toEqual(onDisk);
    expect(rows.map(({ name }) => getSkill(index.db, name))).toEqual(rows);
    expect(rows.map((row) => row.source_path)).toEqual(
      onDisk.map((name) => `.agents/skills/${name}/SKILL.md`),
    );
  });
});
