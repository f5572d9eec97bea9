import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { REFERENCE_CASES } from '../../domains/skills/reference-cases.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri } from './harness.ts';

// On the command line, no target at all is a mistake of usage; options.test.ts has that.
const CASES = REFERENCE_CASES.filter(({ targets }) => targets.length > 0);

test.each(CASES)('validate judges $id as the reference suite does', async (reference) => {
  const { directories = [], files, targets, profile, valid, notion = '' } = reference;
  const root = temporaryDirectory();
  for (const directory of directories) mkdirSync(path.join(root, directory));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
  const paths = targets.map((target) => path.join(root, target));
  const { code, stdout } = await colibri(['validate', '--json', '--profile', profile, ...paths]);
  const { skills } = JSON.parse(stdout) as { skills: { diagnostics: { message: string }[] }[] };
  const messages = skills.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message));
  expect({ code, checked: skills.length }).toEqual({ code: valid ? 0 : 1, checked: targets.length });
  expect(messages.join('\n')).toContain(notion);
});
