/** The part of the command table that is about work: tasks, their queue, and running one from start to end. */
import { POOLS } from '../../domains/agents/pools.ts';
import { STRATEGIES, TASK_STATES } from '../../domains/tasks/schema.ts';
import type { Command, CommandArgument, CommandOption } from './command.ts';

const TASK: CommandArgument = { name: 'task' };
const REASON: CommandOption = { flag: '--reason', value: 'text', description: 'why, for the record' };

/** How a task is described, for `task create` and `run` alike. */
const DESCRIBED: readonly CommandOption[] = [
  { flag: '--agent', value: 'profile', description: 'the only agent profile that may do it' },
  { flag: '--description', value: 'text', description: 'everything the agent should know' },
  { flag: '--repo', value: 'dir', description: 'the git repository (default: the workspace)' },
  { flag: '--base', value: 'ref', description: 'what the branch starts from (default: HEAD)' },
  { flag: '--skill', value: 'names', description: 'skills that the agent must have, parted by commas' },
  { flag: '--tool', value: 'names', description: 'tools that the agent must have, parted by commas' },
  {
    flag: '--tier',
    value: 'tier',
    choices: ['T0', 'T1', 'T2', 'T3', 'T4'],
    description: 'the agent tier that will do it (default: T3)',
  },
  {
    flag: '--pool',
    value: 'pool',
    choices: POOLS,
    description: 'who to look among (default: implementation)',
  },
  { flag: '--priority', value: 'number', description: 'higher goes first, -1000 to 1000 (default: 0)' },
  {
    flag: '--strategy',
    value: 'strategy',
    choices: STRATEGIES,
    description: 'how one of several profiles is chosen (default: CAPACITY_AWARE)',
  },
];

const RUN: Command = {
  name: 'run',
  summary: 'make a task, let an agent do it, and say where its branch is',
  usage:
    'colibri run <task> [--agent <profile>] [--description <text>] [--repo <dir>] [--base <ref>] [--skill <names>] [--tool <names>] [--tier <tier>] [--pool <pool>] [--priority <number>] [--strategy <strategy>] [--merge] [--json]',
  args: [{ name: 'task' }],
  options: [...DESCRIBED, { flag: '--merge', description: 'merge the branch when the task is done' }],
  examples: [
    'colibri run "Fix the typo in the README; done when it reads right" --agent coder',
    'colibri run "Write the release notes" --agent coder --skill release-notes --merge',
  ],
  load: () => import('./commands/run-task.ts'),
};

const MAKING: readonly Command[] = [
  {
    name: 'task create',
    summary: 'make a task; with --dispatch it goes into the queue',
    usage:
      'colibri task create <title> [--agent <profile>] [--description <text>] [--repo <dir>] [--base <ref>] [--skill <names>] [--tool <names>] [--tier <tier>] [--pool <pool>] [--priority <number>] [--strategy <strategy>] [--dispatch] [--json]',
    args: [{ name: 'title' }],
    options: [...DESCRIBED, { flag: '--dispatch', description: 'put it into the queue at once' }],
    examples: [
      'colibri task create "Fix the typo in the README"',
      'colibri task create "Write the release notes" --agent coder --priority 10 --dispatch',
    ],
    load: () => import('./commands/task-create.ts'),
  },
  {
    name: 'task dispatch',
    summary: 'put a task into the queue',
    usage: 'colibri task dispatch <task> [--json]',
    args: [TASK],
    options: [],
    examples: ['colibri task dispatch fix-the-typo'],
    load: () => import('./commands/task-dispatch.ts'),
  },
  {
    name: 'task work',
    summary: 'work the queue off, here, until stopped or with --drain until it is empty',
    usage: 'colibri task work [--drain] [--lanes <number>] [--quiet]',
    args: [],
    options: [
      { flag: '--drain', description: 'end when nothing is waiting any more' },
      { flag: '--lanes', value: 'number', description: 'agents at the same time, 1 to 64 (default: 4)' },
    ],
    examples: ['colibri task work', 'colibri task work --drain --lanes 2'],
    load: () => import('./commands/task-work.ts'),
  },
];

const LOOKING: readonly Command[] = [
  {
    name: 'task list',
    summary: 'list the tasks, newest first',
    usage: 'colibri task list [--open | --state <state>] [--limit <number>] [--json]',
    args: [],
    options: [
      { flag: '--open', description: 'only those that are neither done nor cancelled' },
      { flag: '--state', value: 'state', choices: TASK_STATES, description: 'only those in this state' },
      { flag: '--limit', value: 'number', description: 'at most so many (default: 50)' },
    ],
    examples: ['colibri task list --open', 'colibri task list --state BLOCKED --json'],
    load: () => import('./commands/task-list.ts'),
  },
  {
    name: 'task show',
    summary: 'show one task: its phases, checks, updates and thoughts',
    usage: 'colibri task show <task> [--json]',
    args: [TASK],
    options: [],
    examples: ['colibri task show fix-the-typo', 'colibri task show last --json'],
    load: () => import('./commands/task-show.ts'),
  },
  {
    name: 'task orphans',
    summary: 'look for agents that ended without writeback',
    usage: 'colibri task orphans [--json]',
    args: [],
    options: [],
    examples: ['colibri task orphans', 'colibri task orphans --json'],
    load: () => import('./commands/task-orphans.ts'),
  },
  {
    name: 'agent pool',
    summary: 'say who could do a task, who not and why, with the scores',
    usage: 'colibri agent pool --task <task> [--json]',
    args: [],
    options: [{ flag: '--task', value: 'task', description: 'its id or slug, or `last` for the newest' }],
    examples: ['colibri agent pool --task fix-the-typo', 'colibri agent pool --task last --json'],
    load: () => import('./commands/agent-pool.ts'),
  },
];

const STEERING: readonly Command[] = [
  {
    name: 'task cancel',
    summary: 'cancel a task; an agent that works on it is ended',
    usage: 'colibri task cancel <task> [--reason <text>] [--json]',
    args: [TASK],
    options: [REASON],
    examples: ['colibri task cancel fix-the-typo --reason "done by hand"'],
    load: () => import('./commands/task-cancel.ts'),
  },
  {
    name: 'task block',
    summary: 'block a task until a person tries it again',
    usage: 'colibri task block <task> [--reason <text>] [--json]',
    args: [TASK],
    options: [REASON],
    examples: ['colibri task block fix-the-typo --reason "waits for the new wording"'],
    load: () => import('./commands/task-block.ts'),
  },
  {
    name: 'task retry',
    summary: 'begin a new attempt at a blocked task',
    usage: 'colibri task retry <task> [--json]',
    args: [TASK],
    options: [],
    examples: ['colibri task retry fix-the-typo'],
    load: () => import('./commands/task-retry.ts'),
  },
];

export const TASK_COMMANDS: readonly Command[] = [RUN, ...MAKING, ...LOOKING, ...STEERING];
