import type { HostDifference } from '../../../domains/integrity/host-differences.ts';
import type { HostReport, HostsReport } from '../../../domains/integrity/host-service.ts';
import type { SightState } from '../../../domains/integrity/host-view.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output, Style } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines, tableLines } from '../table.ts';
import { plural } from '../wording.ts';

/** Without a name an overview and the differences; with one all that this host would see. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ hosts }) => {
    const report = await hosts.view(args[0]);
    const [only] = report.hosts;
    if (flags.switches.has('json')) out.json(report);
    else out.lines(args.length > 0 && only !== undefined ? hostLines(only, out) : overview(report, out));
    if (args.length === 0) out.note(summary(report));
    else if (only !== undefined) for (const note of hostNotes(only)) out.note(printable(note));
    return EXIT.ok;
  });
}

function overview({ hosts, differences }: HostsReport, out: Output): string[] {
  const rows = hosts.map((host) => overviewRow(host).map(printable));
  if (!out.terminal) return tabLines(rows);
  const header = ['HOST', 'SEES', 'SHADOWED', 'IGNORES', 'FOLDERS'];
  const [head = '', ...lines] = tableLines({ header, rows, width: out.width });
  const names = new Map(hosts.map(({ id, name }) => [id, name]));
  const told = differences.flatMap((each) => differenceLines(each, names, out));
  return [out.paint('bold', head), ...lines, ...(told.length === 0 ? [] : ['', ...told])];
}

function overviewRow({ id, skills, folders }: HostReport): string[] {
  const count = (state: SightState) => String(skills.filter((skill) => skill.state === state).length);
  const used = folders.filter(({ exists }) => exists).map(({ path }) => path);
  return [id, count('seen'), count('shadowed'), count('ignored'), used.join(', ') || '-'];
}

function differenceLines(
  { skill, kinds, seen, unseen }: HostDifference,
  names: ReadonlyMap<string, string>,
  out: Output,
): string[] {
  const namesOf = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? id).join(', ');
  const what = kinds.includes('content') ? 'hosts see different texts' : 'not all hosts see it';
  return [
    `${out.paint('bold', printable(skill))}  ${out.paint('yellow', what)}`,
    ...seen.map(({ paths, hosts }) => `  ${printable(paths.join(', '))}: ${namesOf(hosts)}`),
    ...(unseen.length === 0 ? [] : [out.paint('dim', `  not seen: ${namesOf(unseen)}`)]),
  ];
}

const STYLES: Readonly<Record<SightState, Style>> = { seen: 'green', shadowed: 'yellow', ignored: 'dim' };

/** In a pipe: state, name, path, remarks. */
function hostLines({ skills }: HostReport, out: Output): string[] {
  const rows = skills.map(({ state, name, path, reason, notes }) =>
    [state, name, path, [reason, ...notes].filter((part) => part !== '').join('; ') || '-'].map(printable),
  );
  if (!out.terminal) return tabLines(rows);
  if (rows.length === 0) return [];
  const cells = rows.map((row) => row.slice(0, -1));
  const [head = '', ...lines] = tableLines({
    header: ['STATE', 'NAME', 'PATH'],
    rows: cells,
    width: out.width,
  });
  const told = lines.flatMap((line, index) => {
    const state = skills[index]?.state ?? 'seen';
    const remark = rows[index]?.at(-1) ?? '-';
    const painted = out.paint(STYLES[state], line);
    return remark === '-' ? [painted] : [painted, `  ${out.paint('dim', remark)}`];
  });
  return [out.paint('bold', head), ...told];
}

function hostNotes({ name, precedence, source, folders }: HostReport): string[] {
  const read = folders.map(({ path, exists }) => (exists ? path : `${path} (not there)`));
  return [`${name} reads, in this order: ${read.join(', ')}`, `${precedence} (${source})`];
}

function summary({ differences }: HostsReport): string {
  if (differences.length === 0) return 'all hosts see the same skills';
  return `${plural(differences.length, 'skill')} on which hosts disagree; \`colibri hosts <host>\` tells why`;
}
