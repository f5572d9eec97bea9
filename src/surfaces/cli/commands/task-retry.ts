import { summaryOf } from '../../../domains/tasks/task-summary.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { PERSON, requireTask, withTasks } from '../task-id.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withTasks(context, async (tasks) => {
    const { id } = await requireTask(tasks, args[0] ?? '');
    const task = await tasks.retry(id, PERSON);
    if (flags.switches.has('json')) out.json(summaryOf(task));
    out.note(`${task.slug} begins attempt ${task.attempt}; \`colibri task work\` works it off`);
    return EXIT.ok;
  });
}
