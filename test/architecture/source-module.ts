import { isBuiltin } from 'node:module';
import path from 'node:path';

import { type Node, type Program, parseSync, visitorKeys } from 'oxc-parser';

/** One import of any form. The rules look at all of them, so that no spelling of an import is a way around. */
export interface ImportEdge {
  readonly specifier: string;
  /** What it points at: a path of the tree, or the name of a package, or of a Node module without `node:`. */
  readonly target: string;
  readonly kind: 'own' | 'node' | 'package' | 'computed';
  /** Erased by the compiler. `import { type A }` is not: verbatimModuleSyntax keeps the import itself. */
  readonly typeOnly: boolean;
  /** True of `import('…')`, which runs later or never. */
  readonly lazy: boolean;
  readonly line: number;
}

export interface Visit {
  readonly node: Node;
  /** Outermost first; the parent is the last. */
  readonly ancestors: readonly Node[];
}

export interface SourceModule {
  readonly path: string;
  readonly text: string;
  readonly lineCount: number;
  readonly program: Program;
  readonly imports: readonly ImportEdge[];
  /** Every node of the file, parents before children. */
  readonly visits: readonly Visit[];
  readonly lineOf: (offset: number) => number;
}

export function parseSourceModule(file: string, text: string): SourceModule {
  const { program, errors } = parseSync(file, text, { lang: 'ts', sourceType: 'module' });
  const broken = errors[0];
  if (broken !== undefined) throw new Error(`${file} cannot be parsed: ${broken.message}`);
  const lineOf = lineFinder(text);
  const visits = [...walk(program, [])];
  const imports = visits.flatMap(({ node }) => {
    const found = importOf(node);
    if (found === null) return [];
    return [{ ...found, ...resolve(file, found.specifier), line: lineOf(node.start) }];
  });
  const lineCount = text.endsWith('\n') ? lineOf(text.length) - 1 : lineOf(text.length);
  return { path: file, text, lineCount, program, imports, visits, lineOf };
}

/** The node and everything below it. */
export function* walk(node: Node, ancestors: readonly Node[]): Generator<Visit> {
  yield { node, ancestors };
  const inner = [...ancestors, node];
  for (const key of visitorKeys[node.type] ?? []) {
    const child: unknown = Reflect.get(node, key);
    for (const item of Array.isArray(child) ? child : [child]) {
      if (isNode(item)) yield* walk(item, inner);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

type Found = Pick<ImportEdge, 'specifier' | 'typeOnly' | 'lazy'>;

const COMPUTED = '<computed>';

function importOf(node: Node): Found | null {
  switch (node.type) {
    case 'ImportDeclaration':
      return { specifier: node.source.value, typeOnly: node.importKind === 'type', lazy: false };
    case 'ExportAllDeclaration':
      return { specifier: node.source.value, typeOnly: node.exportKind === 'type', lazy: false };
    case 'ExportNamedDeclaration':
      if (node.source === null) return null;
      return { specifier: node.source.value, typeOnly: node.exportKind === 'type', lazy: false };
    case 'ImportExpression':
      return { specifier: literalOf(node.source), typeOnly: false, lazy: true };
    case 'TSImportType':
      return { specifier: node.source.value, typeOnly: true, lazy: false };
    case 'CallExpression':
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'require') return null;
      return { specifier: literalOf(node.arguments[0]), typeOnly: false, lazy: true };
    default:
      return null;
  }
}

function literalOf(node: Node | undefined): string {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) {
    return node.quasis[0]?.value.cooked ?? COMPUTED;
  }
  return COMPUTED;
}

function resolve(file: string, specifier: string): Pick<ImportEdge, 'target' | 'kind'> {
  if (specifier === COMPUTED) return { target: specifier, kind: 'computed' };
  if (specifier.startsWith('.')) {
    return { target: path.posix.join(path.posix.dirname(file), specifier), kind: 'own' };
  }
  if (specifier.startsWith('node:') || isBuiltin(specifier)) {
    return { target: specifier.replace(/^node:/, ''), kind: 'node' };
  }
  const [scopeOrName = '', name = ''] = specifier.split('/');
  return { target: scopeOrName.startsWith('@') ? `${scopeOrName}/${name}` : scopeOrName, kind: 'package' };
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) {
    starts.push(index + 1);
  }
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}
