import { inspectSkill } from '../../../domains/skills/inspect.ts';
import type { Profile } from '../../../domains/skills/skill.ts';
import { type Diagnostic, hasErrors } from '../../../lib/diagnostics.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode, type Flags } from '../command.ts';
import type { Output, Style } from '../output.ts';
import { expandSkillPath } from '../skill-paths.ts';
import { tabLines } from '../table.ts';

type Status = 'ok' | 'warning' | 'error';

interface Verdict {
  readonly path: string;
  readonly name: string | null;
  readonly status: Status;
  readonly diagnostics: readonly Diagnostic[];
}

const STYLES: Readonly<Record<Status, Style>> = { ok: 'green', warning: 'yellow', error: 'red' };
const STATUS_WIDTH = 'warning'.length;

export function run({ args, flags, out }: CommandContext): ExitCode {
  const profile = profileOf(flags);
  const verdicts = args.flatMap((typed) => judge(typed, profile));
  const totals = totalsOf(verdicts);
  if (flags.switches.has('json')) out.json({ profile, skills: verdicts.map(jsonVerdict), totals });
  else if (out.terminal) out.lines(verdicts.flatMap((verdict) => paragraph(verdict, out)));
  else out.lines(tabLines(verdicts.flatMap(rowsOf)));
  out.note(
    `${totals.skills} ${totals.skills === 1 ? 'skill' : 'skills'} checked (${profile}): ` +
      `${totals.ok} ok, ${totals.warning} with warnings, ${totals.error} with errors`,
  );
  return totals.error > 0 ? EXIT.findings : EXIT.ok;
}

function profileOf(flags: Flags): Profile {
  const said = flags.values.get('profile');
  if (!flags.switches.has('publish')) return isProfile(said) ? said : 'strict';
  if (said === undefined || said === 'publish') return 'publish';
  throw new ColibriError('USAGE', `--publish and --profile ${said} contradict each other; keep one of them`);
}

function isProfile(text: string | undefined): text is Profile {
  return text === 'strict' || text === 'lenient' || text === 'publish';
}

function judge(typed: string, profile: Profile): Verdict[] {
  const { paths, refused } = expandSkillPath(typed);
  if (paths.length === 0 && refused.length === 0) {
    const message = `no SKILL.md in ${typed} nor in a folder right below it; name the folder that holds the skills`;
    throw new ColibriError('USAGE', message, { path: typed });
  }
  const verdicts = paths.map((each) => {
    const { skill, diagnostics } = inspectSkill(each, { profile });
    return verdictOf(each, { name: skill?.name ?? null, diagnostics });
  });
  for (const diagnostic of refused) {
    verdicts.push(verdictOf(diagnostic.file, { name: null, diagnostics: [diagnostic] }));
  }
  return verdicts.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function verdictOf(
  where: string,
  found: { readonly name: string | null; readonly diagnostics: readonly Diagnostic[] },
): Verdict {
  const worst: Status = hasErrors(found.diagnostics) ? 'error' : 'warning';
  return { path: where, status: found.diagnostics.length === 0 ? 'ok' : worst, ...found };
}

function totalsOf(verdicts: readonly Verdict[]): Readonly<Record<Status | 'skills', number>> {
  const count = (status: Status) => verdicts.filter((verdict) => verdict.status === status).length;
  return { skills: verdicts.length, ok: count('ok'), warning: count('warning'), error: count('error') };
}

function jsonVerdict(verdict: Verdict): unknown {
  const diagnostics = verdict.diagnostics.map(({ severity, code, file, line, field, message }) => ({
    severity,
    code,
    file,
    line: line ?? null,
    field: field ?? null,
    message,
  }));
  return { path: verdict.path, name: verdict.name, status: verdict.status, diagnostics };
}

function paragraph(verdict: Verdict, out: Output): string[] {
  const label = (status: Status) => out.paint(STYLES[status], status.padEnd(STATUS_WIDTH));
  return [
    `${label(verdict.status)}  ${printable(verdict.path)}`,
    ...verdict.diagnostics.map((diagnostic) => {
      const { severity, code, field, message } = diagnostic;
      const subject = field === undefined ? code : `${field} ${code}`;
      return `  ${label(severity)}  ${printable(`${placeOf(diagnostic)}  ${subject}  ${message}`)}`;
    }),
  ];
}

/** One line a finding, or one for a skill without any: status, place, field, code, message. */
function rowsOf(verdict: Verdict): string[][] {
  if (verdict.diagnostics.length === 0) return [['ok', printable(verdict.path), '', '', '']];
  return verdict.diagnostics.map((diagnostic) =>
    [
      diagnostic.severity,
      placeOf(diagnostic),
      diagnostic.field ?? '',
      diagnostic.code,
      diagnostic.message,
    ].map(printable),
  );
}

function placeOf({ file, line }: Diagnostic): string {
  return line === undefined ? file : `${file}:${line}`;
}
