/** The part of the command table that is about agents: their runs and their profiles. */
import type { Command } from './command.ts';

export const AGENT_COMMANDS: readonly Command[] = [
  {
    name: 'agent list',
    summary: 'list agents, newest first',
    usage:
      'colibri agent list [--state <state>] [--profile <name>] [--task <id>] [--limit <number>] [--json]',
    args: [],
    options: [
      {
        flag: '--state',
        value: 'state',
        choices: ['PENDING', 'INITIALIZING', 'READY', 'BUSY', 'TERMINATED', 'FAILED'],
        description: 'only those in this state',
      },
      { flag: '--profile', value: 'name', description: 'only those of this profile' },
      { flag: '--task', value: 'id', description: 'only those of this task' },
      { flag: '--limit', value: 'number', description: 'at most so many, 1 to 10000 (default: 50)' },
    ],
    examples: ['colibri agent list', 'colibri agent list --state FAILED --json'],
    load: () => import('./commands/agent-list.ts'),
  },
  {
    name: 'agent show',
    summary: 'show one agent: its state, its branch, why it failed',
    usage: 'colibri agent show <agent> [--json]',
    args: [{ name: 'agent' }],
    options: [],
    examples: ['colibri agent show last', 'colibri agent show 01K9ZQ5D3V5W6X7Y8Z9A0B1C2D --json'],
    load: () => import('./commands/agent-show.ts'),
  },
  {
    name: 'agent profile',
    summary: 'list the profiles of agents, or show one',
    usage: 'colibri agent profile [name] [--json]',
    args: [{ name: 'name', optional: true }],
    options: [],
    examples: ['colibri agent profile', 'colibri agent profile fixer --json'],
    load: () => import('./commands/agent-profile.ts'),
  },
  {
    name: 'agent reconcile',
    summary: 'set right what supervisors left that died: agents, processes, worktrees',
    usage: 'colibri agent reconcile [--json]',
    args: [],
    options: [],
    examples: ['colibri agent reconcile'],
    load: () => import('./commands/agent-reconcile.ts'),
  },
];
