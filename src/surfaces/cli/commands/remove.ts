import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withRuntime } from '../runtime.ts';
import { plural } from '../wording.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ install }) => {
    const { switches } = flags;
    const report = await install.remove({
      names: args,
      force: switches.has('force'),
      dryRun: switches.has('dry-run'),
      global: switches.has('global'),
    });
    if (switches.has('json')) out.json(report);
    else out.lines(report.removed.map(printable));
    out.note(`${report.dry_run ? 'would remove' : 'removed'} ${plural(report.removed.length, 'skill')}`);
    return EXIT.ok;
  });
}
