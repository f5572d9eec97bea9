/** The tasks that a command works with, and which one the user means. */
import type { Task } from '../../domains/tasks/schema.ts';
import type { TasksService } from '../../domains/tasks/service.ts';
import { ColibriError } from '../../lib/errors.ts';
import { nearest } from '../../lib/text.ts';
import type { BootedRuntime, CommandContext } from './command.ts';
import { withRuntime } from './runtime.ts';

const NEWEST = 'last';
/** Tasks among which a mistyped slug is looked for. */
const CANDIDATES = 500;
/** Who acts on the command line. */
export const PERSON = 'cli';

/** Like `withRuntime`, with the tasks opened. */
export function withTasks<T>(
  context: CommandContext,
  use: (tasks: TasksService, runtime: BootedRuntime) => Promise<T>,
): Promise<T> {
  return withRuntime(context, async (runtime) => use(await runtime.tasks(), runtime));
}

/** By id or slug, or the newest one for `last`. */
export async function requireTask(tasks: TasksService, typed: string): Promise<Task> {
  const [newest] = typed === NEWEST ? await tasks.list({ limit: 1 }) : [];
  if (newest !== undefined) return newest;
  try {
    return await tasks.get(typed);
  } catch (error) {
    if (!(error instanceof ColibriError) || error.code !== 'TASK_NOT_FOUND') throw error;
    const known = await tasks.list({ limit: CANDIDATES });
    const near = nearest(
      typed,
      known.map(({ slug }) => slug),
    );
    if (near.length === 0) throw error;
    const message = `no task ${JSON.stringify(typed)}; did you mean ${near.join(', ')}?`;
    throw new ColibriError('TASK_NOT_FOUND', message, { id: typed, nearest: near });
  }
}
