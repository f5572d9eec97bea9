export type Severity = 'error' | 'warning';

/** One finding about one file. An error rejects the skill, a warning does not. */
export interface Diagnostic<Code extends string = string> {
  readonly code: Code;
  readonly severity: Severity;
  /** Says what is wrong and how to mend it. */
  readonly message: string;
  /** The file or directory it is about, as the user would type it. */
  readonly file: string;
  /** The frontmatter field, where there is one. */
  readonly field?: string;
  /** 1-based, where known. */
  readonly line?: number;
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}
