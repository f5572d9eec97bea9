/** `colibri doctor --fix`: shows or makes the changes that keep what a skill says. */
import { createTwoFilesPatch } from 'diff';

import type { FixPlan } from '../../domains/integrity/doctor/fix-plan.ts';
import { printable, printableBlock } from '../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from './command.ts';
import { withRuntime } from './runtime.ts';
import { rowLines } from './table.ts';
import { plural } from './wording.ts';

export function runFix(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  const dryRun = flags.switches.has('dry-run');
  return withRuntime(context, async ({ doctor }) => {
    const plans = dryRun ? await doctor.plan() : await doctor.fix();
    if (flags.switches.has('json')) out.json({ dry_run: dryRun, fixes: plans.map(jsonPlan) });
    else if (dryRun) out.lines(plans.flatMap((plan) => printableBlock(patchOf(plan)).trimEnd().split('\n')));
    else {
      const rows = plans.flatMap((plan) => plan.steps.map((step) => [placeOf(plan), step].map(printable)));
      out.lines(rowLines({ header: ['FILE', 'MENDED'], rows }, out));
    }
    out.note(summary(plans, dryRun));
    return EXIT.ok;
  });
}

function patchOf(plan: FixPlan): string {
  const old = `${plan.directory}/${plan.file}`;
  const fresh = `${plan.directory}/${plan.renameTo ?? plan.file}`;
  const patch = createTwoFilesPatch(old, fresh, plan.before, plan.after, undefined, undefined, {
    context: 2,
  });
  // The first lines are a ruler of the library's own.
  return patch.replace(/^(?:Index:.*\n)?=+\n/, '');
}

function placeOf({ directory, file, renameTo }: FixPlan): string {
  return `${directory}/${renameTo ?? file}`;
}

function jsonPlan(plan: FixPlan): unknown {
  return { file: placeOf(plan), steps: plan.steps, patch: patchOf(plan) };
}

function summary(plans: readonly FixPlan[], dryRun: boolean): string {
  if (plans.length === 0) return 'nothing that can be mended safely';
  return dryRun
    ? `${plural(plans.length, 'file')} would change; run \`colibri doctor --fix\` to do it`
    : `${plural(plans.length, 'file')} mended`;
}
