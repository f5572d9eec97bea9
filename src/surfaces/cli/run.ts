/** One command line from its words to its exit code. */
import type { CliHost, ExitCode } from './command.ts';
import { COMMANDS } from './commands.ts';
import { GLOBAL_OPTIONS } from './common-options.ts';
import { runParsed, tryParse } from './run-parsed.ts';

const VOCABULARY = { commands: COMMANDS, globals: GLOBAL_OPTIONS };

export function runCli(host: CliHost): Promise<ExitCode> {
  return runParsed(tryParse(host.argv, VOCABULARY), { host, vocabulary: VOCABULARY });
}
