/** Loading a module declares things and builds constants; it never does anything. */
import type { Expression, Node, Statement } from 'oxc-parser';

import { PURE_FACTORIES } from '../places.ts';
import { at, type Finding, type Rule } from '../rule.ts';
import { type SourceModule, walk } from '../source-module.ts';

export const noSideEffects: Rule = {
  name: 'no-side-effects',
  *check({ modules }) {
    for (const module of modules) {
      // The bin entry is started by being loaded.
      if (module.path === 'src/cli.ts') continue;
      const scope = scopeOf(module);
      for (const statement of module.program.body) yield* effectsOf(module, scope, statement);
    }
  },
};

const DECLARATIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'TSDeclareFunction',
  'TSModuleDeclaration',
  'ExportAllDeclaration',
  'ExportDefaultDeclaration',
]);

function* effectsOf(module: SourceModule, scope: Scope, statement: Node): Generator<Finding> {
  const line = module.lineOf(statement.start);
  if (DECLARATIONS.has(statement.type)) return;
  switch (statement.type) {
    case 'ImportDeclaration':
      // `import './x.ts'` can only be meant for its effect.
      if (statement.importKind === 'value' && isBare(module.text.slice(statement.start, statement.end))) {
        yield at(module, line, `imports ${statement.source.value} for its effect`);
      }
      return;
    case 'ExportNamedDeclaration':
      if (statement.declaration !== null) yield* effectsOf(module, scope, statement.declaration);
      return;
    case 'VariableDeclaration':
      for (const { init } of statement.declarations) {
        const impure = init === null ? null : firstImpure(scope, init);
        if (impure !== null) {
          yield at(
            module,
            module.lineOf(impure.start),
            `runs ${excerpt(module, impure)} while loading; put it into a function`,
          );
        }
      }
      return;
    case 'ClassDeclaration':
      for (const member of statement.body.body) {
        const isEager =
          member.type === 'StaticBlock' || (member.type === 'PropertyDefinition' && member.static);
        if (!isEager) continue;
        const impure =
          member.type === 'StaticBlock' ? member : member.value && firstImpure(scope, member.value);
        if (impure)
          yield at(module, module.lineOf(member.start), 'a class does work while loading; use a function');
      }
      return;
    default:
      yield at(module, line, `runs ${excerpt(module, statement)} while loading; put it into a function`);
  }
}

