import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withIndex } from '../runtime.ts';
import { rowLines } from '../table.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  return withIndex(context, ({ switches }) => {
    const { profile: inUse, profiles } = switches.file();
    const rows = Object.entries(profiles).map(([name, { enable, disable }]) =>
      [name, name === inUse ? 'in use' : '-', enable.join(' ') || '*', disable.join(' ') || '-'].map(
        printable,
      ),
    );
    if (flags.switches.has('json')) out.json({ in_use: inUse, profiles });
    else out.lines(rowLines({ header: ['NAME', 'STATE', 'ENABLE', 'DISABLE'], rows }, out));
    if (rows.length === 0) out.note('no profiles yet; `colibri profile create` makes one');
    return EXIT.ok;
  });
}
