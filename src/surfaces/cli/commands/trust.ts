import type { TrustReport, TrustState } from '../../../domains/policy/trust-service.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines, tableLines } from '../table.ts';

/** Without names: what is trusted, what is not, and what changed. With names: vouches for them. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const all = flags.switches.has('all');
  const list = flags.switches.has('list');
  if (list && (all || args.length > 0))
    throw new ColibriError('USAGE', '--list changes nothing; leave out the names and --all');
  if (all && args.length > 0) throw new ColibriError('USAGE', '--all needs no names; give one or the other');
  return withRuntime(context, async ({ policy }) => {
    if (args.length === 0 && !all) return showStates(await policy.list(), context);
    const dryRun = flags.switches.has('dry-run');
    const report = await policy.trust(all ? 'all' : args, { actor: 'cli', dryRun });
    if (flags.switches.has('json')) out.json({ ...report, dry_run: dryRun });
    else out.lines(reportLines(report, out));
    out.note(summary(report, dryRun));
    return report.refused.length > 0 ? EXIT.findings : EXIT.ok;
  });
}

function showStates(states: readonly TrustState[], { flags, out }: CommandContext): ExitCode {
  const open = states.filter(({ trusted }) => !trusted).length;
  if (flags.switches.has('json')) out.json({ subjects: states });
  else out.lines(stateLines(states, out));
  if (open > 0) out.note(`${open} not trusted; look at them, then run \`colibri trust <name>\``);
  return open > 0 ? EXIT.findings : EXIT.ok;
}

function stateLines(states: readonly TrustState[], out: Output): string[] {
  const rows = states.map(({ kind, name, trusted, changes, reason }) => {
    const files = changes.map(({ path, change }) => `${change} ${path}`).join(', ');
    const why = files === '' ? reason : `${reason}: ${files}`;
    return [trusted ? 'yes' : 'no', kind, name, why].map(printable);
  });
  if (!out.terminal) return tabLines(rows);
  if (rows.length === 0) return [];
  const header = ['TRUSTED', 'KIND', 'NAME', 'WHY'];
  const [first = '', ...lines] = tableLines({ header, rows, width: out.width });
  return [out.paint('bold', first), ...lines];
}

/** One line for each file that is vouched for anew. */
function reportLines({ done, refused }: TrustReport, out: Output): string[] {
  const rows = [
    ...done.flatMap(({ subject, changes }) =>
      changes.map(({ path, change }) => [subject.name, change, path].map(printable)),
    ),
    ...refused.map(({ name, reason }) => [name, 'refused', reason].map(printable)),
  ];
  if (!out.terminal) return tabLines(rows);
  return rows.length === 0 ? [] : tableLines({ header: ['NAME', 'CHANGE', 'FILE'], rows, width: out.width });
}

function summary({ done, refused }: TrustReport, dryRun: boolean): string {
  const names = done.map(({ subject }) => printable(subject.name));
  const refusal = refused.length === 0 ? '' : `; ${refused.length} refused`;
  if (names.length === 0) return `nothing new to trust${refusal}`;
  return `${dryRun ? 'would trust' : 'trusted'} ${names.join(', ')}${refusal}`;
}
