import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withRuntime } from '../runtime.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const all = flags.switches.has('all');
  if (all === args.length > 0) {
    throw new ColibriError('USAGE', '`untrust` needs names, or --all; `colibri trust` lists what is trusted');
  }
  return withRuntime(context, async ({ policy }) => {
    const { done } = await policy.untrust(all ? 'all' : args, { actor: 'cli' });
    const names = done.map(({ subject }) => subject.name);
    if (flags.switches.has('json')) out.json({ untrusted: names });
    else out.lines(names.map(printable));
    out.note(names.length === 0 ? 'none of them was trusted by you' : `no longer trusted: ${names.length}`);
    return EXIT.ok;
  });
}
