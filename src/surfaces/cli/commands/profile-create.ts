import type { CommandContext, ExitCode } from '../command.ts';
import { patternsIn, runProfileChange } from '../switching.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags } = context;
  const [name = ''] = args;
  return runProfileChange(context, (switches) => {
    const enable = patternsIn(flags.values.get('enable'));
    switches.putProfile(name, { enable, disable: patternsIn(flags.values.get('disable')) });
    return `profile ${name} is there; \`colibri profile use ${name}\` puts it in use here`;
  });
}
