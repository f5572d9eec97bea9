import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { roundFacts } from '../round-lines.ts';
import { withRuntime } from '../runtime.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out, host } = context;
  // Whoever signs off should be a person; what the system calls the user is the nearest to it.
  const by = flags.values.get('by') ?? host.env['USER'] ?? host.env['LOGNAME'] ?? 'cli';
  return withRuntime(context, async ({ rounds }) => {
    const round = await rounds.start({ name: flags.values.get('name'), by });
    if (flags.switches.has('json')) out.json(round);
    else out.lines(roundFacts(round, out));
    const which = round.name ?? 'last';
    out.note(printable(`signed off; \`colibri round compare ${which}\` says what grows from here`));
    return EXIT.ok;
  });
}
