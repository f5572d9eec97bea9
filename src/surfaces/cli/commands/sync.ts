import type { SyncedMirror, SyncedSkill, SyncReport } from '../../../domains/integrity/sync-service.ts';
import { printable } from '../../../lib/text.ts';
import { displayWidth, fillTo } from '../columns.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output, Style } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines } from '../table.ts';

/** Exits with 1 when a copy still differs, because somebody has to decide about it. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ sync }) => {
    const report = await sync.sync({
      skills: args,
      dryRun: flags.switches.has('dry-run'),
      collect: flags.switches.has('collect'),
      force: flags.switches.has('force'),
      actor: 'cli',
    });
    if (flags.switches.has('json')) out.json(report);
    else out.lines(report.mirrors.flatMap((mirror) => mirrorLines(mirror, report, out)));
    out.note(summary(report));
    return report.kept > 0 ? EXIT.findings : EXIT.ok;
  });
}

function mirrorLines(
  { root, skills, refused }: SyncedMirror,
  { dry_run }: SyncReport,
  out: Output,
): string[] {
  if (refused !== null) return [`${out.paint('red', 'refused')}  ${printable(refused)}`];
  const told = skills.filter(({ action }) => action !== 'none' && action !== 'linked');
  if (!out.terminal) {
    return tabLines(
      told.map((each) => [wordOf(each, { dryRun: dry_run }), each.skill, root, remark(each)].map(printable)),
    );
  }
  const words = told.map((each) => wordOf(each, { dryRun: dry_run }));
  const width = widest(words);
  const nameWidth = widest(told.map(({ skill }) => printable(skill)));
  return told.map((each, index) => {
    const word = out.paint(styleOf(each), (words[index] ?? '').padEnd(width));
    const name = out.paint('bold', fillTo(printable(each.skill), nameWidth));
    return `${word}  ${name}  ${printable(`${root}: ${remark(each)}`)}`;
  });
}

function widest(words: readonly string[]): number {
  return Math.max(0, ...words.map(displayWidth));
}

function remark({ reason, error }: SyncedSkill): string {
  return error === null ? reason : `${reason}; ${error}`;
}

const PLANNED: Readonly<Record<SyncedSkill['action'], string>> = {
  none: 'in step',
  linked: 'linked',
  copy: 'would copy',
  update: 'would update',
  remove: 'would remove',
  collect: 'would collect',
  keep: 'would keep',
};
const DONE: Readonly<Record<SyncedSkill['action'], string>> = {
  none: 'in step',
  linked: 'linked',
  copy: 'copied',
  update: 'updated',
  remove: 'removed',
  collect: 'collected',
  keep: 'kept',
};

function wordOf({ action, error }: SyncedSkill, { dryRun }: { readonly dryRun: boolean }): string {
  if (error !== null) return 'failed';
  return dryRun ? PLANNED[action] : DONE[action];
}

function styleOf({ action, error }: SyncedSkill): Style {
  if (error !== null) return 'red';
  if (action === 'keep') return 'yellow';
  return action === 'remove' ? 'dim' : 'green';
}

function summary({ mirrors, changed, kept, dry_run }: SyncReport): string {
  if (mirrors.length === 0) return 'no mirror is configured; there is nothing to bring in line';
  const skills = mirrors.flatMap((mirror) => mirror.skills);
  const quiet = skills.filter(({ action }) => action === 'none' || action === 'linked').length;
  const verb = dry_run ? 'would be changed' : 'changed';
  return `${changed} ${changed === 1 ? 'copy' : 'copies'} ${verb}, ${quiet} in step or linked, ${kept} still different`;
}
