import type { UpdatedSkill, UpdateReport } from '../../../domains/integrity/install/update-service.ts';
import { printable, printableBlock } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { scopeOf, wordsOf } from '../install-flags.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { plural } from '../wording.ts';

/** Exit code 1 when a skill could not be updated. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ install }) => {
    const report = await install.update({
      ...scopeOf(context),
      names: args.length === 0 ? undefined : args,
      ref: flags.values.get('ref'),
      dryRun: flags.switches.has('dry-run'),
      accept: wordsOf(flags, 'accept'),
    });
    if (flags.switches.has('json')) out.json(report);
    else out.lines(report.skills.flatMap((skill) => skillLines(skill, out)));
    out.note(summary(report));
    return report.skills.every(({ state }) => state === 'updated' || state === 'current')
      ? EXIT.ok
      : EXIT.findings;
  });
}

function skillLines(skill: UpdatedSkill, out: Output): string[] {
  const { name, state, commit, changes, kept, conflicts, findings, reason } = skill;
  const moved =
    commit.from === null || commit.to === null ? '' : ` ${short(commit.from)} → ${short(commit.to)}`;
  const head = `${state.padEnd(8)}  ${printable(name)}${state === 'updated' ? moved : ''}`;
  return [
    out.paint(state === 'updated' || state === 'current' ? 'bold' : 'red', head),
    ...(reason === null ? [] : [`  ${printable(reason)}`]),
    ...conflicts.map(({ path, why }) => `  ${printable(`${path}: ${why}`)}`),
    ...findings.map(
      ({ severity, file, title, rule }) => `  ${printable(`${severity}: ${file}: ${title} (${rule})`)}`,
    ),
    ...kept.map((file) => `  ${printable(file)}: your edit is kept`),
    ...changes.flatMap(({ path, change, diff }) =>
      diff === null ? [`  ${printable(path)}: ${change}`] : diffLines(diff, out),
    ),
  ];
}

/** Without the two lines above it that name the file once more. */
function diffLines(diff: string, out: Output): string[] {
  const lines = printableBlock(diff)
    .trimEnd()
    .split('\n')
    .filter((line) => !/^(?:=+$|Index: )/.test(line));
  return lines.map((line) => {
    if (/^(?:---|\+\+\+) /.test(line)) return out.paint('bold', line.replace(/\t$/, ''));
    if (line.startsWith('+')) return out.paint('green', line);
    return line.startsWith('-') ? out.paint('red', line) : line;
  });
}

function short(commit: string): string {
  return commit.slice(0, 12);
}

function summary({ dry_run, skills }: UpdateReport): string {
  const count = (state: UpdatedSkill['state']): number =>
    skills.filter((skill) => skill.state === state).length;
  const stuck = skills.length - count('updated') - count('current');
  const done = `${dry_run ? 'would update' : 'updated'} ${plural(count('updated'), 'skill')}, ${count('current')} up to date`;
  if (stuck === 0) return done;
  const left = `${done}, ${stuck} left as ${stuck === 1 ? 'it is' : 'they are'}`;
  const advice = '; take over what the source has, or undo your edit, then update again';
  return count('conflict') === 0 ? left : `${left}${advice}`;
}
