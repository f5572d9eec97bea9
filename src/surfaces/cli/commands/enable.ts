import type { CommandContext, ExitCode } from '../command.ts';
import { runSwitch } from '../switching.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  return runSwitch(context, (switches, patterns) => switches.enable(patterns));
}
