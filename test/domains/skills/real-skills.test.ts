/** A collection of public skills, where there is one: nothing that is found may get lost without a word. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { testRegistry } from '../../support/registry.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const repository = path.resolve(import.meta.dirname, '../../..');
const data = process.env['COLIBRI_DATA'] ?? path.resolve(repository, '../shared/data');
const archive = path.join(data, 'skills.tar.gz');
const DEPTH_MAX = 8;

test.each(['strict', 'lenient'] as const)(
  'every SKILL.md is indexed, shadowed, or rejected with a reason (%s)',
  (profile) => {
    if (!existsSync(archive)) {
      process.stderr.write(`no collection of public skills at ${archive}; set COLIBRI_DATA to check one\n`);
      return;
    }
    const directory = temporaryDirectory();
    execFileSync('tar', ['-xzf', archive, '-C', directory]);
    const registry = testRegistry({ workspace: directory });
    const root = registry.root('.', { profile, depth: DEPTH_MAX, path: directory, display: directory });
    registry.scan([root]);
    const { skills, skill_shadowed, skill_rejections, skill_aliases } = registry.content();
    const rejected = skill_rejections as readonly { directory: string; diagnostics: string }[];
    expect(rejected.filter(({ diagnostics }) => !diagnostics.includes('"severity":"error"'))).toEqual([]);
    const hints = rejected.filter(({ diagnostics }) => /skill-md-missing|link-/.test(diagnostics));
    const accounted = skills.length + skill_shadowed.length + rejected.length - hints.length;
    process.stderr.write(
      `${profile}: ${skills.length} indexed, ${skill_shadowed.length} shadowed, ${rejected.length} rejected, ${skill_aliases.length} aliases\n`,
    );
    expect(accounted).toBe(skillFolders(directory, 1).length);
    expect(registry.scan([root])).toBeNull();
    expect(registry.content()).toEqual(registry.fresh([root]));
  },
);

/** Folders with a SKILL.md, by the rules of a scan but without its code: no hidden ones, none inside another skill. */
function skillFolders(directory: string, level: number): readonly string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  if (entries.some(({ name }) => name === 'SKILL.md')) return [directory];
  if (level > DEPTH_MAX) return [];
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .flatMap((entry) => skillFolders(path.join(directory, entry.name), level + 1));
}
