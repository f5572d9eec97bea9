import { printable } from '../../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { rowLines } from '../table.ts';
import { plural } from '../wording.ts';

type Stats = Awaited<ReturnType<BootedRuntime['sessions']['stats']>>;

const DAYS_MAX = 36_500;

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  const days = wholeNumber(flags, 'days', { min: 1, max: DAYS_MAX });
  return withRuntime(context, async ({ sessions }) => {
    const stats = await sessions.stats({ days });
    if (flags.switches.has('json')) out.json(stats);
    else if (flags.switches.has('unused')) out.lines(stats.unused.map(printable));
    else out.lines(useLines(stats, out));
    out.note(summary(stats, days));
    return EXIT.ok;
  });
}

/** The most used first: name, loads, commands, sessions, tokens, last use. */
function useLines({ used }: Stats, out: Output): string[] {
  const rows = used.map(({ name, loads, invocations, sessions, tokens, last_used, indexed }) => [
    printable(indexed || !out.terminal ? name : `${name} (gone)`),
    ...[loads, invocations, sessions, tokens].map(String),
    last_used,
  ]);
  return rowLines({ header: ['SKILL', 'LOADS', 'COMMANDS', 'SESSIONS', 'TOKENS', 'LAST USED'], rows }, out);
}

function summary({ used, unused }: Stats, days: number | undefined): string {
  const when = days === undefined ? 'so far' : `in the last ${plural(days, 'day')}`;
  const there = used.filter(({ indexed }) => indexed).length;
  const hint = unused.length === 0 ? '' : '; --unused names the others';
  return `${there} of ${plural(there + unused.length, 'skill')} used ${when}${hint}`;
}
