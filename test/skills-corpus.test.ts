import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { SETTINGS } from '../src/config-settings.ts';
import { DRIFT_KINDS } from '../src/domains/integrity/drift.ts';
import { DIAGNOSTIC_CODES } from '../src/domains/skills/diagnostic-codes.ts';
import { inspectSkill } from '../src/domains/skills/inspect.ts';
import { FINDING_GROUPS } from '../src/domains/skills/report.ts';
import { ERROR_CODES } from '../src/lib/errors.ts';
import { startup } from '../src/startup.ts';
import { commandComplaints } from './support/command-lines.ts';
import { codeSpans, colibriCommands, fences } from './support/markdown.ts';

const repository = path.resolve(import.meta.dirname, '..');
const canonical = path.join(repository, '.agents/skills');
const mirror = path.join(repository, '.claude/skills');
const names = readdirSync(canonical).sort();
const textOf = (name: string): string => readFileSync(path.join(canonical, name, 'SKILL.md'), 'utf8');

describe("Colibri's own skills", () => {
  it('are all indexed and published, each in its own version, with the mirror in their shadow', async () => {
    const runtime = await startup({
      workspace: repository,
      // Skills of whoever runs the tests must not count.
      home: path.join(repository, 'no-such-home'),
      dbPath: ':memory:',
      env: {},
      logger: () => undefined,
      exit: () => undefined,
    });
    try {
      const own = runtime.skills.list();
      expect(own.map(({ name, source }) => ({ name, source }))).toEqual(
        names.map((name) => ({ name, source: 'workspace' })),
      );
      expect(own.filter(({ version }) => version === null)).toEqual([]);
      expect(runtime.skills.shadowed().map(({ name, source }) => `${source} ${name}`)).toEqual(
        names.map((name) => `mirror ${name}`),
      );
      expect(runtime.skills.publishedPage({ limit: 100 }).skills.map(({ name }) => name)).toEqual(names);
    } finally {
      await runtime.close();
    }
  });

  it('are mirrored byte for byte', () => {
    expect(treeOf(mirror)).toEqual(treeOf(canonical));
  });

  it('are worth the name of a corpus', () => {
    expect(names.length).toBeGreaterThanOrEqual(6);
  });

  describe.each(names)('%s', (name) => {
    it('can be published without a single finding', () => {
      const { skill, diagnostics } = inspectSkill(path.join(canonical, name), { profile: 'publish' });
      expect(diagnostics).toEqual([]);
      expect(skill?.bodyTokens).toBeLessThan(5000);
      expect(skill?.capabilities).not.toEqual([]);
    });

    it('mentions only commands and flags that exist', () => {
      expect(colibriCommands(textOf(name))).not.toEqual([]);
      expect(commandComplaints(textOf(name))).toEqual([]);
    });

    it('mentions only diagnostics and error codes that exist', () => {
      const codes = codeSpans(textOf(name)).filter((span) => CODE_LIKE.test(span));
      expect(codes.filter((code) => !KNOWN.has(code))).toEqual([]);
    });

    it('shows only JSON that parses', () => {
      for (const { text } of fences(textOf(name), 'json')) expect(() => JSON.parse(text)).not.toThrow();
    });
  });
});

/** `name-directory` or `DB_BUSY`. */
const CODE_LIKE = /^(?:[a-z]{2,}(?:-[a-z]+)+|[A-Z]+(?:_[A-Z]+)+)$/;
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(DIAGNOSTIC_CODES),
  ...Object.keys(ERROR_CODES),
  ...FINDING_GROUPS,
  ...DRIFT_KINDS,
  ...SETTINGS.flatMap(({ env }) => (env === null ? [] : [env])),
  ...names,
  // A field of the frontmatter and the skill of the examples are spelt like diagnostics.
  'allowed-tools',
  'disallowed-tools',
  'rotate-api-keys',
]);

/** Relative path → content in base64, of all files. */
function treeOf(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const pairs = files.map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return [path.relative(root, file), readFileSync(file).toString('base64')] as const;
  });
  return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)));
}
