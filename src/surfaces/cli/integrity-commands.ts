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
];
