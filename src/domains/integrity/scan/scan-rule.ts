/** What a rule of the security scan is. The rules themselves are data, one file per family in rules/. */

/** Worst first. `critical` and `high` block, `medium` asks for a look, `low` is worth knowing. */
export const SCAN_SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
export type ScanSeverity = (typeof SCAN_SEVERITIES)[number];

export const SCAN_FAMILIES = [
  'download',
  'backdoor',
  'credentials',
  'exfiltration',
  'injection',
  'hidden-text',
  'persistence',
  'destruction',
  'obfuscation',
  'privileges',
  'supply-chain',
  'files',
] as const;
export type ScanFamily = (typeof SCAN_FAMILIES)[number];

/** Which kind of text a line stands in. */
export type Region = 'frontmatter' | 'prose' | 'code' | 'comment' | 'script' | 'data';

export const EVERYWHERE: readonly Region[] = ['frontmatter', 'prose', 'code', 'comment', 'script', 'data'];
/** What a machine would run, or a reader would paste into a shell. */
export const RUNNABLE: readonly Region[] = ['code', 'script', 'data'];
/** What an agent would take as words to it. */
export const SPOKEN: readonly Region[] = ['frontmatter', 'prose', 'comment'];

interface RuleFacts {
  /** Stable; reports, accept-lists and docs/scan.md name it. */
  readonly id: string;
  readonly severity: ScanSeverity;
  /** What was found, as the first half of a message. */
  readonly title: string;
  readonly why: string;
  readonly fix: string;
  /** Texts of a SKILL.md that the rule must find, and texts that it must leave alone. Tests run them. */
  readonly bad: readonly string[];
  readonly good: readonly string[];
}

/** Finds lines: one of `match`, in one of `where`, and not excused by `unless`. */
export interface LineRule extends RuleFacts {
  readonly kind: 'line';
  readonly where: readonly Region[];
  /** Patterns of bounded length. They are tried on whole files first, so an anchor needs the flag `m`. */
  readonly match: readonly RegExp[];
  readonly unless?: readonly RegExp[];
  /** Only counts when one of these stands at most so many lines away, in the same file. */
  readonly near?: { readonly match: readonly RegExp[]; readonly lines: number };
}

/** Looks at the skill as a whole: characters, names, fields, kinds of files. */
export interface SkillRule extends RuleFacts {
  readonly kind: 'skill';
  readonly find: (skill: ScannedSkill) => readonly Hit[];
}

export type ScanRule = LineRule | SkillRule;

export interface RuleFamily {
  readonly family: ScanFamily;
  readonly rules: readonly ScanRule[];
}

export interface Hit {
  readonly file: string;
  /** 1-based; null for the file as a whole. */
  readonly line: number | null;
  /** What stands there, in short. */
  readonly quote: string;
}

export interface ScanLine {
  /** 1-based. */
  readonly number: number;
  readonly region: Region;
  readonly text: string;
}

export interface ScanDocument {
  readonly file: string;
  readonly lines: readonly ScanLine[];
  /** All of the lines: one look tells most rules that there is nothing for them. */
  readonly text: string;
  /** Whether a warning stands on the line or right above it: an example of what not to do. */
  readonly isWarned: (line: number) => boolean;
}

/** A file as the scan is given it. Without text it could not be read as such. */
export interface ScanFile {
  /** Relative to the skill, with forward slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface ScannedSkill {
  readonly files: readonly ScanFile[];
  readonly documents: readonly ScanDocument[];
  /** The frontmatter of SKILL.md; empty when it cannot be read. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
}
