import type { RoundSkill } from '../../../domains/integrity/round-facts.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { roundFacts } from '../round-lines.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines, tableLines } from '../table.ts';

const HEADER = ['NAME', 'VERSION', 'SOURCE', 'TIER', 'SCRIPTS', 'TOOLS'];

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async ({ rounds }) => {
    const { facts, ...round } = await rounds.get(args[0] ?? 'last');
    const rows = facts.map((skill) => rowOf(skill).map(printable));
    if (flags.switches.has('json')) out.json({ ...round, facts });
    else if (!out.terminal) out.lines(tabLines(rows));
    else {
      const [header = '', ...lines] = tableLines({ header: HEADER, rows, width: out.width });
      out.lines([...roundFacts(round, out), '', out.paint('bold', header), ...lines]);
    }
    return EXIT.ok;
  });
}

function rowOf({ name, version, source, tier, scripts, allowed_tools }: RoundSkill): string[] {
  return [name, version ?? '-', source, String(tier), String(scripts.length), allowed_tools.join(' ') || '-'];
}
