import type { Agent, AgentState } from '../../../domains/agents/schema.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import type { Output } from '../output.ts';
import { withRuntime } from '../runtime.ts';
import { tabLines, tableLines } from '../table.ts';

const SHOWN = 50;
const SHOWN_MAX = 10_000;

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  const limit = wholeNumber(flags, 'limit', { min: 1, max: SHOWN_MAX }) ?? SHOWN;
  const filter = {
    // The parser has compared it with the choices.
    state: flags.values.get('state') as AgentState | undefined,
    profile: flags.values.get('profile'),
    task_id: flags.values.get('task'),
  };
  return withRuntime(context, async ({ agents }) => {
    // One more than shown tells whether there are more.
    const found = await (await agents()).list({ ...filter, limit: limit + 1 });
    const shown = found.slice(0, limit);
    if (flags.switches.has('json')) out.json({ agents: shown, more: found.length > limit });
    else out.lines(agentLines(shown, out));
    if (found.length === 0) out.note('there are no such agents');
    if (found.length > limit) out.note(`there are more than these ${limit}; --limit shows them`);
    return EXIT.ok;
  });
}

/** A terminal has no room for the ids of tasks; a pipe gets them all. */
function agentLines(agents: readonly Agent[], out: Output): string[] {
  const stateOf = ({ state, fail_code }: Agent): string =>
    fail_code === null ? state : `${state} ${fail_code}`;
  if (!out.terminal) {
    const rows = agents.map((agent) => [
      ...[agent.id, stateOf(agent), agent.profile],
      ...[agent.task_id, agent.branch ?? '-', agent.created_at],
    ]);
    return tabLines(rows.map((row) => row.map(printable)));
  }
  if (agents.length === 0) return [];
  const rows = agents.map((agent) =>
    [agent.id, stateOf(agent), agent.profile, agent.branch ?? '-'].map(printable),
  );
  const [header = '', ...lines] = tableLines({
    header: ['AGENT', 'STATE', 'PROFILE', 'BRANCH'],
    rows,
    width: out.width,
  });
  return [out.paint('bold', header), ...lines];
}
