import type { Grade, RoundFinding } from '../../../domains/integrity/round-compare.ts';
import type { RoundComparison } from '../../../domains/integrity/round-service.ts';
import { printable } from '../../../lib/text.ts';
import { displayWidth, fillTo } from '../columns.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output, Style } from '../output.ts';
import { roundLabel } from '../round-lines.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines } from '../table.ts';
import { enumerate } from '../wording.ts';

const GRADES: readonly Grade[] = ['critical', 'warning', 'info'];

/** Exits with 1 on a warning or worse; what is only worth knowing does not stop a build. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ rounds }) => {
    const comparison = await rounds.compare(args[0], args[1]);
    if (flags.switches.has('json')) out.json(comparison);
    else out.lines(findingLines(comparison.findings, out));
    out.note(printable(summary(comparison)));
    return comparison.findings.some(({ grade }) => grade !== 'info') ? EXIT.findings : EXIT.ok;
  });
}

function findingLines(findings: readonly RoundFinding[], out: Output): string[] {
  if (!out.terminal) {
    return tabLines(
      findings.map(({ grade, skill, change, message }) => [grade, skill, change, message].map(printable)),
    );
  }
  const width = Math.max(0, ...findings.map(({ grade }) => grade.length));
  const names = findings.map(({ skill }) => printable(skill));
  const nameWidth = Math.max(0, ...names.map(displayWidth));
  return findings.map(({ grade, message }, index) => {
    const word = out.paint(STYLES[grade], grade.padEnd(width));
    const name = out.paint('bold', fillTo(names[index] ?? '', nameWidth));
    return `${word}  ${name}  ${printable(message)}`;
  });
}

const STYLES: Readonly<Record<Grade, Style>> = { critical: 'red', warning: 'yellow', info: 'dim' };

function summary({ before, after, findings }: RoundComparison): string {
  const now = after === null ? 'now' : roundLabel(after);
  const span = `${roundLabel(before)} → ${now}`;
  if (findings.length === 0) return `${span}: nothing has changed`;
  const counts = GRADES.flatMap((grade) => {
    const count = findings.filter((finding) => finding.grade === grade).length;
    return count === 0 ? [] : [`${count} ${grade}`];
  });
  return `${span}: ${enumerate(counts)}`;
}
