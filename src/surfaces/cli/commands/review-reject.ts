import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withRuntime } from '../runtime.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ proposals }) => {
    const rejected = await proposals.reject(args[0] ?? '', { actor: 'cli', note: flags.values.get('note') });
    if (flags.switches.has('json')) out.json(rejected);
    else out.note(`rejected ${rejected.id}; nothing was written`);
    return EXIT.ok;
  });
}
