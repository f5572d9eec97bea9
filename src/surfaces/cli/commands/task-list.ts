import type { Task, TaskState } from '../../../domains/tasks/schema.ts';
import { summaryOf } from '../../../domains/tasks/task-summary.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode, type Flags } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import type { Output } from '../output.ts';
import { rowLines } from '../table.ts';
import { withTasks } from '../task-id.ts';

const SHOWN = 50;
const SHOWN_MAX = 10_000;

export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  const limit = wholeNumber(flags, 'limit', { min: 1, max: SHOWN_MAX }) ?? SHOWN;
  const filter = filterOf(flags);
  return withTasks(context, async (tasks) => {
    // One more than shown tells whether there are more.
    const found = await tasks.list({ ...filter, limit: limit + 1 });
    const shown = found.slice(0, limit);
    if (flags.switches.has('json')) out.json({ tasks: shown.map(summaryOf), more: found.length > limit });
    else out.lines(taskLines(shown, out));
    if (found.length === 0) out.note('no such task; `colibri task create` makes one');
    if (found.length > limit) out.note(`there are more than these ${limit}; --limit shows them`);
    return EXIT.ok;
  });
}

function filterOf({ switches, values }: Flags): { readonly open?: boolean; readonly state?: TaskState } {
  const state = values.get('state');
  if (!switches.has('open')) return state === undefined ? {} : { state: state as TaskState };
  if (state === undefined) return { open: true };
  throw new ColibriError('USAGE', '--open and --state exclude each other; leave one out');
}

/** Newest first: slug, state, attempt, progress, agent profile, title. */
function taskLines(tasks: readonly Task[], out: Output): string[] {
  const rows = tasks.map((task) => {
    const { slug, state, attempt, max_attempts, progress, profile, title } = task;
    return [slug, state, `${attempt}/${max_attempts}`, `${progress}%`, profile ?? 'any', title].map(
      printable,
    );
  });
  return rowLines({ header: ['TASK', 'STATE', 'ATTEMPT', 'DONE', 'AGENT', 'TITLE'], rows }, out);
}
