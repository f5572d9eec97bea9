import {
  DOCTOR_CODES,
  DOCTOR_GROUPS,
  type DoctorFinding,
  type DoctorGroup,
} from '../../../domains/integrity/doctor/diagnosis.ts';
import { sarifOf } from '../../../domains/integrity/sarif.ts';
import { SCAN_RULES } from '../../../domains/integrity/scan/rules.ts';
import { DIAGNOSTIC_CODES } from '../../../domains/skills/diagnostic-codes.ts';
import { type CodeCount, countByCode, type RegistryTotals } from '../../../domains/skills/report.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output, Style } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines, tableLines } from '../table.ts';
import { plural } from '../wording.ts';

const TITLES: Readonly<Record<DoctorGroup, string>> = {
  rejected: 'rejected skills',
  security: 'security',
  database: 'database',
  trust: 'trust',
  collision: 'names used twice',
  'mirror-only': 'only in the mirror',
  drift: 'copies that differ',
  links: 'links that lead nowhere',
  lookalike: 'easily taken for one another',
  cost: 'cost',
  warning: 'warnings',
  publish: 'not published',
  disabled: 'switched off',
  mirrored: 'mirrored, in step',
};
const STYLES: Readonly<Record<DoctorFinding['severity'], Style>> = {
  error: 'red',
  warning: 'yellow',
  info: 'dim',
};
const SEVERITY_WIDTH = 'warning'.length;

export async function run(context: CommandContext): Promise<ExitCode> {
  const { switches } = context.flags;
  if (switches.has('fix')) {
    const { runFix } = await import('../doctor-fix.ts');
    return runFix(context);
  }
  if (switches.has('dry-run')) throw new ColibriError('USAGE', '--dry-run goes with --fix; add it');
  return withRuntime(context, async ({ doctor, stale }) => {
    const { findings, totals } = await doctor.examine({ scan: !switches.has('without-scan') });
    if (switches.has('sarif')) context.out.json(sarifReport(findings, context.host.version));
    else if (switches.has('summary')) printSummary(findings, totals, context);
    else printFindings(findings, totals, context);
    context.out.note(verdict(totals, findings));
    return totals.errors > 0 || stale !== null ? EXIT.findings : EXIT.ok;
  });
}

function sarifReport(findings: readonly DoctorFinding[], version: string): unknown {
  const codes = new Map(findings.map((finding) => [finding.code, finding]));
  return sarifOf({
    version,
    rules: [...codes.values()].map(({ code, why, fix }) => ({
      id: code,
      title: meaningOf(code) || code,
      why,
      // A message is about one place, a rule about all of them.
      fix: fix ?? 'each result says what to do',
    })),
    findings: findings.map(({ code, severity, message, file, line }) => ({
      rule: code,
      level: severity === 'info' ? 'note' : severity,
      message: printable(message),
      file,
      line,
    })),
  });
}

function printFindings(
  findings: readonly DoctorFinding[],
  totals: RegistryTotals,
  { flags, out }: CommandContext,
): void {
  if (flags.switches.has('json')) out.json({ findings, totals });
  else if (out.terminal) out.lines(DOCTOR_GROUPS.flatMap((group) => groupLines(group, findings, out)));
  else out.lines(tabLines(findings.map(findingRow)));
}

function groupLines(group: DoctorGroup, all: readonly DoctorFinding[], out: Output): string[] {
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
function findingRow(finding: DoctorFinding): string[] {
  const { severity, group, code, message } = finding;
  return [severity, group, placeOf(finding), code, message].map(printable);
}

function placeOf({ file, line }: DoctorFinding): string {
  return line === null ? file : `${file}:${line}`;
}

function printSummary(
  findings: readonly DoctorFinding[],
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
  const known: Readonly<Record<string, string>> = { ...DIAGNOSTIC_CODES, ...DOCTOR_CODES };
  const rule = SCAN_RULES.flatMap(({ rules }) => rules).find(({ id }) => id === code);
  return known[code] ?? rule?.title ?? '';
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

function verdict(totals: RegistryTotals, findings: readonly DoctorFinding[]): string {
  const { found, errors, warnings, rejected, lenient_ok } = totals;
  const lenient = rejected > 0 ? `; of ${rejected} rejected, lenient would load ${lenient_ok}` : '';
  const fixable = findings.filter((finding) => finding.fixable).length;
  const mend = fixable > 0 ? `; \`colibri doctor --fix\` mends ${fixable}` : '';
  return `${plural(found, 'skill')} looked at: ${plural(errors, 'error')}, ${plural(warnings, 'warning')}${lenient}${mend}`;
}
