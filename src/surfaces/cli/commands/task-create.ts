import { summaryOf } from '../../../domains/tasks/task-summary.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { PERSON, withTasks } from '../task-id.ts';
import { requestOf } from '../task-request.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const request = requestOf(args[0] ?? '', flags);
  return withTasks(context, async (tasks) => {
    const made = await tasks.create(request, PERSON);
    const queued = flags.switches.has('dispatch');
    const task = queued ? await tasks.dispatch(made.id, PERSON) : made;
    if (flags.switches.has('json')) out.json(summaryOf(task));
    else out.lines([`${task.slug}\t${task.id}`]);
    const next = queued ? 'colibri task work' : `colibri task dispatch ${task.slug}`;
    out.note(
      queued ? `it waits in the queue; \`${next}\` works it off` : `\`${next}\` puts it into the queue`,
    );
    return EXIT.ok;
  });
}
