import type { TaskDetail } from '../../../domains/tasks/service.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { type Fact, factLines } from '../facts.ts';
import { requireTask, withTasks } from '../task-id.ts';

export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  return withTasks(context, async (tasks) => {
    const { id } = await requireTask(tasks, args[0] ?? '');
    const detail = await tasks.detail(id);
    if (flags.switches.has('json')) out.json(detail);
    else out.lines(factLines([...taskFacts(detail), ...historyFacts(detail)], out));
    return EXIT.ok;
  });
}

function taskFacts(task: TaskDetail): readonly Fact[] {
  const { code, reason, status, progress, summary } = task;
  return [
    ['task', task.slug],
    ['id', task.id],
    ['title', task.title],
    ['description', task.description],
    ['state', `${task.state}, attempt ${task.attempt} of ${task.max_attempts}`],
    ['because', code === null ? '' : `${code}: ${reason ?? ''}`],
    ['said', status === '' ? '' : `${status}, ${progress}%: ${summary}`],
    ['for', `${task.agent_tier}, pool ${task.pool}, ${task.profile ?? 'any profile'}, ${task.strategy}`],
    ['needs', [...task.required_skills, ...task.required_tools].join(', ')],
    ['agent', task.agent_id ?? ''],
    ['repository', task.repo ?? ''],
    ['branch', task.branch === null ? '' : `${task.branch} at ${(task.head_sha ?? '').slice(0, 12)}`],
    ['made', task.created_at],
    ['ended', task.closed_at ?? ''],
  ];
}

function historyFacts({ checkpoints, answers, updates, thoughts, writebacks }: TaskDetail): readonly Fact[] {
  return [
    ...checkpoints.map(({ attempt, phase, status }): Fact => ['phase', `${attempt} ${phase} ${status}`]),
    ...answers.map(({ line, verdict, evidence }): Fact => ['check', `${verdict}: ${line} (${evidence})`]),
    ...updates.map(
      ({ at, status, progress, summary }): Fact => ['update', `${at} ${status}, ${progress}%: ${summary}`],
    ),
    ...thoughts.flatMap(thoughtFacts),
    ...writebacks.map(({ attempt, commits, dirty }): Fact => {
      return [
        'writeback',
        `attempt ${attempt}, commits: ${commits}${dirty ? ', with changes not committed' : ''}`,
      ];
    }),
  ];
}

function thoughtFacts({ at, type, content, ...told }: TaskDetail['thoughts'][number]): readonly Fact[] {
  const thought: Fact = ['thought', `${at} ${type}: ${content}`];
  if (type !== 'reflection') return [thought];
  return [
    thought,
    ['commit', told.commit_sha === null ? '' : `${told.commit_sha} on ${told.branch ?? 'no branch'}`],
    ['tests', (told.tests_run ?? []).join('; ') || 'none'],
    ['blockers', (told.blockers ?? []).join('; ') || 'none'],
  ];
}
