import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { helpText } from '../help.ts';
import { findCommand } from '../options.ts';

export function run({ args, out, commands, globals }: CommandContext): ExitCode {
  const { command } = findCommand(args, commands);
  out.lines([helpText({ commands, globals }, command)]);
  return EXIT.ok;
}
