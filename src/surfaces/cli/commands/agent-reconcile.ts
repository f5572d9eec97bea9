import type { Reconciliation } from '../../../domains/agents/schema.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withRuntime } from '../runtime.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  return withRuntime(context, async ({ agents }) => {
    const found = await (await agents()).reconcile();
    if (flags.switches.has('json')) out.json(found);
    else out.lines(linesOf(found).map(printable));
    const { lost, killed, removed } = found;
    if (lost.length + killed.length + removed.length === 0) out.note('nothing had to be set right');
    return EXIT.ok;
  });
}

function linesOf({ lost, killed, removed, kept }: Reconciliation): string[] {
  return [
    ...lost.map(
      ({ id, task_id }) => `agent ${id} of task ${task_id} had lost its supervisor: FAILED (HOST_LOST)`,
    ),
    ...killed.map((pid) => `process ${pid} was killed`),
    ...removed.map((worktree) => `${worktree} was removed: nothing in it was left to merge`),
    ...kept.map(({ worktree, reason }) => `${worktree} was kept: ${reason}`),
  ];
}
