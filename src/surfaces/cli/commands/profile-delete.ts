import type { CommandContext, ExitCode } from '../command.ts';
import { runProfileChange } from '../switching.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const [name = ''] = context.args;
  return runProfileChange(context, (switches) => {
    switches.removeProfile(name);
    return `profile ${name} is gone`;
  });
}
