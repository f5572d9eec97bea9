import { printable } from '../../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { rowLines } from '../table.ts';

type Summary = Awaited<ReturnType<BootedRuntime['sessions']['list']>>[number];

const SHOWN = 50;
const SHOWN_MAX = 10_000;

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  const limit = wholeNumber(flags, 'limit', { min: 1, max: SHOWN_MAX }) ?? SHOWN;
  return withRuntime(context, async ({ sessions }) => {
    // One more than shown tells whether there are more.
    const found = await sessions.list(limit + 1);
    const shown = found.slice(0, limit);
    if (flags.switches.has('json')) out.json({ sessions: shown, more: found.length > limit });
    else out.lines(sessionLines(shown, out));
    if (found.length === 0) out.note('no session is recorded yet; `colibri serve` or the library opens them');
    if (found.length > limit) out.note(`there are more than these ${limit}; --limit shows them`);
    return EXIT.ok;
  });
}

/** Newest first: id, when it was opened, when it was closed, tier, agent. */
function sessionLines(sessions: readonly Summary[], out: Output): string[] {
  const rows = sessions.map(({ id, opened_at, closed_at, agent_tier, agent_id }) =>
    [id, opened_at, closed_at ?? (out.terminal ? 'open' : '-'), agent_tier, agent_id ?? '-'].map(printable),
  );
  return rowLines({ header: ['SESSION', 'OPENED', 'CLOSED', 'TIER', 'AGENT'], rows }, out);
}