function isBare(importText: string): boolean {
  return /^import\s*['"]/.test(importText);
}

function excerpt(module: SourceModule, node: Node): string {
  const [first = ''] = module.text.slice(node.start, node.end).split('\n');
  return `\`${first.length > 60 ? `${first.slice(0, 60)}…` : first}\``;
}

/** What the names at the top of a module stand for. */
interface Scope {
  /** Local name → what it was imported from. */
  readonly imported: ReadonlyMap<string, string>;
  readonly functions: ReadonlyMap<string, Node>;
  /** Constant → the name that its value is built from: `z` for `const id = z.string()`. */
  readonly built: ReadonlyMap<string, string>;
}

function scopeOf(module: SourceModule): Scope {
  const imported = new Map<string, string>();
  const functions = new Map<string, Node>();
  const built = new Map<string, string>();
  for (const statement of module.program.body) {
    if (statement.type === 'ImportDeclaration') {
      for (const { local } of statement.specifiers) imported.set(local.name, statement.source.value);
    }
    const declared = declarationOf(statement);
    if (declared?.type === 'FunctionDeclaration' && declared.id !== null)
      functions.set(declared.id.name, declared);
    for (const { id, init } of declared?.type === 'VariableDeclaration' ? declared.declarations : []) {
      if (id.type !== 'Identifier' || init === null) continue;
      if (isFunction(init)) functions.set(id.name, init);
      const root = rootOf(init);
      if (root !== null) built.set(id.name, root);
    }
  }
  return { imported, functions, built };
}

function declarationOf(statement: Statement | Node): Node | null {
  return statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
}

const PURE_CLASSES: ReadonlySet<string> = new Set([
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'RegExp',
  'URL',
  'TextDecoder',
  'TextEncoder',
  'Uint8Array',
  'Float64Array',
  'AsyncLocalStorage',
]);
const PURE_FUNCTIONS: ReadonlySet<string> = new Set([
  'Symbol',
  'BigInt',
  'Number',
  'String',
  'fileURLToPath',
]);
const PURE_NAMESPACES: ReadonlySet<string> = new Set([
  'Object',
  'Array',
  'String',
  'Symbol',
  'Math',
  'Number',
  'JSON',
  'Buffer',
  'Intl',
]);
const PURE_METHODS: ReadonlySet<string> = new Set(
  (
    'at concat charAt charCodeAt codePointAt encode entries filter flat flatMap fromEntries includes indexOf join keys map ' +
    'padEnd padStart reduce repeat replace replaceAll slice split toLowerCase toSorted toUpperCase trim values'
  ).split(' '),
);
/** Modules whose functions and classes only compute. */
const PURE_MODULES: ReadonlySet<string> = new Set(['zod', 'js-yaml', 'node:path', 'node:url']);
const WORLDLY_GLOBALS: ReadonlySet<string> = new Set([
  'process',
  'console',
  'globalThis',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'Date',
  'performance',
  'crypto',
  'require',
]);

/** The first part of an expression that does something when evaluated, or null. */
function firstImpure(scope: Scope, expression: Node): Node | null {
  for (const { node, ancestors } of walk(expression, [])) {
    // What stands inside a function runs later.
    if (ancestors.some(isFunction)) continue;
    if (isEffect(scope, node)) return node;
  }
  return null;
}

function isFunction(node: Node): boolean {
  return node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression';
}

function isEffect(scope: Scope, node: Node): boolean {
  switch (node.type) {
    case 'CallExpression':
      return !isPureCall(scope, node.callee);
    case 'NewExpression':
      return !isPureClass(scope, node.callee);
    case 'TaggedTemplateExpression':
      return !isPureCall(scope, node.tag);
    case 'AwaitExpression':
    case 'AssignmentExpression':
    case 'UpdateExpression':
    case 'ImportExpression':
      return true;
    default:
      return node.type === 'UnaryExpression' && node.operator === 'delete';
  }
}

function isPureClass(scope: Scope, callee: Expression): boolean {
  if (callee.type === 'Identifier') {
    return PURE_CLASSES.has(callee.name) || comesFromPureModule(scope, callee.name);
  }
  return (
    callee.type === 'MemberExpression' && callee.object.type === 'Identifier' && callee.object.name === 'Intl'
  );
}

function isPureCall(scope: Scope, callee: Expression): boolean {
  if (callee.type === 'Identifier') {
    if (PURE_FACTORIES.has(callee.name) || comesFromPureModule(scope, callee.name)) return true;
    if (scope.functions.has(callee.name)) return isPureFunction(scope, callee.name, new Set());
    return PURE_FUNCTIONS.has(callee.name);
  }
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false;
  const root = rootOf(callee.object);
  if (root !== null && comesFromPureModule(scope, root)) return callee.property.name !== 'resolve';
  if (callee.object.type === 'Identifier' && PURE_NAMESPACES.has(callee.object.name)) {
    return callee.property.name !== 'random';
  }
  return PURE_METHODS.has(callee.property.name);
}

/** Imported from such a module, or a constant above that was built from one, such as a schema that is extended. */
function comesFromPureModule(scope: Scope, name: string): boolean {
  const seen = new Set<string>();
  let root = name;
  for (
    let next = scope.built.get(root);
    next !== undefined && !seen.has(root);
    next = scope.built.get(root)
  ) {
    seen.add(root);
    root = next;
  }
  return PURE_MODULES.has(scope.imported.get(root) ?? '');
}

/** The name a chain such as `z.string().min(1)` starts from. */
function rootOf(node: Node): string | null {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'MemberExpression') return rootOf(node.object);
  if (node.type === 'CallExpression') return rootOf(node.callee);
  return null;
}

/** A function of the same file that uses nothing but its arguments, pure modules and other such functions. */
function isPureFunction(scope: Scope, name: string, visited: Set<string>): boolean {
  const body = scope.functions.get(name);
  if (body === undefined || visited.has(name)) return true;
  visited.add(name);
  for (const { node, ancestors } of walk(body, [])) {
    if (node.type !== 'Identifier' || isPropertyName(node, ancestors.at(-1))) continue;
    if (WORLDLY_GLOBALS.has(node.name)) return false;
    const isForeign = scope.imported.has(node.name) && !comesFromPureModule(scope, node.name);
    if (isForeign && isCalled(node, ancestors.at(-1)) && !PURE_FACTORIES.has(node.name)) return false;
    if (!isPureFunction(scope, node.name, visited)) return false;
  }
  return true;
}

function isPropertyName(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed;
  return parent?.type === 'Property' && parent.key === node && !parent.computed && !parent.shorthand;
}

/** Called, or the root of a method call; naming a constant or a type of another file is harmless. */
function isCalled(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'CallExpression' || parent?.type === 'NewExpression') return parent.callee === node;
  return parent?.type === 'MemberExpression' && parent.object === node;
}
