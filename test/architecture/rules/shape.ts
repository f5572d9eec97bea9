/** How files hang together and what they are called. */
import path from 'node:path';

import { at, type Finding, type Rule } from '../rule.ts';
import type { SourceModule } from '../source-module.ts';

/** Type-only and lazy imports count: a circle of names is a circle for the reader, too. */
export const noCycles: Rule = {
  name: 'no-cycles',
  *check({ modules }) {
    const graph = new Map(modules.map((module) => [module.path, ownTargets(module)]));
    const done = new Set<string>();
    for (const start of [...graph.keys()].sort()) {
      if (done.has(start)) continue;
      const circle = shortestCircle(graph, start);
      if (circle === null) continue;
      for (const file of circle) done.add(file);
      yield { file: start, message: `imports itself: ${[...circle, start].join(' → ')}` };
    }
  },
};

function ownTargets(module: SourceModule): readonly string[] {
  return module.imports.filter(({ kind }) => kind === 'own').map(({ target }) => target);
}

function shortestCircle(
  graph: ReadonlyMap<string, readonly string[]>,
  start: string,
): readonly string[] | null {
  const queue: string[][] = [[start]];
  const seen = new Set<string>();
  for (let trail = queue.shift(); trail !== undefined; trail = queue.shift()) {
    for (const next of graph.get(trail.at(-1) ?? start) ?? []) {
      if (next === start) return trail;
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push([...trail, next]);
    }
  }
  return null;
}

export const noBarrels: Rule = {
  name: 'no-barrels',
  *check({ modules }) {
    for (const module of modules) {
      if (/^index\.[cm]?[jt]sx?$/.test(path.posix.basename(module.path))) {
        yield at(module, 1, 'is an index file; name it after what it holds');
      }
      yield* reExports(module);
    }
  },
};

function* reExports(module: SourceModule): Generator<Finding> {
  const imported = new Set<string>();
  for (const statement of module.program.body) {
    if (statement.type !== 'ImportDeclaration') continue;
    for (const { local } of statement.specifiers) imported.add(local.name);
  }
  for (const statement of module.program.body) {
    const line = module.lineOf(statement.start);
    if (statement.type === 'ExportAllDeclaration') {
      yield at(module, line, `re-exports ${statement.source.value}; let its users import it`);
    }
    if (statement.type !== 'ExportNamedDeclaration') continue;
    if (statement.source !== null) {
      yield at(module, line, `re-exports ${statement.source.value}; let its users import it`);
    }
    for (const { local } of statement.source === null ? statement.specifiers : []) {
      if (local.type === 'Identifier' && imported.has(local.name)) {
        yield at(module, line, `re-exports the imported ${local.name}; let its users import it`);
      }
    }
  }
}

const VAGUE = /^(?:.+-)?(?:utils?|helpers?|types|common|misc|manager)$/;
const KEBAB = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

export const tellingNames: Rule = {
  name: 'telling-names',
  *check({ modules }) {
    for (const module of modules) {
      const name = path.posix.basename(module.path, '.ts');
      if (VAGUE.test(name))
        yield at(module, 1, `"${name}" says nothing; name the file after the noun it holds`);
      if (!KEBAB.test(name)) yield at(module, 1, `"${name}" is not kebab-case`);
    }
  },
};
