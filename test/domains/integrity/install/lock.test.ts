import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { pinFiles, treeDigest } from '../../../../src/domains/integrity/install/bundle.ts';
import { createNameSet, nameProblem } from '../../../../src/domains/integrity/install/entry-name.ts';
import { formatLock, type LockEntry, parseLock } from '../../../../src/domains/integrity/install/lock.ts';
import { parsePolicy } from '../../../../src/domains/policy/schema.ts';
import { decideSource } from '../../../../src/domains/policy/source-rules.ts';
import { fences } from '../../../support/markdown.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';

const REPOSITORY = path.resolve(import.meta.dirname, '../../../..');

function entryWith(files: readonly { readonly path: string; readonly text: string }[]): LockEntry {
  const pinned = pinFiles(
    files.map(({ path: name, text }) => ({ path: name, bytes: Buffer.from(text), executable: false })),
  );
  return {
    kind: 'git',
    source: 'https://example.org/r.git',
    ref: null,
    commit: 'a'.repeat(40),
    subpath: '',
    artifact: null,
    accepted: [],
    digest: treeDigest(pinned),
    files: pinned,
  };
}

describe('a lock', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);

  test('reads back as it was written, in the same bytes', () => {
    const entries = fc.uniqueArray(fc.record({ path: word, text: fc.string() }), {
      selector: ({ path: name }) => name,
    });
    fc.assert(
      fc.property(fc.dictionary(word, entries), (skills) => {
        const lock = {
          version: 1 as const,
          skills: Object.fromEntries(Object.entries(skills).map(([name, files]) => [name, entryWith(files)])),
        };
        const text = formatLock(lock);
        const parsed = parseLock(text);
        expect(parsed.ok && formatLock(parsed.lock)).toBe(text);
        const turned = { ...lock, skills: Object.fromEntries(Object.entries(lock.skills).reverse()) };
        expect(formatLock(turned)).toBe(text);
      }),
    );
  });

  test('changes its digest with every byte, name and mode', () => {
    const base = [{ path: 'a', bytes: Buffer.from('x'), executable: false }];
    const digests = [
      base,
      [{ ...base[0], bytes: Buffer.from('y') }],
      [{ ...base[0], path: 'b' }],
      [{ ...base[0], executable: true }],
      [],
    ].map((files) => treeDigest(pinFiles(files as typeof base)));
    expect(new Set(digests).size).toBe(5);
  });

  test('has a schema for editors that is what the code accepts (`npm run schemas` writes it anew)', () => {
    const folder = temporaryDirectory();
    execFileSync(process.execPath, [
      '--import',
      'tsx',
      path.join(REPOSITORY, 'scripts/write-schemas.ts'),
      folder,
    ]);
    const name = 'colibri.lock.schema.json';
    expect(readFileSync(path.join(REPOSITORY, 'schema', name), 'utf8')).toBe(
      readFileSync(path.join(folder, name), 'utf8'),
    );
  });
});

describe('names of files', () => {
  test('a name that is taken stays below its folder, whatever it is made of', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', ' ', '~', 'C:', '\\', '/', '%2e', '\u0000', 'é'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const name = parts.join('/');
        if (nameProblem(name) !== null) return;
        expect(path.join('/safe', name).startsWith('/safe/')).toBe(true);
        expect(path.posix.normalize(name)).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });

  test('two names that are taken are never one on a file system that folds case', () => {
    const names = fc.array(fc.stringMatching(/^[aAbBſsSKk]{1,2}(?:\/[aA]){0,2}$/), { maxLength: 8 });
    fc.assert(
      fc.property(names, (candidates) => {
        const set = createNameSet();
        const taken = candidates.filter((name) => set.add(name) === null);
        expect(new Set(taken.map((name) => name.toLowerCase())).size).toBe(taken.length);
      }),
    );
  });
});

describe('rules for sources', () => {
  const rules = [
    { effect: 'deny', source: 'https://github.com/evil/**', reason: 'no' },
    { effect: 'allow', source: 'https://github.com/our-team/*' },
    { effect: 'allow', source: 'file:///srv/**' },
  ] as const;

  test.each([
    ['https://github.com/our-team/skills', 'allow', 2],
    ['https://github.com/our-team/skills/more', 'ask', null],
    ['https://github.com/Our-Team/skills', 'ask', null],
    ['https://github.com/EVIL/skills', 'deny', 1],
    ['https://github.com/our-team-evil/skills', 'ask', null],
    ['file:///srv/a/b', 'allow', 3],
    ['file:///etc', 'ask', null],
  ])('%s: %s', (source, effect, rule) => {
    expect(decideSource(rules, source, { vouched: true })).toMatchObject({ effect, rule });
  });

  test('a file that nobody vouched for can only take away', () => {
    const decide = (source: string) => decideSource(rules, source, { vouched: false }).effect;
    expect([decide('file:///srv/a'), decide('https://github.com/evil/x')]).toEqual(['ask', 'deny']);
  });

  test('are written as docs/install.md shows', () => {
    const [shown] = fences(readFileSync(path.join(REPOSITORY, 'docs/install.md'), 'utf8'), 'yaml');
    const { policy, problem } = parsePolicy(shown?.text ?? '', 'docs');
    expect({ problem, rules: policy.install.length }).toEqual({ problem: null, rules: 3 });
  });

  test('with a misspelt key are refused with the key that was meant', () => {
    const { problem } = parsePolicy('install:\n  - { effect: allow, sourc: x }\n', 'p');
    expect(problem).toMatchObject({ line: 2, message: expect.stringMatching(/source/) });
  });
});
