import type { CommandOption } from './command.ts';

export const GLOBAL_OPTIONS: readonly CommandOption[] = [
  { flag: '--workspace', value: 'dir', description: 'the folder to work for (default: the current one)' },
  { flag: '--db', value: 'file', description: 'the database file, relative to the workspace' },
  { flag: '--json', description: 'print one JSON document' },
  { flag: '--no-color', description: 'print without colour' },
  { flag: '--quiet', short: 'q', description: 'print results and errors only' },
  { flag: '--help', short: 'h', description: 'show help' },
  { flag: '--version', short: 'V', description: 'show the version' },
];

export const SKILLS_ROOT: CommandOption = {
  flag: '--skills-root',
  value: 'dir',
  description: 'index only this folder of skills, relative to the workspace',
};
