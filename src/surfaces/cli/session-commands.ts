/** The part of the command table that is about what agents see and do: catalog, sessions, events, replay. */
import type { Command, CommandArgument, CommandOption } from './command.ts';

const SESSION: CommandArgument = { name: 'session', completes: 'session' };
const IN_SESSION: CommandOption = {
  flag: '--session',
  value: 'session',
  description: 'the id of a session, or `last` for the newest',
};

const LOOKING: readonly Command[] = [
  {
    name: 'search',
    summary: 'find skills by words, as an agent would',
    usage: 'colibri search <words>... [--limit <number>] [--json]',
    args: [{ name: 'words', many: true }],
    options: [{ flag: '--limit', value: 'number', description: 'at most so many, 1 to 50 (default: 10)' }],
    examples: ['colibri search pdf forms', 'colibri search release --limit 3 --json'],
    load: () => import('./commands/search.ts'),
  },
  {
    name: 'match',
    summary: 'say which skills a task calls for, if any',
    usage: 'colibri match <task>... [--limit <number>] [--json]',
    args: [{ name: 'task', many: true }],
    options: [{ flag: '--limit', value: 'number', description: 'at most so many, 1 to 20 (default: 5)' }],
    examples: [
      "colibri match 'fill in the attached PDF form'",
      "colibri match 'deploy the page' >/dev/null && echo there is one",
    ],
    load: () => import('./commands/match.ts'),
  },
  {
    name: 'load',
    summary: 'print the text of a skill as an agent gets it',
    usage: 'colibri load <name> [--session <session>] [--json]',
    args: [{ name: 'name', completes: 'skill' }],
    options: [{ ...IN_SESSION, description: 'load it in this session, by its budget and on its record' }],
    examples: ['colibri load pdf-tools', 'colibri load pdf-tools --session last'],
    load: () => import('./commands/load.ts'),
  },
  {
    name: 'invoke',
    summary: 'give a command: print the text of a skill with the arguments put in',
    usage: 'colibri invoke <name> [arguments...] [--session <session>] [--json]',
    args: [
      { name: 'name', completes: 'skill' },
      { name: 'arguments', optional: true, many: true },
    ],
    options: [{ ...IN_SESSION, description: 'give it in this session, on its record' }],
    examples: ['colibri invoke release-notes v1.2', 'colibri invoke release-notes v1.2 --session last'],
    load: () => import('./commands/invoke.ts'),
  },
  {
    name: 'exec',
    summary: 'run a script of a skill in the sandbox, if the policy or you allow it',
    usage:
      'colibri exec <skill> <script> [arguments...] [--out <dir>] [--timeout <seconds>] [--session <session>]',
    args: [
      { name: 'skill', completes: 'skill' },
      { name: 'script' },
      { name: 'arguments', optional: true, many: true },
    ],
    options: [
      { flag: '--out', value: 'dir', description: 'write the files that it leaves into this folder' },
      { flag: '--timeout', value: 'seconds', description: 'end it after so long, 1 to 60 (default: 60)' },
      { ...IN_SESSION, description: 'run it in this session instead of one of its own' },
    ],
    examples: [
      'colibri exec release-notes scripts/log.sh v1.2',
      'colibri exec pdf-tools scripts/extract.py --out out -- --pages 3',
    ],
    load: () => import('./commands/exec.ts'),
  },
  {
    name: 'catalog',
    summary: 'print the text that tells an agent which skills there are',
    usage:
      'colibri catalog [--format markdown|xml] [--tier T0|T1|T2|T3|T4] [--tokens <number>] [--task <text>] [--profile <name>] [--preload] [--json]',
    args: [],
    options: [
      {
        flag: '--format',
        value: 'format',
        choices: ['markdown', 'xml'],
        description: 'how to write it (default: markdown)',
      },
      {
        flag: '--tier',
        value: 'tier',
        choices: ['T0', 'T1', 'T2', 'T3', 'T4'],
        description: 'for which agent tier (default: T3)',
      },
      { flag: '--tokens', value: 'number', description: 'what it may cost (default: 8000)' },
      {
        flag: '--task',
        value: 'text',
        description: 'what it is for: when not all fit, those that do are kept',
      },
      { flag: '--profile', value: 'name', description: 'a profile of skills (default: the one in use)' },
      { flag: '--preload', description: 'with whole skills in it until a prompt cache takes it' },
    ],
    examples: ['colibri catalog', 'colibri catalog --format xml', 'colibri catalog --tokens 1000 --quiet'],
    load: () => import('./commands/catalog.ts'),
  },
];

