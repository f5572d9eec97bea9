import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withRuntime } from '../runtime.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ proposals }) => {
    const despiteScan = flags.switches.has('despite-scan');
    const created = await proposals.accept(args[0] ?? '', { actor: 'cli', despiteScan });
    if (flags.switches.has('json')) out.json(created);
    else out.lines([printable(created.directory)]);
    out.note(`written; \`colibri trust ${created.name}\` vouches for it`);
    return EXIT.ok;
  });
}
