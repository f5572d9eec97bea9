import { printable } from '../../../lib/text.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines } from '../table.ts';
import { plural } from '../wording.ts';

type Verdict = Awaited<ReturnType<BootedRuntime['events']['verify']>>;

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  return withRuntime(context, async ({ events }) => {
    const verdict = await events.verify();
    if (flags.switches.has('json')) out.json(verdict);
    else out.lines(verdictLines(verdict, out));
    return verdict.broken === null ? EXIT.ok : EXIT.findings;
  });
}

function verdictLines({ events, broken }: Verdict, out: Output): string[] {
  if (broken === null) {
    return out.terminal ? [`ok: ${plural(events, 'event')}, every chain is whole`] : [`ok\t${events}`];
  }
  const { seq, stream, problem } = broken;
  if (!out.terminal) return tabLines([['broken', String(seq), stream, problem].map(printable)]);
  return [printable(`broken at event ${seq} of ${stream}: ${problem}`)];
}