const SESSIONS: readonly Command[] = [
  {
    name: 'session list',
    summary: 'list the recorded sessions, newest first',
    usage: 'colibri session list [--limit <number>] [--json]',
    args: [],
    options: [{ flag: '--limit', value: 'number', description: 'at most so many (default: 50)' }],
    examples: ['colibri session list', 'colibri session list | cut -f1'],
    load: () => import('./commands/session-list.ts'),
  },
  {
    name: 'session show',
    summary: 'show one session: its options, what it has loaded and used',
    usage: 'colibri session show <session> [--json]',
    args: [SESSION],
    options: [],
    examples: ['colibri session show last', 'colibri session show last --json'],
    load: () => import('./commands/session-show.ts'),
  },
  {
    name: 'session close',
    summary: 'close a session; its records stay',
    usage: 'colibri session close <session> [--json]',
    args: [SESSION],
    options: [],
    examples: ['colibri session close last'],
    load: () => import('./commands/session-close.ts'),
  },
];

const TRACES: readonly Command[] = [
  {
    name: 'events',
    summary: 'print the recorded events, or follow them live',
    usage:
      'colibri events [--follow] [--session <session>] [--type <type>] [--after <seq>] [--limit <number>] [--level public|pseudonymous|private] [--format table|json|frames]',
    args: [],
    options: [
      { flag: '--follow', description: 'go on with new events of any process until stopped' },
      IN_SESSION,
      { flag: '--type', value: 'type', description: 'only this type; several are parted by commas' },
      { flag: '--after', value: 'seq', description: 'only events after this number' },
      {
        flag: '--limit',
        value: 'number',
        description: 'at most so many: the newest, or with --after the next ones',
      },
      {
        flag: '--level',
        value: 'level',
        choices: ['public', 'pseudonymous', 'private'],
        description: 'how sensitive what is shown may be (default: pseudonymous)',
      },
      {
        flag: '--format',
        value: 'format',
        choices: ['table', 'json', 'frames'],
        description: 'how to write them (default: table)',
      },
    ],
    examples: [
      'colibri events --limit 20',
      'colibri events --follow --format frames',
      'colibri events --session last --level private --json',
    ],
    load: () => import('./commands/events.ts'),
  },
  {
    name: 'events verify',
    summary: 'check that no recorded event was changed, removed or slipped in',
    usage: 'colibri events verify [--json]',
    args: [],
    options: [],
    examples: ['colibri events verify', 'colibri events verify --json'],
    load: () => import('./commands/events-verify.ts'),
  },
  {
    name: 'stats',
    summary: 'say how often each skill was used, and which never',
    usage: 'colibri stats [--days <number>] [--unused] [--json]',
    args: [],
    options: [
      {
        flag: '--days',
        value: 'number',
        description: 'only the last so many days (default: all that is recorded)',
      },
      { flag: '--unused', description: 'the names of skills that were not used' },
    ],
    examples: ['colibri stats', 'colibri stats --days 30 --unused | xargs colibri disable'],
    load: () => import('./commands/stats.ts'),
  },
  {
    name: 'replay',
    summary: 'run a recorded session again and show the first difference',
    usage: 'colibri replay <session> [--live] [--json]',
    args: [SESSION],
    options: [{ flag: '--live', description: 'against the skills of today instead of the recorded ones' }],
    examples: ['colibri replay last', 'colibri replay last --live'],
    load: () => import('./commands/replay.ts'),
  },
];

export const SESSION_COMMANDS: readonly Command[] = [...LOOKING, ...SESSIONS, ...TRACES];
