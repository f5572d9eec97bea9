import { COMMANDS } from '../../src/surfaces/cli/commands.ts';
import { GLOBAL_OPTIONS } from '../../src/surfaces/cli/common-options.ts';
import { parseCommandLine } from '../../src/surfaces/cli/options.ts';
import { colibriCommands } from './markdown.ts';

/** What the parser of the command line says against the commands that a text mentions. */
export function commandComplaints(markdown: string): readonly string[] {
  return colibriCommands(markdown).flatMap((command) => {
    // Prose leaves arguments out; `--help` allows that.
    const argv = [...command.split(/\s+/).slice(1), '--help'];
    try {
      parseCommandLine(argv, { commands: COMMANDS, globals: GLOBAL_OPTIONS });
      return [];
    } catch (error) {
      return [`${command}: ${String(error)}`];
    }
  });
}
