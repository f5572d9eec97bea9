/** The part of the command table that looks after skills: what is wrong with them, and what may be used. */
import type { Command } from './command.ts';

export const CARE_COMMANDS: readonly Command[] = [
  {
    name: 'doctor',
    summary: 'say everything that is wrong in the registry, worst first',
    usage: 'colibri doctor [--summary | --sarif | --fix [--dry-run]] [--without-scan] [--json]',
    args: [],
    options: [
      { flag: '--summary', description: 'only count: by diagnostic, and in all' },
      { flag: '--without-scan', description: 'leave the security scan out, which reads every file' },
      { flag: '--fix', description: 'mend what can be mended without changing what a skill says' },
      { flag: '--dry-run', description: 'with --fix: only show the changes' },
      { flag: '--sarif', description: 'print SARIF 2.1.0' },
    ],
    examples: [
      'colibri doctor',
      'colibri doctor --summary',
      'colibri doctor --fix --dry-run',
      'colibri doctor | grep ^error',
    ],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'scan',
    summary: 'look through skills for what would do harm',
    usage: 'colibri scan [skill|path...] [--severity <least>] [--strict] [--json | --sarif]',
    args: [{ name: 'skill|path', optional: true, many: true, completes: 'skill' }],
    options: [
      {
        flag: '--severity',
        value: 'least',
        choices: ['critical', 'high', 'medium', 'low'],
        description: 'show findings from this one up (default: medium)',
      },
      { flag: '--strict', description: 'exit with 1 for skills to review, too' },
      { flag: '--sarif', description: 'print SARIF 2.1.0' },
    ],
    examples: [
      'colibri scan',
      'colibri scan pdf-tools',
      'colibri scan ./downloads/skill --sarif > scan.sarif',
    ],
    load: () => import('./commands/scan.ts'),
  },
];
