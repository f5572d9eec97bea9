import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { DOCTOR_CODES } from '../../../../src/domains/integrity/doctor/diagnosis.ts';

test('docs/doctor.md lists every code of the doctor as it is', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/doctor.md'), 'utf8');
  const rows = Array.from(page.matchAll(/^\| `([a-z-]+)` \| (.+?) \| .+ \|$/gm), ([, code, meaning]) => [
    code,
    meaning,
  ]);
  expect(rows).toEqual(Object.entries(DOCTOR_CODES));
});
