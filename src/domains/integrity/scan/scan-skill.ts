/** The security scan of one skill: its files → findings. Pure: reads nothing, runs nothing, follows nothing. */
import { parseYaml } from '../../../lib/yaml.ts';
import { splitFrontmatter } from '../../skills/format/frontmatter.ts';
import { SCAN_RULES } from './rules.ts';
import {
  type Hit,
  type LineRule,
  RUNNABLE,
  SCAN_SEVERITIES,
  type ScanDocument,
  type ScanFamily,
  type ScanFile,
  type ScanLine,
  type ScannedSkill,
  type ScanRule,
  type ScanSeverity,
} from './scan-rule.ts';
import { documentOf, readText } from './scan-text.ts';

export interface ScanFinding extends Hit {
  readonly rule: string;
  readonly family: ScanFamily;
  readonly severity: ScanSeverity;
  readonly title: string;
  readonly why: string;
  readonly fix: string;
}

/** `block`: not to be used unseen. `review`: somebody should look. `clean`: no rule has found anything serious, no more. */
export type ScanVerdict = 'block' | 'review' | 'clean';

export interface SkillScan {
  readonly verdict: ScanVerdict;
  /** Worst first, then by place. */
  readonly findings: readonly ScanFinding[];
  /** Files that the scan could not look into; a scan with any is never called clean. */
  readonly unread: readonly string[];
}

/** More of one rule in one file says nothing new. */
const HITS_PER_RULE_AND_FILE = 3;
const QUOTE_CHARS = 120;

export function scanSkill(files: readonly ScanFile[]): SkillScan {
  const { skill, unread } = readSkill(files);
  const findings = SCAN_RULES.flatMap(({ family, rules }) =>
    rules.flatMap((rule) => apply(rule, skill).map((hit) => findingOf(rule, family, hit))),
  );
  const sorted = findings.sort(worstFirst);
  return { verdict: verdictOf(sorted, unread), findings: sorted, unread };
}

/** What a list of findings comes to; for callers that have taken some off. */
export function verdictOf(
  findings: readonly Pick<ScanFinding, 'severity'>[],
  unread: readonly string[],
): ScanVerdict {
  const worst = Math.min(...findings.map(({ severity }) => SCAN_SEVERITIES.indexOf(severity)));
  if (worst <= SCAN_SEVERITIES.indexOf('high')) return 'block';
  return worst <= SCAN_SEVERITIES.indexOf('medium') || unread.length > 0 ? 'review' : 'clean';
}

interface ScoredHit extends Hit {
  readonly severity: ScanSeverity;
}

function readSkill(files: readonly ScanFile[]): {
  readonly skill: ScannedSkill;
  readonly unread: readonly string[];
} {
  const documents: ScanDocument[] = [];
  const unread: string[] = [];
  let frontmatter = {};
  for (const file of files) {
    const text = readText(file);
    if (text === null) {
      unread.push(file.path);
      continue;
    }
    documents.push(documentOf(file, text));
    if (file.path === 'SKILL.md') frontmatter = frontmatterOf(text);
  }
  return { skill: { files, documents, frontmatter }, unread };
}

/** Broken frontmatter must not keep a skill from being looked at: then the fields are taken line by line. */
function frontmatterOf(text: string): Readonly<Record<string, unknown>> {
  const fences = splitFrontmatter(text.replace(/^\ufeff/, ''));
  if (fences.kind !== 'found') return {};
  const result = parseYaml(fences.yaml);
  if (!result.ok) return looseFields(fences.yaml);
  return typeof result.value === 'object' && result.value !== null ? { ...result.value } : {};
}

function looseFields(block: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    block.split(/\r?\n/).flatMap((line) => {
      const field = /^([a-z][\w-]{0,40}):\s?(.{0,1100})$/i.exec(line);
      return field === null ? [] : [[field[1] ?? '', field[2] ?? '']];
    }),
  );
}

function apply(rule: ScanRule, skill: ScannedSkill): readonly ScoredHit[] {
  const hits =
    rule.kind === 'line'
      ? skill.documents.flatMap((document) => lineHits(rule, document))
      : rule.find(skill).map((hit) => ({ ...hit, severity: rule.severity }));
  const counts = new Map<string, number>();
  return hits.filter(({ file }) => {
    const count = (counts.get(file) ?? 0) + 1;
    counts.set(file, count);
    return count <= HITS_PER_RULE_AND_FILE;
  });
}

function lineHits(rule: LineRule, document: ScanDocument): readonly ScoredHit[] {
  const { file, lines, text: whole } = document;
  if (!rule.match.some((pattern) => pattern.test(whole))) return [];
  const seen = new Set<number>();
  const found: ScoredHit[] = [];
  const hasNeighbour = neighbours(rule, lines);
  for (const line of lines) {
    if (found.length >= HITS_PER_RULE_AND_FILE) break;
    if (seen.has(line.number) || !matches(rule, line) || !hasNeighbour(line.number)) continue;
    seen.add(line.number);
    const quote = line.text.trim().slice(0, QUOTE_CHARS);
    found.push({ file, line: line.number, quote, severity: severityOf(rule, line, document) });
  }
  return found;
}

function matches({ where, match, unless = [] }: LineRule, { region, text }: ScanLine): boolean {
  if (!where.includes(region)) return false;
  return match.some((pattern) => pattern.test(text)) && !unless.some((pattern) => pattern.test(text));
}

/** Looks through the lines at most once, however many of them ask. */
function neighbours({ near }: LineRule, lines: readonly ScanLine[]): (line: number) => boolean {
  if (near === undefined) return () => true;
  let numbers: ReadonlySet<number> | null = null;
  return (line) => {
    numbers ??= new Set(
      lines
        .filter(({ text }) => near.match.some((pattern) => pattern.test(text)))
        .flatMap(({ number }) =>
          Array.from({ length: 2 * near.lines + 1 }, (_, step) => number - near.lines + step),
        ),
    );
    return numbers.has(line);
  };
}

/** A line that warns of a command quotes it: one step less, never nothing, because a warning is easily written. */
function severityOf({ severity, where }: LineRule, line: ScanLine, document: ScanDocument): ScanSeverity {
  const spoken = line.region === 'prose' || line.region === 'comment';
  const quoted =
    document.isWarned(line.number) &&
    (spoken || line.region === 'code') &&
    where.some((region) => RUNNABLE.includes(region));
  return quoted ? (SCAN_SEVERITIES[SCAN_SEVERITIES.indexOf(severity) + 1] ?? 'low') : severity;
}

function findingOf(rule: ScanRule, family: ScanFamily, hit: ScoredHit): ScanFinding {
  const { id, title, why, fix } = rule;
  return { rule: id, family, title, why, fix, ...hit };
}

function worstFirst(a: ScanFinding, b: ScanFinding): number {
  const rank = SCAN_SEVERITIES.indexOf(a.severity) - SCAN_SEVERITIES.indexOf(b.severity);
  if (rank !== 0) return rank;
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.rule < b.rule ? -1 : 1);
}
