import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { completionScript, type Shell } from '../completion.ts';

export function run({ args, out, commands, globals }: CommandContext): ExitCode {
  // The parser has let only the three shells of the table through.
  out.lines([completionScript(args[0] as Shell, { commands, globals })]);
  return EXIT.ok;
}
