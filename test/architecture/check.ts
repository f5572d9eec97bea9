import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Rule, Tree, Violation } from './rule.ts';
import { ambientAtHome } from './rules/ambient.ts';
import {
  composition,
  domainOrder,
  foundation,
  knownPlaces,
  pureDeciders,
  surfacesApart,
} from './rules/import-direction.ts';
import { migrationsLocked } from './rules/migrations.ts';
import { databaseAtHome, frameworksAtHome } from './rules/packages.ts';
import { noBarrels, noCycles, tellingNames } from './rules/shape.ts';
import { noSideEffects } from './rules/side-effects.ts';
import { sizeLimits } from './rules/size.ts';
import { strictSyntax } from './rules/strict-syntax.ts';
import { parseSourceModule } from './source-module.ts';

export const RULES: readonly Rule[] = [
  foundation,
  domainOrder,
  surfacesApart,
  composition,
  knownPlaces,
  databaseAtHome,
  pureDeciders,
  frameworksAtHome,
  noCycles,
  noBarrels,
  tellingNames,
  noSideEffects,
  ambientAtHome,
  sizeLimits,
  migrationsLocked,
  strictSyntax,
];

/** Paths are relative to the repository, with forward slashes; the rules look at `src/` only. */
export function check(files: ReadonlyMap<string, string>, rules: readonly Rule[] = RULES): Violation[] {
  const modules = [...files]
    .filter(([file]) => file.startsWith('src/') && file.endsWith('.ts'))
    .map(([file, text]) => parseSourceModule(file, text));
  const tree: Tree = { files, modules };
  return rules.flatMap(({ name, check: run }) =>
    Array.from(run(tree), (finding) => ({ rule: name, ...finding })),
  );
}

export function readTree(root: string): ReadonlyMap<string, string> {
  const entries = readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = path.join(entry.parentPath, entry.name);
        return [path.relative(root, file).split(path.sep).join('/'), readFileSync(file, 'utf8')];
      }),
  );
}

/** One line per violation, grouped by rule. */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ rule, file, message }) => `[${rule}] ${file}: ${message}`).join('\n');
}
