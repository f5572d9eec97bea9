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
  {
    name: 'new',
    summary: 'write the first text of a new skill',
    usage: 'colibri new <name> [--description <text>] [--json]',
    args: [{ name: 'name' }],
    options: [{ flag: '--description', value: 'text', description: 'what it does and when to use it' }],
    examples: ['colibri new release-notes', "colibri new pdf-forms --description 'Fill in PDF forms.'"],
    load: () => import('./commands/new.ts'),
  },
  {
    name: 'review list',
    summary: 'list skills that agents have proposed',
    usage: 'colibri review list [--state <state>] [--json]',
    args: [],
    options: [
      {
        flag: '--state',
        value: 'state',
        choices: ['waiting', 'accepted', 'rejected', 'all'],
        description: 'which ones (default: waiting)',
      },
    ],
    examples: ['colibri review list', 'colibri review list --state all --json'],
    load: () => import('./commands/review-list.ts'),
  },
  {
    name: 'review show',
    summary: 'show what a proposal would change, and what the security scan says of it',
    usage: 'colibri review show <id> [--json]',
    args: [{ name: 'id' }],
    options: [],
    examples: ['colibri review show 01JABCDEFGHJKMNPQRSTVWXYZ0'],
    load: () => import('./commands/review-show.ts'),
  },
  {
    name: 'review accept',
    summary: 'write a proposed skill',
    usage: 'colibri review accept <id> [--despite-scan] [--json]',
    args: [{ name: 'id' }],
    options: [{ flag: '--despite-scan', description: 'also one that the security scan would block' }],
    examples: ['colibri review accept 01JABCDEFGHJKMNPQRSTVWXYZ0'],
    load: () => import('./commands/review-accept.ts'),
  },
  {
    name: 'review reject',
    summary: 'refuse a proposed skill',
    usage: 'colibri review reject <id> [--note <text>] [--json]',
    args: [{ name: 'id' }],
    options: [{ flag: '--note', value: 'text', description: 'why, for the record' }],
    examples: ["colibri review reject 01JABCDEFGHJKMNPQRSTVWXYZ0 --note 'we have one'"],
    load: () => import('./commands/review-reject.ts'),
  },
];
