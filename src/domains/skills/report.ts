/** What is wrong, or only worth knowing, in a registry: the records of a scan → findings, worst first. Pure. */
import type { Diagnostic } from '../../lib/diagnostics.ts';
import { precedenceRule, type SkillRoot } from './scan/roots.ts';
import type { SkillSource } from './skill-row.ts';

/** An indexed skill as far as a report needs it. */
export interface IndexedSkill {
  readonly name: string;
  readonly path: string;
  readonly directory: string;
  readonly source: SkillSource;
  readonly root: string;
  readonly digest: string;
  readonly diagnostics: readonly Diagnostic[];
}

interface Copy {
  readonly name: string;
  readonly path: string;
  readonly source: string;
  readonly root: string;
  readonly digest: string;
  readonly winner_path: string;
}

interface Rejection {
  readonly directory: string;
  readonly lenient_ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

interface Alias {
  readonly directory: string;
  readonly root: string;
  readonly target: string;
}

/** Everything of a registry, read at one moment. */
export interface RegistryRecords<
  Shadowed extends Copy = Copy,
  Rejected extends Rejection = Rejection,
  Linked extends Alias = Alias,
> {
  readonly roots: readonly SkillRoot[];
  readonly indexed: readonly IndexedSkill[];
  readonly shadowed: readonly Shadowed[];
  readonly rejected: readonly Rejected[];
  readonly aliases: readonly Linked[];
}

/** In the order of a report. */
export const FINDING_GROUPS = ['rejected', 'collision', 'mirror-only', 'warning', 'mirrored'] as const;
export type FindingGroup = (typeof FINDING_GROUPS)[number];

export interface Finding {
  readonly group: FindingGroup;
  /** `info` needs no action. */
  readonly severity: 'error' | 'warning' | 'info';
  /** A diagnostic's code, or the group where no diagnostic stands behind it. */
  readonly code: string;
  /** Null where the file does not tell a usable name. */
  readonly skill: string | null;
  readonly file: string;
  readonly line: number | null;
  readonly field: string | null;
  /** Says what to do, too. */
  readonly message: string;
}

export interface Verdict {
  /** Why the other copy has the name. */
  readonly rule: string;
  readonly same_content: boolean;
}

export interface CodeCount {
  readonly code: string;
  readonly errors: number;
  readonly warnings: number;
}

export interface RegistryTotals {
  /** Skill folders: indexed, rejected and shadowed. */
  readonly found: number;
  readonly indexed: number;
  readonly rejected: number;
  /** Of the rejected, those that the lenient profile would load. */
  readonly lenient_ok: number;
  readonly shadowed: number;
  readonly aliases: number;
  readonly errors: number;
  readonly warnings: number;
}

export function findingsOf(records: RegistryRecords): readonly Finding[] {
  const found = [
    ...records.rejected.flatMap(rejectedFindings),
    ...judgeShadowed(records).map(collisionFinding),
    ...mirrorOnly(records).map(mirrorOnlyFinding),
    ...records.indexed.flatMap(({ name, diagnostics }) =>
      diagnostics.map((diagnostic) => diagnosticFinding('warning', name, diagnostic)),
    ),
  ];
  return FINDING_GROUPS.flatMap((group) => found.filter((finding) => finding.group === group));
}

/** Each copy without the name, with the reason. */
export function judgeShadowed<Shadowed extends Copy>(
  records: Pick<RegistryRecords<Shadowed>, 'roots' | 'indexed' | 'shadowed'>,
): readonly (Shadowed & Verdict)[] {
  const winners = new Map(records.indexed.map((skill) => [skill.name, skill]));
  const roots = new Map(records.roots.map((root) => [root.display, root]));
  return records.shadowed.map((copy) => {
    const winner = winners.get(copy.name);
    const holder = roots.get(winner?.root ?? '');
    const loser = roots.get(copy.root);
    // While a root cannot be read, the last good index may still name roots that are configured no more.
    const rule = holder && loser ? precedenceRule(holder, loser) : 'the root that is configured first wins';
    return { ...copy, rule, same_content: winner?.digest === copy.digest };
  });
}

/** Skills of the mirror that no canonical root has, not even by a link. */
export function mirrorOnly({ roots, indexed, aliases }: RegistryRecords): readonly IndexedSkill[] {
  const mirrors = new Set(roots.flatMap(({ source, display }) => (source === 'mirror' ? [display] : [])));
  const linked = new Set(aliases.flatMap(({ root, target }) => (mirrors.has(root) ? [] : [target])));
  return indexed.filter(({ source, directory }) => source === 'mirror' && !linked.has(directory));
}

/** The diagnostic that rejected a skill: its first error. */
export function firstError({ directory, diagnostics }: Rejection): Diagnostic | null {
  const first = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0];
  return first === undefined ? null : placedIn(directory, first);
}

