/** Commands that must answer at once. What they need is bundled apart, without the table of all the others. */
import type { Command } from './command.ts';
import { SKILLS_ROOT } from './common-options.ts';

export const SERVE: Command = {
  name: 'serve',
  summary: 'serve the skills to MCP clients, on stdin and stdout or over HTTP',
  usage:
    'colibri serve [--http [--host <address>] [--port <number>]] [--surface full|phase-0] [--skills-root <dir>]',
  args: [],
  options: [
    { flag: '--http', description: 'listen for clients over HTTP instead' },
    { flag: '--host', value: 'address', description: 'the address for --http (default: 127.0.0.1)' },
    {
      flag: '--port',
      value: 'number',
      description: 'the port for --http (default: 4870; 0: any free one)',
    },
    {
      flag: '--surface',
      value: 'set',
      choices: ['full', 'phase-0'],
      description: 'which tools to offer: all of them, or the one of the first phase',
    },
    SKILLS_ROOT,
  ],
  examples: [
    'colibri serve',
    'colibri serve --workspace ~/project',
    'claude mcp add colibri -- colibri serve',
    'colibri serve --http --port 0',
  ],
  load: () => import('./commands/serve.ts'),
};

export const LIST: Command = {
  name: 'list',
  summary: 'list the indexed skills',
  usage:
    'colibri list [--all | --outdated [--yes] | --search <text> --capability <name> --skills-root <dir>] [--json]',
  args: [],
  options: [
    { flag: '--all', description: 'also shadowed copies, aliases and rejected skills, with the reason' },
    { flag: '--outdated', description: 'installed skills that their sources have in another state' },
    { flag: '--yes', description: 'with --outdated: say yes to sources that have to be asked for' },
    {
      flag: '--search',
      value: 'text',
      description: 'only skills whose name or description holds the text',
    },
    { flag: '--capability', value: 'name', description: 'only skills that declare the capability' },
    SKILLS_ROOT,
  ],
  examples: [
    'colibri list',
    'colibri list --search pdf',
    'colibri list --all',
    'colibri list --outdated',
    'colibri list --json | jq -r ".skills[].name"',
  ],
  load: () => import('./commands/list.ts'),
};
