/** Time, chance, environment and exit come from named files only; everything else gets them handed in. */
import type { Node } from 'oxc-parser';

import { at, type Rule } from '../rule.ts';
import type { SourceModule, Visit } from '../source-module.ts';

type Ambient = 'exit' | 'env' | 'console' | 'time' | 'chance';

const HOMES: Readonly<Record<Ambient, readonly string[]>> = {
  exit: ['src/cli.ts'],
  env: ['src/cli.ts', 'src/config.ts'],
  console: ['src/cli.ts'],
  time: ['src/cli.ts', 'src/lib/clock.ts'],
  chance: ['src/cli.ts', 'src/lib/ids.ts'],
};

const FIXES: Readonly<Record<Ambient, string>> = {
  exit: 'throw, and let cli.ts choose the exit code',
  env: 'add a setting to src/config.ts',
  console: 'take a logger as an argument',
  time: 'take the clock of src/lib/clock.ts as an argument',
  chance: 'take the ids of src/lib/ids.ts as an argument',
};

/** Members of globals, and names that Node's modules export. */
const MEMBERS: ReadonlyMap<string, Ambient> = new Map([
  ['process.exit', 'exit'],
  ['process.exitCode', 'exit'],
  ['process.abort', 'exit'],
  ['process.env', 'env'],
  ['process.hrtime', 'time'],
  ['Date.now', 'time'],
  ['performance.now', 'time'],
  ['Math.random', 'chance'],
]);
const RANDOM_NAMES: ReadonlySet<string> = new Set([
  'randomUUID',
  'randomBytes',
  'randomInt',
  'randomFillSync',
  'getRandomValues',
]);

export const ambientAtHome: Rule = {
  name: 'ambient-at-home',
  *check({ modules }) {
    for (const module of modules) {
      const told = new Set<string>();
      for (const visit of module.visits) {
        const found = ambientOf(visit);
        if (found === null || isAtHome(module, found.ambient, visit)) continue;
        const line = module.lineOf(visit.node.start);
        const key = `${line} ${found.ambient}`;
        if (told.has(key)) continue;
        told.add(key);
        yield at(module, line, `uses ${found.what}; ${FIXES[found.ambient]}`);
      }
    }
  },
};

interface Found {
  readonly ambient: Ambient;
  readonly what: string;
}

function ambientOf({ node, ancestors }: Visit): Found | null {
  switch (node.type) {
    case 'MemberExpression':
      return ofMember(node);
    case 'Identifier':
      return ofName(node, ancestors.at(-1));
    case 'VariableDeclarator':
      return ofDestructuring(node);
    case 'ImportSpecifier':
      return ofImport(node, ancestors.at(-1));
    case 'NewExpression':
    case 'CallExpression':
      // `new Date(value)` only converts; without an argument it reads the clock.
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'Date' || node.arguments.length > 0)
        return null;
      return { ambient: 'time', what: 'the present date' };
    default:
      return null;
  }
}

function ofMember(node: Extract<Node, { type: 'MemberExpression' }>): Found | null {
  const what = `${nameOf(node.object)}.${propertyOf(node)}`;
  const ambient = MEMBERS.get(what);
  return ambient === undefined ? null : { ambient, what };
}

function ofName(node: Extract<Node, { type: 'Identifier' }>, parent: Node | undefined): Found | null {
  if (RANDOM_NAMES.has(node.name)) return { ambient: 'chance', what: node.name };
  if (node.name !== 'console') return null;
  const isProperty = parent?.type === 'MemberExpression' && parent.property === node && !parent.computed;
  const isKey = parent?.type === 'Property' && parent.key === node && !parent.shorthand;
  const isTypeKey = parent?.type === 'TSPropertySignature';
  const fromGlobal = isProperty && nameOf(parent.object) === 'globalThis';
  return (isProperty && !fromGlobal) || isKey || isTypeKey ? null : { ambient: 'console', what: 'console' };
}

function ofDestructuring(node: Extract<Node, { type: 'VariableDeclarator' }>): Found | null {
  if (node.id.type !== 'ObjectPattern' || node.init === null) return null;
  for (const property of node.id.properties) {
    if (property.type !== 'Property' || property.key.type !== 'Identifier') continue;
    const what = `${nameOf(node.init)}.${property.key.name}`;
    const ambient = MEMBERS.get(what);
    if (ambient !== undefined) return { ambient, what };
  }
  return null;
}

function ofImport(node: Extract<Node, { type: 'ImportSpecifier' }>, parent: Node | undefined): Found | null {
  if (parent?.type !== 'ImportDeclaration' || node.imported.type !== 'Identifier') return null;
  if (!/^(?:node:)?process$/.test(parent.source.value)) return null;
  const what = `process.${node.imported.name}`;
  const ambient = MEMBERS.get(what);
  return ambient === undefined ? null : { ambient, what };
}

function nameOf(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  // globalThis.process is process.
  if (node.type === 'MemberExpression' && nameOf(node.object) === 'globalThis') return propertyOf(node);
  return '';
}

function propertyOf(node: Extract<Node, { type: 'MemberExpression' }>): string {
  if (!node.computed && node.property.type === 'Identifier') return node.property.name;
  return node.property.type === 'Literal' ? String(node.property.value) : '';
}

function isAtHome(module: SourceModule, ambient: Ambient, visit: Visit): boolean {
  if (HOMES[ambient].includes(module.path)) return true;
  return ambient === 'exit' && module.path === 'src/startup.ts' && isDefault(module, visit);
}

/** Start-up may exit the process only where the caller did not say how: `exit ?? process.exit`, `exit = process.exit`. */
function isDefault(module: SourceModule, { node, ancestors }: Visit): boolean {
  if (isFallback(node, ancestors)) return true;
  const wrapper = ancestors.findLast(({ type }) => type === 'FunctionDeclaration');
  if (wrapper?.type !== 'FunctionDeclaration' || wrapper.id === null) return false;
  const { id } = wrapper;
  const uses = module.visits.filter(
    (visit) => visit.node.type === 'Identifier' && visit.node.name === id.name && visit.node !== id,
  );
  return uses.length > 0 && uses.every((use) => isFallback(use.node, use.ancestors));
}

function isFallback(node: Node, ancestors: readonly Node[]): boolean {
  let inner = node;
  for (const outer of ancestors.toReversed()) {
    if (outer.type === 'LogicalExpression' && outer.operator === '??' && outer.right === inner) return true;
    if (outer.type === 'AssignmentPattern' && outer.right === inner) return true;
    inner = outer;
  }
  return false;
}
