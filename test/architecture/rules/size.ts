import type { Node } from 'oxc-parser';

import { SIZE_EXCEPTIONS } from '../places.ts';
import type { Rule } from '../rule.ts';
import type { SourceModule, Visit } from '../source-module.ts';

export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 70;

export const sizeLimits: Rule = sizeLimitsExcept(SIZE_EXCEPTIONS);

/** An exception that nothing needs any more is a fault as well: the list only shrinks. */
export function sizeLimitsExcept(exceptions: readonly string[]): Rule {
  return {
    name: 'size-limits',
    *check({ modules }) {
      const used = new Set<string>();
      for (const { key, file, message } of modules.flatMap(tooLong)) {
        if (exceptions.includes(key)) used.add(key);
        else yield { file, message };
      }
      for (const exception of exceptions.filter((key) => !used.has(key))) {
        yield { file: exception, message: 'is within the limits now; take it off SIZE_EXCEPTIONS' };
      }
    },
  };
}

interface Excess {
  readonly key: string;
  readonly file: string;
  readonly message: string;
}

function tooLong(module: SourceModule): Excess[] {
  const found: Excess[] = [];
  if (module.lineCount > FILE_LINES_MAX) {
    const message = `has ${module.lineCount} lines, more than ${FILE_LINES_MAX}; split it by noun`;
    found.push({ key: module.path, file: module.path, message });
  }
  for (const visit of module.visits) {
    if (!isFunction(visit.node)) continue;
    const first = module.lineOf(visit.node.start);
    const lines = module.lineOf(visit.node.end) - first + 1;
    if (lines <= FUNCTION_LINES_MAX) continue;
    const name = functionName(visit);
    const message = `${name} has ${lines} lines, more than ${FUNCTION_LINES_MAX}; name its steps`;
    found.push({ key: `${module.path}#${name}`, file: `${module.path}:${first}`, message });
  }
  return found;
}

function isFunction(node: Node): boolean {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
}

function functionName({ node, ancestors }: Visit): string {
  const own = 'id' in node && node.id !== null && 'name' in node.id ? node.id.name : undefined;
  if (typeof own === 'string') return own;
  const parent = ancestors.at(-1);
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name;
  if (parent?.type === 'Property' && parent.key.type === 'Identifier') return parent.key.name;
  if (parent?.type === 'MethodDefinition' && parent.key.type === 'Identifier') return parent.key.name;
  return 'a function without a name';
}
