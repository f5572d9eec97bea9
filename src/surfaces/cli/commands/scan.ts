import { existsSync } from 'node:fs';
import path from 'node:path';

import { sarifOf } from '../../../domains/integrity/sarif.ts';
import { SCAN_RULES } from '../../../domains/integrity/scan/rules.ts';
import { SCAN_SEVERITIES, type ScanSeverity } from '../../../domains/integrity/scan/scan-rule.ts';
import type { ScannedTarget, ScanReport, ScanTargets } from '../../../domains/integrity/scan/scan-service.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output, Style } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { expandSkillPath } from '../skill-paths.ts';
import { tabLines } from '../table.ts';
import { plural } from '../wording.ts';

type Finding = ScannedTarget['findings'][number];

const STYLES: Readonly<Record<ScanSeverity, Style>> = {
  critical: 'red',
  high: 'red',
  medium: 'yellow',
  low: 'dim',
};
const VERDICTS: Readonly<Record<ScannedTarget['verdict'], Style>> = {
  block: 'red',
  review: 'yellow',
  clean: 'green',
};
const SEVERITY_WIDTH = 'critical'.length;
/** Enough of the digest to bind an entry of the accept-list to. */
const DIGEST_CHARS = 16;

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out, host } = context;
  return withRuntime(context, async ({ scan }) => {
    const report = await scan(targetsOf(context));
    if (flags.switches.has('sarif')) out.json(sarifReport(report, host.version));
    else if (flags.switches.has('json')) out.json(report);
    else if (out.terminal) out.lines(report.skills.flatMap((target) => paragraph(target, context)));
    else out.lines(tabLines(report.skills.flatMap((target) => rowsOf(target, context))));
    out.note(summary(report));
    return report.totals.block > 0 || (flags.switches.has('strict') && report.totals.review > 0)
      ? EXIT.findings
      : EXIT.ok;
  });
}

/** What lies on the disk is a path; everything else is the name of a skill. */
function targetsOf({ args, host }: CommandContext): ScanTargets | undefined {
  if (args.length === 0) return undefined;
  const names: string[] = [];
  const folders: string[] = [];
  for (const typed of args) {
    const place = path.resolve(host.cwd, typed);
    if (!/[\\/.]/.test(typed) && !existsSync(path.join(place, 'SKILL.md'))) names.push(typed);
    else folders.push(...foldersIn(typed, place));
  }
  return { names, folders };
}

function foldersIn(typed: string, place: string): readonly string[] {
  const { paths } = expandSkillPath(place);
  if (paths.length > 0)
    return paths.map((each) => (path.basename(each) === 'SKILL.md' ? path.dirname(each) : each));
  throw new ColibriError('USAGE', `no skill in ${typed}; name a skill, its folder, or a folder of skills`, {
    path: typed,
  });
}

function shown(findings: readonly Finding[], { flags }: CommandContext): readonly Finding[] {
  const least = flags.values.get('severity') ?? 'medium';
  const limit = SCAN_SEVERITIES.map(String).indexOf(least);
  return findings.filter(({ severity }) => SCAN_SEVERITIES.indexOf(severity) <= limit);
}

function paragraph(target: ScannedTarget, context: CommandContext): readonly string[] {
  const { out } = context;
  const findings = shown(target.findings, context);
  if (findings.length === 0 && target.verdict === 'clean') return [];
  const head = `${out.paint(VERDICTS[target.verdict], target.verdict.padEnd(SEVERITY_WIDTH))}  ${printable(target.skill)}`;
  return [
    `${head}  ${out.paint('dim', printable(`${target.directory}  digest ${target.digest.slice(0, DIGEST_CHARS)}`))}`,
    ...findings.flatMap((finding) => findingLines(finding, out)),
    ...target.unread.map((file) => `  ${'unread'.padEnd(SEVERITY_WIDTH)}  ${printable(file)}`),
  ];
}

function findingLines(finding: Finding, out: Output): readonly string[] {
  const { severity, rule, title, quote, fix, accepted } = finding;
  const label = out.paint(accepted === null ? STYLES[severity] : 'dim', severity.padEnd(SEVERITY_WIDTH));
  const indent = ' '.repeat(SEVERITY_WIDTH + 4);
  return [
    `  ${label}  ${printable(`${placeOf(finding)}  ${rule}: ${title}`)}`,
    `${indent}${out.paint('dim', printable(quote))}`,
    `${indent}${printable(accepted === null ? fix : `accepted: ${accepted}`)}`,
  ];
}

/** Severity, skill, place, rule, message; `accepted` stands for the severity of what is accepted. */
function rowsOf(target: ScannedTarget, context: CommandContext): readonly (readonly string[])[] {
  const rows = shown(target.findings, context).map((finding) => [
    finding.accepted === null ? finding.severity : 'accepted',
    target.skill,
    `${target.directory}/${placeOf(finding)}`,
    finding.rule,
    `${finding.title}; ${finding.fix}`,
  ]);
  const unread = target.unread.map((file) => ['unread', target.skill, `${target.directory}/${file}`, '', '']);
  return [...rows, ...unread].map((row) => row.map(printable));
}

function placeOf({ file, line }: Finding): string {
  return line === null ? file : `${file}:${line}`;
}

function sarifReport({ skills }: ScanReport, version: string): unknown {
  return sarifOf({
    version,
    rules: SCAN_RULES.flatMap(({ rules }) => rules),
    findings: skills.flatMap(({ directory, findings }) =>
      findings.map(({ rule, severity, title, fix, file, line, accepted }) => ({
        rule,
        level:
          severity === 'critical' || severity === 'high'
            ? 'error'
            : severity === 'medium'
              ? 'warning'
              : 'note',
        message: printable(`${title}; ${fix}`),
        file: `${directory}/${file}`,
        line,
        accepted,
      })),
    ),
  });
}

function summary({ totals }: ScanReport): string {
  const accepted = totals.accepted > 0 ? `, ${totals.accepted} accepted` : '';
  return (
    `${plural(totals.skills, 'skill')} scanned: ${totals.block} to block, ${totals.review} to review, ` +
    `${totals.clean} without a serious finding; ${plural(totals.findings, 'finding')}${accepted}`
  );
}
