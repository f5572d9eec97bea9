import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { inspectSkill } from '../../../src/domains/skills/inspect.ts';
import { REFERENCE_CASES } from './reference-cases.ts';

let root = '';

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'colibri-reference-'));
});

afterEach(() => {
  fs.rmSync(root, { recursive: true });
});

it('covers all 40 cases of the reference suite', () => {
  expect(new Set(REFERENCE_CASES.map(({ id }) => id)).size).toBe(40);
});

it.each(REFERENCE_CASES)('$id', ({ files, directories = [], targets, profile, valid, notion }) => {
  for (const directory of directories) fs.mkdirSync(path.join(root, directory));
  for (const [file, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), content);
  }
  for (const target of targets) {
    const { skill, diagnostics } = inspectSkill(path.join(root, target), { profile });
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    expect({ loaded: skill !== null, errors: errors.length > 0 }).toEqual({ loaded: valid, errors: !valid });
    if (notion !== undefined) expect(errors.map(({ message }) => message).join('\n')).toContain(notion);
  }
});
