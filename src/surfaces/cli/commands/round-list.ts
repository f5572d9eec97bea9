import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { roundRow } from '../round-lines.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines, tableLines } from '../table.ts';

const HEADER = ['ROUND', 'NAME', 'STARTED', 'BY', 'SKILLS', 'DIGEST'];

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  return withRuntime(context, async ({ rounds }) => {
    const all = await rounds.list();
    const rows = all.map((round) => roundRow(round).map(printable));
    if (flags.switches.has('json')) out.json({ rounds: all });
    else if (!out.terminal) out.lines(tabLines(rows));
    else if (rows.length > 0) {
      const [header = '', ...lines] = tableLines({ header: HEADER, rows, width: out.width });
      out.lines([out.paint('bold', header), ...lines]);
    }
    if (rows.length === 0) out.note('no round was started yet; `colibri round start` signs the registry off');
    return EXIT.ok;
  });
}
