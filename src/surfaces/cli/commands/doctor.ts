import { DIAGNOSTIC_CODES } from '../../../domains/skills/diagnostic-codes.ts';
import {
  type CodeCount,
  countByCode,
  FINDING_GROUPS,
  type Finding,
  type FindingGroup,
  findingsOf,
  type RegistryTotals,
  totalsOf,
} from '../../../domains/skills/report.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output, Style } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines, tableLines } from '../table.ts';
import { plural } from '../wording.ts';

const TITLES: Readonly<Record<FindingGroup, string>> = {
  rejected: 'rejected skills',
  collision: 'names used twice',
  'mirror-only': 'only in the mirror',
  warning: 'warnings',
  mirrored: 'mirrored, in step',
};
const STYLES: Readonly<Record<Finding['severity'], Style>> = { error: 'red', warning: 'yellow', info: 'dim' };
const SEVERITY_WIDTH = 'warning'.length;

export function run(context: CommandContext): Promise<ExitCode> {
  return withRuntime(context, ({ skills, stale }) => {
    const { flags, out } = context;
    const records = skills.records();
    const findings = findingsOf(records);
    const totals = totalsOf(records, findings);
    if (flags.switches.has('summary')) printSummary(findings, totals, context);
    else printFindings(findings, totals, context);
    out.note(verdict(totals));
    return totals.errors > 0 || stale !== null ? EXIT.findings : EXIT.ok;
  });
}

function printFindings(
  findings: readonly Finding[],
  totals: RegistryTotals,
  { flags, out }: CommandContext,
): void {
  if (flags.switches.has('json')) out.json({ findings, totals });
  else if (out.terminal) out.lines(FINDING_GROUPS.flatMap((group) => groupLines(group, findings, out)));
  else out.lines(tabLines(findings.map(findingRow)));
}

function groupLines(group: FindingGroup, all: readonly Finding[], out: Output): string[] {
  const findings = all.filter((finding) => finding.group === group);
  if (findings.length === 0) return [];
  return [
    out.paint('bold', `${TITLES[group]} (${findings.length})`),
    ...findings.map((finding) => {
      const { severity, code, message } = finding;
      const label = out.paint(STYLES[severity], severity.padEnd(SEVERITY_WIDTH));
      return `  ${label}  ${printable(`${placeOf(finding)}  ${code}  ${message}`)}`;
    }),
  ];
}

/** Severity, group, place, code, message. */
function findingRow(finding: Finding): string[] {
  const { severity, group, code, message } = finding;
  return [severity, group, placeOf(finding), code, message].map(printable);
}

function placeOf({ file, line }: Finding): string {
  return line === null ? file : `${file}:${line}`;
}

function printSummary(
  findings: readonly Finding[],
  totals: RegistryTotals,
  { flags, out }: CommandContext,
): void {
  const codes = countByCode(findings);
  if (flags.switches.has('json')) out.json({ codes, totals });
  else if (out.terminal) out.lines([...codeTable(codes, out), ...totalLines(totals)]);
  else out.lines(tabLines([...codes.map(codeRow), ...totalRows(totals)]));
}

function codeTable(codes: readonly CodeCount[], out: Output): string[] {
  if (codes.length === 0) return [];
  const rows = codes.map((count) => [...codeRow(count), meaningOf(count.code)]);
  const header = ['CODE', 'ERRORS', 'WARNINGS', 'MEANING'];
  const [first = '', ...lines] = tableLines({ header, rows, width: out.width });
  return [out.paint('bold', first), ...lines, ''];
}

function codeRow({ code, errors, warnings }: CodeCount): string[] {
  return [printable(code), String(errors), String(warnings)];
}

function meaningOf(code: string): string {
  return Object.entries(DIAGNOSTIC_CODES).find(([known]) => known === code)?.[1] ?? '';
}

function totalRows(totals: RegistryTotals): (readonly [string, string])[] {
  return [
    ['found', String(totals.found)],
    ['indexed', String(totals.indexed)],
    ['rejected', String(totals.rejected)],
    ['lenient would load', String(totals.lenient_ok)],
    ['shadowed', String(totals.shadowed)],
    ['aliases', String(totals.aliases)],
  ];
}

function totalLines(totals: RegistryTotals): string[] {
  const rows = totalRows(totals);
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, count]) => `${label.padEnd(width)}  ${count}`);
}

function verdict({ found, errors, warnings, rejected, lenient_ok }: RegistryTotals): string {
  const lenient = rejected > 0 ? `; of ${rejected} rejected, lenient would load ${lenient_ok}` : '';
  return `${plural(found, 'skill')} looked at: ${plural(errors, 'error')}, ${plural(warnings, 'warning')}${lenient}`;
}
