import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

import { inspectSkill } from '../../../src/domains/skills/inspect.ts';
import type { Profile } from '../../../src/domains/skills/schema.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures/skills');

type Expected = Readonly<Record<Profile, readonly string[]>>;

const VALID: Expected = { strict: [], lenient: [], publish: [] };

function always(...found: readonly string[]): Expected {
  return { strict: found, lenient: found, publish: found };
}

/** What each fixture teaches: its findings under each profile. */
const LESSONS: Readonly<Record<string, Expected>> = {
  'minimal-skill': VALID,
  'every-standard-field': VALID,
  'carried-fields': VALID,
  'top-level-fields': {
    strict: [],
    lenient: [],
    publish: Array.from({ length: 10 }, () => 'error nonstandard-field'),
  },
  'unquoted-colon': {
    strict: ['error yaml-invalid'],
    lenient: ['warning yaml-repaired'],
    publish: ['error yaml-invalid'],
  },
  'wrong-directory': {
    strict: ['error name-directory'],
    lenient: ['warning name-directory'],
    publish: ['error name-directory'],
  },
  'list-in-metadata': {
    strict: ['error field-type'],
    lenient: ['warning metadata-coerced'],
    publish: ['error field-type'],
  },
  'unquoted-version': {
    strict: ['warning metadata-coerced'],
    lenient: ['warning metadata-coerced'],
    publish: ['error metadata-coerced'],
  },
  'tools-as-list': {
    strict: ['warning tools-list'],
    lenient: ['warning tools-list'],
    publish: ['error tools-list'],
  },
  'anchor-and-alias': always('error yaml-unsupported'),
  'code-fence': always('error frontmatter-missing'),
  'widened-tier': {
    strict: ['warning tier-widened'],
    lenient: ['warning tier-widened'],
    publish: ['error nonstandard-field', 'error nonstandard-field', 'warning tier-widened'],
  },
  'misspelt-file': always('error skill-md-missing'),
};

it('has an expectation for every fixture', () => {
  expect(Object.keys(LESSONS).sort()).toEqual(fs.readdirSync(FIXTURES).sort());
});

it.each(Object.entries(LESSONS))('%s', (name, expected) => {
  for (const profile of ['strict', 'lenient', 'publish'] as const) {
    const { skill, diagnostics } = inspectSkill(path.join(FIXTURES, name), { profile });
    const found = diagnostics.map(({ code, severity }) => `${severity} ${code}`);
    expect({ profile, found }).toEqual({ profile, found: expected[profile] });
    expect(skill === null).toBe(found.some((line) => line.startsWith('error')));
  }
});
