import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withRuntime } from '../runtime.ts';
import { requireSession } from '../session-id.ts';

/** Closing twice is no failure: what was asked for is the case. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withRuntime(context, async (runtime) => {
    const before = await requireSession(runtime, args[0] ?? '');
    await runtime.sessions.close(before.id);
    const { id, closedAt } = await runtime.sessions.get(before.id);
    if (flags.switches.has('json')) out.json({ id, closed_at: closedAt, was_open: before.closedAt === null });
    else if (before.closedAt === null) out.note(`closed ${id}; its records stay`);
    else out.note(`${id} was closed already, at ${closedAt}`);
    return EXIT.ok;
  });
}
