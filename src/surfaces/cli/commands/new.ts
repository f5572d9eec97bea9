import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withRuntime } from '../runtime.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ proposals }) => {
    const [name = ''] = args;
    const description = flags.values.get('description');
    const created = await proposals.create({ name, description }, 'cli');
    if (flags.switches.has('json')) out.json(created);
    else out.lines([printable(`${created.directory}/SKILL.md`)]);
    const next = description === undefined ? 'write its description and steps' : 'write its steps';
    out.note(`created ${name}; ${next}, then run \`colibri validate ${created.directory}\``);
    return EXIT.ok;
  });
}
