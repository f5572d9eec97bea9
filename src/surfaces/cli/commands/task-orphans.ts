import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { tabLines, tableLines } from '../table.ts';
import { withTasks } from '../task-id.ts';
import { plural } from '../wording.ts';

/** Exit code 1 when there are any, however old. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  return withTasks(context, async (tasks) => {
    const fresh = new Set((await tasks.orphans.scan()).map(({ agent_id }) => agent_id));
    const orphans = await tasks.orphans.list();
    const rows = orphans.map(({ agent_id, task_id, found_at }) => [agent_id, task_id, found_at]);
    if (flags.switches.has('json')) out.json({ orphans });
    else if (!out.terminal) out.lines(tabLines(rows));
    else if (rows.length > 0)
      out.lines(tableLines({ header: ['AGENT', 'TASK', 'FOUND'], rows, width: out.width }));
    if (orphans.length === 0) out.note('every agent that ended has written back');
    else
      out.note(
        `${plural(orphans.length, 'agent')} ended without writeback, ${fresh.size} of them found just now`,
      );
    return orphans.length === 0 ? EXIT.ok : EXIT.findings;
  });
}
