import fc from 'fast-check';
import { expect, test } from 'vitest';

import { GLOBAL_OPTIONS } from '../../../src/surfaces/cli/common-options.ts';
import { plainFlags } from '../../../src/surfaces/cli/plain-words.ts';
import { tryParse } from '../../../src/surfaces/cli/run-parsed.ts';

const OPTIONS = GLOBAL_OPTIONS.filter(({ flag }) => flag !== '--version');
const WORDS = [
  '--db',
  '--workspace',
  '--quiet',
  '--no-color',
  '-q',
  '--db=x',
  '--',
  '-',
  '',
  'x',
  '~/y',
  '--nonsense',
];

test('words that are read without the parser are read as it does', () => {
  let read = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }), (words) => {
      const flags = plainFlags(words, OPTIONS);
      if (flags === null) return;
      read++;
      const { invocation } = tryParse(words, { commands: [], globals: OPTIONS });
      expect(invocation?.flags).toEqual(flags);
    }),
    { numRuns: 2000 },
  );
  // Otherwise it would hold because nothing is ever read.
  expect(read).toBeGreaterThan(50);
});
