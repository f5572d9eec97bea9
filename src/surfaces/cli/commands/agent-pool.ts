import type { PoolReport, ProfileVerdict } from '../../../domains/tasks/dispatch.ts';
import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { type Fact, factLines } from '../facts.ts';
import type { Output } from '../output.ts';
import { tabLines, tableLines } from '../table.ts';
import { requireTask, withTasks } from '../task-id.ts';

/** Exit code 1 when nobody can take the task now. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  const typed = flags.values.get('task');
  if (typed === undefined) throw new ColibriError('USAGE', '--task is missing; name a task, or `last`');
  return withTasks(context, async (tasks) => {
    const task = await requireTask(tasks, typed);
    const report = await tasks.pool(task.id);
    if (flags.switches.has('json')) out.json({ task: task.slug, ...report });
    else {
      out.lines(factLines(factsOf(task.slug, report), out));
      out.lines(profileLines(report.profiles, out));
    }
    return report.chosen === null ? EXIT.findings : EXIT.ok;
  });
}

function factsOf(slug: string, { strategy, skills, chosen, empty }: PoolReport): readonly Fact[] {
  return [
    ['task', slug],
    ['strategy', strategy],
    ['required', skills.required.map(({ name }) => name).join(', ')],
    ['triggered', skills.triggered.map(({ name, trigger }) => `${name} (by "${trigger}")`).join(', ')],
    ['missing', skills.missing.map(({ name, why }) => `${name} (${why})`).join(', ')],
    ['chosen', chosen ?? ''],
    ['nobody', empty === null ? '' : `${empty.code}: ${empty.reason}`],
  ];
}

function profileLines(profiles: readonly ProfileVerdict[], out: Output): string[] {
  const rows = profiles.map(({ profile, eligible, active, max, score, why }) =>
    [
      profile,
      eligible ? 'yes' : 'no',
      `${active}/${max}`,
      score.total.toFixed(3),
      [score.headroom, score.success, score.speed, score.fit].map((part) => part.toFixed(2)).join(' '),
      why,
    ].map(printable),
  );
  if (!out.terminal) return tabLines(rows);
  if (rows.length === 0) return [];
  const header = ['PROFILE', 'FITS', 'BUSY', 'SCORE', 'ROOM SUCC SPEED FIT', 'WHY NOT'];
  const [first = '', ...lines] = tableLines({ header, rows, width: out.width });
  return ['', out.paint('bold', first), ...lines];
}
