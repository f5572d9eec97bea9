/** The part of the command table that is about copies of skills, signed-off states and other hosts. */
import type { Command } from './command.ts';

export const INTEGRITY_COMMANDS: readonly Command[] = [
  {
    name: 'drift',
    summary: 'say where the mirrors differ from the canonical skills',
    usage: 'colibri drift [--diff] [--json]',
    args: [],
    options: [{ flag: '--diff', description: 'with the lines that differ' }],
    examples: ['colibri drift', 'colibri drift --diff', 'colibri drift --quiet || colibri sync --dry-run'],
    load: () => import('./commands/drift.ts'),
  },
  {
    name: 'sync',
    summary: 'bring the mirrors in line with the canonical skills',
    usage: 'colibri sync [skill...] [--dry-run] [--collect] [--force] [--json]',
    args: [{ name: 'skill', optional: true, many: true, completes: 'skill' }],
    options: [
      { flag: '--dry-run', description: 'only say what would be done' },
      { flag: '--collect', description: 'take edits of a mirror back to the canonical side' },
      { flag: '--force', description: 'overwrite and remove what sync has not written itself' },
    ],
    examples: ['colibri sync --dry-run', 'colibri sync', 'colibri sync pdf-tools --collect'],
    load: () => import('./commands/sync.ts'),
  },
  {
    name: 'round start',
    summary: 'sign the registry off as it is now',
    usage: 'colibri round start [--name <name>] [--by <person>] [--json]',
    args: [],
    options: [
      { flag: '--name', value: 'name', description: 'what to call it; each name is used once' },
      { flag: '--by', value: 'person', description: 'who signs off (default: the user of the system)' },
    ],
    examples: ['colibri round start', 'colibri round start --name release-1.4 --by ada'],
    load: () => import('./commands/round-start.ts'),
  },
  {
    name: 'round list',
    summary: 'list the rounds, newest first',
    usage: 'colibri round list [--json]',
    args: [],
    options: [],
    examples: ['colibri round list', 'colibri round list | cut -f1'],
    load: () => import('./commands/round-list.ts'),
  },
  {
    name: 'round show',
    summary: 'show what a round has signed off',
    usage: 'colibri round show <round> [--json]',
    args: [{ name: 'round' }],
    options: [],
    examples: ['colibri round show last', 'colibri round show release-1.4 --json'],
    load: () => import('./commands/round-show.ts'),
  },
  {
    name: 'round compare',
    summary: 'say what skills can reach now that they could not at a round',
    usage: 'colibri round compare [before] [after] [--json]',
    args: [
      { name: 'before', optional: true },
      { name: 'after', optional: true },
    ],
    options: [],
    examples: [
      'colibri round compare',
      'colibri round compare release-1.4',
      'colibri round compare release-1.4 last',
    ],
    load: () => import('./commands/round-compare.ts'),
  },
  {
    name: 'hosts',
    summary: 'say which skills other hosts would see from here, and where they disagree',
    usage: 'colibri hosts [host] [--json]',
    args: [
      {
        name: 'host',
        optional: true,
        choices: [
          'claude-code',
          'codex',
          'opencode',
          'gemini-cli',
          'cursor',
          'copilot',
          'goose',
          'amp',
          'pi',
        ],
      },
    ],
    options: [],
    examples: ['colibri hosts', 'colibri hosts claude-code', 'colibri hosts --json | jq .differences'],
    load: () => import('./commands/hosts.ts'),
  },
];
