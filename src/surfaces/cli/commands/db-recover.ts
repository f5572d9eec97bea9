import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode, type RecoveredTable } from '../command.ts';
import type { Output } from '../output.ts';
import { debugLogger, placesOf, withProgress } from '../runtime.ts';
import { tabLines, tableLines } from '../table.ts';

export async function run(context: CommandContext): Promise<ExitCode> {
  const { flags, host, out } = context;
  const { recover } = await host.boot();
  const places = placesOf(context);
  const { path, movedTo, healthy, tables, skills } = await withProgress(context, ({ report }) =>
    recover({
      ...places,
      logger: debugLogger(host),
      transport: 'none',
      exit: () => undefined,
      force: flags.switches.has('force'),
      progress: report,
    }),
  );
  if (flags.switches.has('json')) out.json({ path, movedTo, healthy, tables, skills });
  else out.lines(tablesLines(tables, out));
  out.note(
    printable(`recovered ${path}; the old file is kept as ${movedTo}; skills indexed anew: ${skills}`),
  );
  return EXIT.ok;
}

/** Table, rows copied, rows lost. */
function tablesLines(tables: readonly RecoveredTable[], out: Output): string[] {
  const rows = tables.map(({ name, copied, lost, lostIsExact }) => [
    printable(name),
    String(copied),
    lostIsExact ? String(lost) : `${lost}+`,
  ]);
  if (!out.terminal) return tabLines(rows);
  return tableLines({ header: ['TABLE', 'COPIED', 'LOST'], rows, width: out.width });
}
