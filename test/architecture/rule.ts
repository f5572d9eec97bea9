import type { SourceModule } from './source-module.ts';

export interface Violation {
  readonly rule: string;
  readonly file: string;
  readonly message: string;
}

/** The tree as the rules see it: texts by path, and the parsed TypeScript files of src. */
export interface Tree {
  readonly files: ReadonlyMap<string, string>;
  readonly modules: readonly SourceModule[];
}

export interface Rule {
  readonly name: string;
  readonly check: (tree: Tree) => Iterable<Omit<Violation, 'rule'>>;
}

export type Finding = Omit<Violation, 'rule'>;

/** A finding that points at a line. */
export function at(module: SourceModule, line: number, message: string): Finding {
  return { file: `${module.path}:${line}`, message };
}
