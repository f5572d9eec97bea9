/** Filters take what the user typed literally, in any script. */
import { describe, expect, test } from 'vitest';

import { listSkills, registerSkillTools } from '../../../src/domains/skills/repository.ts';
import { callTool, testContext } from '../../support/kernel.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { namesOf, openMemory, seedContractedRow, testIndex } from '../../support/skill-index.ts';

const DESCRIPTIONS = {
  percent: 'Saves 100% of the time.',
  underscore: 'Handles snake_case names.',
  backslash: 'Escapes C:\\temp paths.',
  umlaut: 'Behebt ÄRGER mit ÖLTANKS.',
  sharp: 'Findet jede Straße.',
  sigma: 'Δείχνει την ΟΔΟΣ.',
  plain: 'Saves 100 percent of snakeXcase.',
};

/** Once through the loader and once as bare rows, because the two are searched differently. */
const writers: [string, () => ReturnType<typeof openMemory>][] = [
  [
    'loaded from disk',
    () => {
      const index = testIndex();
      for (const [name, description] of Object.entries(DESCRIPTIONS)) {
        writeSkill(index.root, name, { description });
      }
      index.load();
      return index.db;
    },
  ],
  [
    'written by plain SQL with the ten contracted columns',
    () => {
      const db = openMemory();
      for (const [name, description] of Object.entries(DESCRIPTIONS)) {
        seedContractedRow(db, name, { description });
      }
      return db;
    },
  ],
];

describe.each(writers)('search in skills %s', (_, open) => {
  test.each([
    ['%', ['percent']],
    ['100%', ['percent']],
    ['_', ['underscore']],
    ['snake_case', ['underscore']],
    ['\\', ['backslash']],
    ['c:\\TEMP', ['backslash']],
    ["'", []],
    ['ärger', ['umlaut']],
    ['öltanks', ['umlaut']],
    ['STRASSE', ['sharp']],
    ['STRAẞE', ['sharp']],
    ['straße', ['sharp']],
    ['οδος', ['sigma']],
    ['οδοσ', ['sigma']],
    ['ΔΕΊΧΝΕΙ', ['sigma']],
  ])('%s is meant literally, in any case', (search, expected) => {
    expect(namesOf(listSkills(open(), { search }))).toEqual(expected);
  });
});

const CAPABILITIES = {
  quote: ['say "hi"'],
  backslash: ['a\\b', '\\'],
  comma: ['a,b', ','],
  pair: ['read', 'write'],
  bracket: ['[', '%'],
  umlaut: ['größe'],
};

const capabilityWriters: [string, () => ReturnType<typeof openMemory>][] = [
  [
    'loaded from disk',
    () => {
      const index = testIndex();
      for (const [name, list] of Object.entries(CAPABILITIES)) {
        writeSkill(index.root, name, { lines: [`capabilities: ${JSON.stringify(list)}`] });
      }
      index.load();
      return index.db;
    },
  ],
  [
    'written by plain SQL with the ten contracted columns',
    () => {
      const db = openMemory();
      for (const [name, capabilities] of Object.entries(CAPABILITIES)) {
        seedContractedRow(db, name, { capabilities });
      }
      return db;
    },
  ],
];

describe.each(capabilityWriters)('capability of skills %s', (_, open) => {
  test.each([
    ['say "hi"', ['quote']],
    ['say \\"hi\\"', []],
    ['hi', []],
    ['"', []],
    ['a\\b', ['backslash']],
    ['a\\\\b', []],
    ['\\', ['backslash']],
    ['a,b', ['comma']],
    [',', ['comma']],
    ['","', []],
    ['read","write', []],
    ['[', ['bracket']],
    ['%', ['bracket']],
    ['rea_', []],
    ['größe', ['umlaut']],
    ['GRÖSSE', []],
  ])('%s matches exactly or not at all', (capability, expected) => {
    expect(namesOf(listSkills(open(), { capability }))).toEqual(expected);
  });
});

test('a bare row is listed by the tool with the middle tier', async () => {
  const db = openMemory();
  seedContractedRow(db, 'bare', { capabilities: ['x'] });
  const ctx = testContext();
  registerSkillTools(ctx, db);
  expect(await callTool(ctx, 'skill_list', { search: 'BARE', capability: 'x' })).toEqual({
    ok: true,
    data: {
      skills: [
        {
          name: 'bare',
          version: null,
          description: 'About bare.',
          capabilities: ['x'],
          greek_letter: null,
          path: '.agents/skills/bare/SKILL.md',
          tier: 2,
          invokable_by: ['T0', 'T1', 'T2', 'T3'],
          source: 'workspace',
          source_dir: '',
        },
      ],
      total_count: 1,
    },
  });
});
