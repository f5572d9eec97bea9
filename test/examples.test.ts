/** Every example runs to its end on a clean machine and says so itself. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

const EXAMPLES = path.resolve(import.meta.dirname, '../examples');
const names = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test('there are examples', () => {
  expect(names).toContain('anthropic-tools');
});

// They import the package by its name, as a user would, so they run against what was built.
test.each(names)('%s', async (name) => {
  const main = path.join(EXAMPLES, name, 'main.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', main], {
    cwd: path.dirname(EXAMPLES),
    env: { PATH: process.env['PATH'] },
  });
  expect(stdout).toMatch(/^ok: .+\n$/);
  expect(stderr).toBe('');
});
