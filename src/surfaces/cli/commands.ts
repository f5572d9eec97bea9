/** The command table: help, parsing, completion and docs/cli.md all follow from it. */
import { AGENT_COMMANDS } from './agent-commands.ts';
import { CARE_COMMANDS } from './care-commands.ts';
import type { Command } from './command.ts';
import { SKILLS_ROOT } from './common-options.ts';
import { INSTALL_COMMANDS } from './install-commands.ts';
import { INTEGRITY_COMMANDS } from './integrity-commands.ts';
import { LIST, SERVE } from './quick-commands.ts';
import { SESSION_COMMANDS } from './session-commands.ts';
import { SWITCH_COMMANDS } from './switch-commands.ts';
import { TASK_COMMANDS } from './task-commands.ts';

const PROFILES: readonly string[] = ['strict', 'lenient', 'publish'];

export const COMMANDS: readonly Command[] = [
  SERVE,
  {
    name: 'up',
    summary: 'serve the page, the HTTP API and MCP on one address',
    usage: 'colibri up [--host <address>] [--port <number>] [--open] [--skills-root <dir>] [--json]',
    args: [],
    options: [
      { flag: '--host', value: 'address', description: 'the address to listen on (default: 127.0.0.1)' },
      { flag: '--port', value: 'number', description: 'the port (default: 4870; 0: any free one)' },
      { flag: '--open', description: 'show the page in the browser' },
      SKILLS_ROOT,
    ],
    examples: ['colibri up', 'colibri up --open', 'colibri up --port 0 --json'],
    load: () => import('./commands/up.ts'),
  },
  LIST,
  {
    name: 'show',
    summary: 'show one skill: its facts and its text',
    usage: 'colibri show <name> [--all] [--skills-root <dir>] [--json]',
    args: [{ name: 'name', completes: 'skill' }],
    options: [
      { flag: '--all', description: 'also the other copies of that name, and links to it' },
      SKILLS_ROOT,
    ],
    examples: ['colibri show pdf-tools', 'colibri show pdf-tools --all', 'colibri show pdf-tools --json'],
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'validate',
    summary: 'check skills and say what is wrong, where, and how to mend it',
    usage: 'colibri validate <path>... [--profile strict|lenient|publish] [--publish] [--json]',
    args: [{ name: 'path', many: true, completes: 'path' }],
    options: [
      {
        flag: '--profile',
        value: 'profile',
        choices: PROFILES,
        description: 'how hard to judge (default: strict)',
      },
      { flag: '--publish', description: 'the same as --profile publish' },
    ],
    examples: [
      'colibri validate .agents/skills',
      'colibri validate skills/pdf-tools skills/release-notes',
      'colibri validate --publish --json .agents/skills',
    ],
    load: () => import('./commands/validate.ts'),
  },
  ...CARE_COMMANDS,
  ...SWITCH_COMMANDS,
  ...INTEGRITY_COMMANDS,
  ...SESSION_COMMANDS,
  ...INSTALL_COMMANDS,
  ...AGENT_COMMANDS,
  ...TASK_COMMANDS,
  {
    name: 'config show',
    summary: 'show every setting, where its value comes from, and the skills roots',
    usage: 'colibri config show [--json]',
    args: [],
    options: [],
    examples: ['colibri config show', 'colibri config show --workspace ~/project --json'],
    load: () => import('./commands/config-show.ts'),
  },
  {
    name: 'trust',
    summary: 'vouch for skills and for the policy file, or show what is trusted',
    usage: 'colibri trust [name...] [--all] [--list] [--dry-run] [--json]',
    args: [{ name: 'name', optional: true, many: true, completes: 'skill' }],
    options: [
      { flag: '--all', description: 'everything in the workspace that is not trusted yet' },
      {
        flag: '--list',
        description: 'show what is trusted, what is not and what changed; the same as no names',
      },
      { flag: '--dry-run', description: 'only say what would be trusted, file by file' },
    ],
    examples: ['colibri trust --list', 'colibri trust pdf-tools', 'colibri trust colibri.policy.yaml'],
    load: () => import('./commands/trust.ts'),
  },
  {
    name: 'untrust',
    summary: 'take trust back',
    usage: 'colibri untrust <name>... | --all [--json]',
    args: [{ name: 'name', optional: true, many: true, completes: 'skill' }],
    options: [{ flag: '--all', description: 'everything that was trusted' }],
    examples: ['colibri untrust pdf-tools', 'colibri untrust --all'],
    load: () => import('./commands/untrust.ts'),
  },
  {
    name: 'policy explain',
    summary: 'say what would become of a call, and why',
    usage:
      'colibri policy explain <tool> [argument...] | --tool <call> [--skill <name>] [--tier <tier>] [--session-profile <name>]',
    args: [
      { name: 'tool', optional: true },
      { name: 'argument', optional: true, many: true },
    ],
    options: [
      { flag: '--tool', value: 'call', description: 'the call, in place of the first word' },
      { flag: '--skill', value: 'name', description: 'the skill that the call is made for' },
      {
        flag: '--tier',
        value: 'tier',
        choices: ['T0', 'T1', 'T2', 'T3', 'T4'],
        description: 'the agent that makes the call (default: T3)',
      },
      { flag: '--session-profile', value: 'name', description: 'a profile that the session chose on top' },
    ],
    examples: [
      'colibri policy explain Read',
      "colibri policy explain 'Bash(git push)' --skill release-notes",
      "colibri policy explain --skill release-notes --tool 'Bash(git push)'",
    ],
    load: () => import('./commands/policy-explain.ts'),
  },
  {
    name: 'db recover',
    summary: 'rescue what is readable of a damaged database into a new one',
    usage: 'colibri db recover [--force] [--json]',
    args: [],
    options: [{ flag: '--force', description: 'recover a database that looks healthy, too' }],
    examples: ['colibri db recover', 'colibri db recover --db data/colibri.db'],
    load: () => import('./commands/db-recover.ts'),
  },
  {
    name: 'completion',
    summary: 'print a completion script for a shell',
    usage: 'colibri completion bash|zsh|fish',
    args: [{ name: 'shell', choices: ['bash', 'zsh', 'fish'] }],
    options: [],
    examples: [
      'source <(colibri completion bash)',
      'colibri completion zsh > ~/.zsh/completions/_colibri',
      'colibri completion fish > ~/.config/fish/completions/colibri.fish',
    ],
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'help',
    summary: 'show help, or the help of one command',
    usage: 'colibri help [command]',
    args: [{ name: 'command', optional: true, many: true, completes: 'command' }],
    options: [],
    examples: ['colibri help', 'colibri help validate'],
    load: () => import('./commands/help.ts'),
  },
];
