/**
 * What the types must not be talked out of. Floating promises are Biome's (noFloatingPromises). A missing case of a
 * `switch` whose cases all return is reported by tsc (noImplicitReturns), which knows the union; what is checked here
 * is the syntax that would hide a missing case from it.
 */
import type { Node, SwitchCase, SwitchStatement } from 'oxc-parser';

import { at, type Rule } from '../rule.ts';

export const strictSyntax: Rule = {
  name: 'strict-syntax',
  *check({ modules }) {
    for (const module of modules) {
      for (const { node } of module.visits) {
        const message = faultOf(node);
        if (message !== null) yield at(module, module.lineOf(node.start), message);
      }
      for (const match of module.text.matchAll(/\/[/*]\s*@ts-(?:ignore|nocheck|expect-error)/g)) {
        yield at(module, module.lineOf(match.index), 'silences the compiler; mend the type');
      }
    }
  },
};

function faultOf(node: Node): string | null {
  switch (node.type) {
    case 'TSAnyKeyword':
      return 'uses any; say what it is, or unknown';
    case 'ExportDefaultDeclaration':
    case 'TSExportAssignment':
      return 'has a default export; export it by name';
    case 'ExportSpecifier':
      return 'name' in node.exported && node.exported.name === 'default'
        ? 'has a default export; export it by name'
        : null;
    case 'CatchClause':
      return node.body.body.length === 0 ? 'has an empty catch; handle the error or let it pass' : null;
    case 'SwitchStatement':
      return switchFault(node);
    default:
      return null;
  }
}

function switchFault(node: SwitchStatement): string | null {
  const fallback = node.cases.find(({ test }) => test === null);
  if (fallback === undefined) {
    return node.cases.every((branch, index) => leaves(branch, node.cases[index + 1]))
      ? null
      : 'has a switch that a missing case would slip through; return from every case, or throw in default';
  }
  const statements = statementsOf(fallback);
  const isSilent = statements.length === 0 || statements.every(({ type }) => type === 'BreakStatement');
  return isSilent ? 'has a switch whose default does nothing; a missing case would go unseen' : null;
}

/** The case returns, throws, or shares the statements of the case below it. */
function leaves(branch: SwitchCase, next: SwitchCase | undefined): boolean {
  const statements = statementsOf(branch);
  if (statements.length === 0) return next !== undefined;
  return endsFunction(statements.at(-1));
}

function endsFunction(last: Node | null | undefined): boolean {
  if (last === null || last === undefined) return false;
  if (last.type === 'ReturnStatement' || last.type === 'ThrowStatement') return true;
  if (last.type === 'BlockStatement') return endsFunction(last.body.at(-1));
  if (last.type === 'IfStatement') return endsFunction(last.consequent) && endsFunction(last.alternate);
  return false;
}

function statementsOf(branch: SwitchCase): readonly Node[] {
  const [only] = branch.consequent;
  return branch.consequent.length === 1 && only?.type === 'BlockStatement' ? only.body : branch.consequent;
}
