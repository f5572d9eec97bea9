import type { Task } from '../../../domains/tasks/schema.ts';
import type { TasksService } from '../../../domains/tasks/service.ts';
import { summaryOf } from '../../../domains/tasks/task-summary.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { type Fact, factLines } from '../facts.ts';
import { PERSON, withTasks } from '../task-id.ts';
import { followTasks, progressLine } from '../task-progress.ts';
import { requestOf } from '../task-request.ts';

/** From the words of a task to its branch. Progress is on stderr, the result on stdout. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const request = requestOf(args[0] ?? '', flags);
  return withTasks(context, async (tasks, { events }) => {
    const made = await tasks.create(request, PERSON);
    const follower = await followTasks(events, { taskId: made.id, tell: out.note });
    out.note(`task      ${made.slug} ${made.id}`);
    const task = await workOff(context, tasks, await tasks.dispatch(made.id, PERSON));
    await follower.end();
    const merged =
      task.state === 'DONE' && flags.switches.has('merge') ? await tasks.merge(task.id, PERSON) : null;
    if (flags.switches.has('json'))
      out.json({ ...summaryOf(task), worktree: await tasks.worktree(task.id), merged });
    else out.lines(factLines(factsOf(task, await tasks.worktree(task.id), merged), out));
    return task.state === 'DONE' ? EXIT.ok : EXIT.failure;
  });
}

/** Until the task has come to an end, here or in another process that took it first. */
async function workOff({ host, out }: CommandContext, tasks: TasksService, { id }: Task): Promise<Task> {
  const worker = await tasks.work({
    task: id,
    lanes: 1,
    onProgress: (_, progress) => {
      const line = progressLine(progress);
      if (line !== null) out.note(line);
    },
  });
  host.onStopSignal?.(() => {
    // What was asked for by hand is given up by hand; the branch stays.
    tasks.cancel(id, { actor: PERSON, reason: 'stopped by a signal' }).catch(() => undefined);
  });
  await worker.drained();
  await worker.stop({ drainMs: 0 });
  return tasks.get(id);
}

function factsOf(
  task: Task,
  worktree: string | null,
  merged: { readonly into: string } | null,
): readonly Fact[] {
  const { code, reason, summary } = task;
  return [
    ['task', task.slug],
    ['state', task.state],
    ['because', code === null ? '' : `${code}: ${reason ?? ''}`],
    ['summary', summary],
    ['branch', task.branch ?? ''],
    ['commit', task.head_sha ?? ''],
    ['worktree', worktree ?? ''],
    ['merged', merged === null ? '' : `into ${merged.into}`],
  ];
}
