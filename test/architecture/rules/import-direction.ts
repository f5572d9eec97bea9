/** Who may import whom: one rule for each kind of importer, so that a fault has exactly one name. */
import { DOMAIN_ORDER, IO_FILES, isDecider, isRepository, type Place, placeOf } from '../places.ts';
import { at, type Finding, type Rule, type Tree } from '../rule.ts';
import type { ImportEdge, SourceModule } from '../source-module.ts';

/** Why the import is not allowed, or null. */
type Judge = (from: Place, to: Place, edge: ImportEdge) => string | null;

export const foundation: Rule = ruleOf('foundation', {
  layers: ['lib', 'db', 'kernel', 'config'],
  judge: (from, to) => {
    if (to.layer === 'lib' || to.layer === from.layer) return null;
    return from.layer === 'lib' ? 'lib imports nothing but lib' : `${from.layer} imports only lib`;
  },
});

export const domainOrder: Rule = ruleOf('domain-order', { layers: ['domain'], judge: judgeDomain });

export const surfacesApart: Rule = ruleOf('surfaces-apart', { layers: ['surface'], judge: judgeSurface });

export const composition: Rule = ruleOf('composition', {
  layers: ['startup', 'cli-entry', 'library-entry'],
  judge: judgeComposition,
});

export const knownPlaces: Rule = {
  name: 'known-places',
  *check({ modules }) {
    for (const module of modules) {
      const place = placeOf(module.path);
      if (place.layer === 'unknown') {
        yield at(module, 1, 'stands outside the tree; move it to lib, db, a domain or a surface');
      }
      if (place.layer === 'domain' && !DOMAIN_ORDER.includes(place.name)) {
        yield at(module, 1, `the domain "${place.name}" has no place in DOMAIN_ORDER; give it one`);
      }
      for (const edge of module.imports) {
        if (edge.kind === 'computed') yield at(module, edge.line, 'imports a computed path; write it out');
        if (edge.target === 'colibri')
          yield at(module, edge.line, 'imports its own package; import the file');
      }
    }
  },
};

export const pureDeciders: Rule = {
  name: 'pure-deciders',
  *check({ modules }) {
    for (const module of modules) {
      if (isDecider(module.path)) yield* worldlyThings(module);
      if (IO_FILES.has(module.path) && worldlyThings(module).next().done) {
        yield at(module, 1, 'touches nothing of the world any more; take it off IO_FILES');
      }
    }
  },
};

function* worldlyThings(module: SourceModule): Generator<Finding> {
  for (const edge of module.imports) {
    const reason = impureImport(edge);
    if (reason === null) continue;
    const message = `a decider imports ${edge.specifier}: ${reason}; hand the fact in as a value`;
    yield at(module, edge.line, message);
  }
  for (const { node } of module.visits) {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') continue;
    if (node.callee.type !== 'Identifier' || !WORLDLY_GLOBALS.has(node.callee.name)) continue;
    const message = `a decider calls ${node.callee.name}; do it in the service`;
    yield at(module, module.lineOf(node.start), message);
  }
}

const WORLDLY_GLOBALS: ReadonlySet<string> = new Set([
  'fetch',
  'WebSocket',
  'EventSource',
  'setTimeout',
  'setInterval',
  'setImmediate',
]);

const WORLDLY_MODULES =
  /^(?:fs|net|tls|http|https|http2|dgram|dns|child_process|worker_threads|cluster|timers|perf_hooks)(?:\/|$)/;
/** Of our own, those that read or write files for others. */
const WORLDLY_LIB = /^src\/lib\/(?:durable-file|file-mark|real-path|regular-file)\.ts$/;
const WORLDLY_PACKAGES: ReadonlySet<string> = new Set(['execa', 'undici', '@parcel/watcher']);

function impureImport(edge: ImportEdge): string | null {
  if (edge.kind === 'node')
    return WORLDLY_MODULES.test(edge.target) ? 'it reaches outside the process' : null;
  if (edge.kind === 'package') {
    return WORLDLY_PACKAGES.has(edge.target) ? 'it reaches outside the process' : null;
  }
  if (isRepository(edge.target)) return 'deciders know no storage';
  const place = placeOf(edge.target);
  if (place.layer === 'db') return 'deciders know no storage';
  if (edge.target === 'src/lib/clock.ts') return 'deciders read no clock';
  if (WORLDLY_LIB.test(edge.target) && !edge.typeOnly) return 'it reaches outside the process';
  // The shapes of a service or a reader may be named; calling them would make the decision depend on the world.
  const isWorldly =
    place.layer === 'domain' && !isDecider(edge.target) && !edge.target.endsWith('/schema.ts');
  return isWorldly && !edge.typeOnly ? 'it reads or writes' : null;
}

function judgeDomain(from: Place, to: Place): string | null {
  if (from.layer !== 'domain') return null;
  switch (to.layer) {
    case 'lib':
    case 'db':
    case 'kernel':
      return null;
    case 'domain':
      if (to.name === from.name) return null;
      if (DOMAIN_ORDER.indexOf(to.name) < DOMAIN_ORDER.indexOf(from.name)) return null;
      return `${from.name} stands before ${to.name}; let the service or startup.ts hand the fact over as a value`;
    default:
      return `a domain does not reach up to ${to.layer}`;
  }
}

function judgeSurface(from: Place, to: Place, edge: ImportEdge): string | null {
  if (from.layer !== 'surface') return null;
  switch (to.layer) {
    case 'lib':
      return null;
    case 'kernel':
    case 'config':
      return edge.typeOnly
        ? null
        : `a surface takes only types from ${edge.target}; the values are handed in`;
    case 'surface':
      return to.name === from.name ? null : 'surfaces do not know each other; share through a service';
    case 'domain':
      return isRepository(edge.target) ? 'a surface calls a service, never a repository' : null;
    default:
      return `a surface does not import ${to.layer}`;
  }
}

function judgeComposition(from: Place, to: Place, edge: ImportEdge): string | null {
  // The launcher of the bundle runs what the bin entry runs.
  if (from.layer === 'cli-entry' && edge.target === 'src/cli-whole.ts') return null;
  if (to.layer === 'cli-entry' || to.layer === 'library-entry') return 'nothing imports an entry file';
  if (to.layer === 'unknown') return 'the target stands outside the tree';
  if (from.layer === 'startup') return null;
  if (to.layer === 'startup' || to.layer === 'lib' || to.layer === 'config') return null;
  if (from.layer === 'cli-entry' && to.layer === 'surface' && to.name === 'cli') return null;
  // The library's users need the names of the values they get.
  if (from.layer === 'library-entry' && edge.typeOnly && to.layer !== 'surface') return null;
  return 'an entry file starts things through startup.ts';
}

function ruleOf(
  name: string,
  who: { readonly layers: readonly Place['layer'][]; readonly judge: Judge },
): Rule {
  return {
    name,
    *check({ modules }: Tree) {
      for (const module of modules) {
        const from = placeOf(module.path);
        if (who.layers.includes(from.layer)) yield* judgeImports(module, from, who.judge);
      }
    },
  };
}

function* judgeImports(module: SourceModule, from: Place, judge: Judge): Generator<Finding> {
  for (const edge of module.imports.filter(({ kind }) => kind === 'own')) {
    const to = placeOf(edge.target);
    const foreign = from.layer === 'domain' && to.layer === 'domain' && from.name !== to.name;
    const reason =
      judge(from, to, edge) ??
      (foreign && isRepository(edge.target)
        ? `the storage of ${to.name} is its own; call its service`
        : null);
    if (reason !== null) yield at(module, edge.line, `imports ${edge.target}: ${reason}`);
  }
}