/** These are counted as copies, not as mistakes. */
const COUNTED_APART: ReadonlySet<string> = new Set(['collision', 'mirror-only', 'mirrored']);

/** How often each diagnostic was met, most errors first. */
export function countByCode(
  findings: readonly (Pick<Finding, 'code' | 'severity'> & { readonly group: string })[],
): readonly CodeCount[] {
  const counts = new Map<string, { errors: number; warnings: number }>();
  for (const { group, code, severity } of findings) {
    if (COUNTED_APART.has(group) || severity === 'info') continue;
    const count = counts.get(code) ?? { errors: 0, warnings: 0 };
    count[severity === 'error' ? 'errors' : 'warnings']++;
    counts.set(code, count);
  }
  return [...counts]
    .map(([code, count]) => ({ code, ...count }))
    .sort((a, b) => b.errors - a.errors || b.warnings - a.warnings || (a.code < b.code ? -1 : 1));
}

export function totalsOf(
  records: RegistryRecords,
  findings: readonly Pick<Finding, 'severity'>[],
): RegistryTotals {
  const { indexed, rejected, shadowed, aliases } = records;
  const count = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length;
  return {
    found: indexed.length + rejected.length + shadowed.length,
    indexed: indexed.length,
    rejected: rejected.length,
    lenient_ok: rejected.filter(({ lenient_ok }) => lenient_ok).length,
    shadowed: shadowed.length,
    aliases: aliases.length,
    errors: count('error'),
    warnings: count('warning'),
  };
}

function rejectedFindings({ directory, diagnostics }: Rejection): Finding[] {
  const errorsFirst = [
    ...diagnostics.filter(({ severity }) => severity === 'error'),
    ...diagnostics.filter(({ severity }) => severity !== 'error'),
  ];
  return errorsFirst.map((each) => diagnosticFinding('rejected', null, placedIn(directory, each)));
}

/** A file that could not be read is known by where it was read from; the user knows the folder in the root. */
function placedIn(directory: string, diagnostic: Diagnostic): Diagnostic {
  const { file } = diagnostic;
  const inside = file === directory || file.startsWith(`${directory}/`);
  return inside ? diagnostic : { ...diagnostic, file: `${directory}/SKILL.md` };
}

function diagnosticFinding(group: FindingGroup, skill: string | null, diagnostic: Diagnostic): Finding {
  const { severity, code, file, line = null, field = null, message } = diagnostic;
  return { group, severity, code, skill, file, line, field, message };
}

/** A mirror with the same content is what a mirror is for; any other second copy wants a decision. */
function collisionFinding(copy: Copy & Verdict): Finding {
  const place = { skill: copy.name, file: copy.path, line: null, field: null };
  const won = `${copy.winner_path} is used (${copy.rule})`;
  const inMirror = copy.source === 'mirror';
  if (inMirror && copy.same_content) {
    const message = `a copy in step; ${won}; nothing to do`;
    return { ...place, group: 'mirrored', severity: 'info', code: 'mirrored', message };
  }
  const content = copy.same_content ? 'the content is the same' : 'the content differs';
  const fix = inMirror ? 'copy the canonical one over it' : 'rename or remove one of them';
  const message = `a second skill named ${copy.name}; ${won}; ${content}; ${fix}`;
  return { ...place, group: 'collision', severity: 'warning', code: 'collision', message };
}

function mirrorOnlyFinding({ name, path }: IndexedSkill): Finding {
  return {
    group: 'mirror-only',
    severity: 'warning',
    code: 'mirror-only',
    skill: name,
    file: path,
    line: null,
    field: null,
    message: 'only in the mirror; move the skill to a canonical root, or remove it',
  };
}
