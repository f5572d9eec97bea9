import { summaryOf } from '../../../domains/tasks/task-summary.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { PERSON, requireTask, withTasks } from '../task-id.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const reason = flags.values.get('reason') ?? 'by hand';
  return withTasks(context, async (tasks) => {
    const { id } = await requireTask(tasks, args[0] ?? '');
    const task = await tasks.cancel(id, { actor: PERSON, reason });
    if (flags.switches.has('json')) out.json(summaryOf(task));
    out.note(`${task.slug} is ${task.state}`);
    return EXIT.ok;
  });
}
