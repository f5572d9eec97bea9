/** What the three completion scripts share. */
import type { Command, CommandOption } from '../command.ts';
import type { Vocabulary } from '../options.ts';

// Only plain names are offered: shells expand what they complete with, and a lenient root may hold stranger ones.
export const SKILL_NAMES: string = `colibri list --quiet 2>/dev/null | cut -f1 | grep -E '^[a-z0-9-]+$'`;
export const SESSION_IDS: string = `colibri session list --quiet 2>/dev/null | cut -f1 | grep -E '^[0-9A-Z]+$'`;

/** Values that a shell completes with file names. */
export const PATH_VALUES: ReadonlySet<string> = new Set(['dir', 'file']);

/** What may come first on the line: commands, and groups by their first word. */
export function firstWords(commands: readonly Command[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ', 1)[0] ?? name))];
}

export function groupsOf(commands: readonly Command[]): (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>();
  for (const { name } of commands) {
    const [group = '', verb] = name.split(' ');
    if (verb !== undefined) groups.set(group, [...(groups.get(group) ?? []), verb]);
  }
  return [...groups];
}

export function summaryOf(word: string, commands: readonly Command[]): string {
  return commands.find(({ name }) => name === word || name.startsWith(`${word} `))?.summary ?? '';
}

export function flagsOf(options: readonly CommandOption[]): string[] {
  return options.map(({ flag }) => flag);
}

/** One entry a flag; where commands give it other choices, all of them. */
export function distinctOptions({ commands, globals }: Vocabulary): CommandOption[] {
  const distinct = new Map<string, CommandOption>();
  for (const option of [...globals, ...commands.flatMap(({ options }) => options)]) {
    const choices = new Set([...(distinct.get(option.flag)?.choices ?? []), ...(option.choices ?? [])]);
    distinct.set(option.flag, choices.size === 0 ? option : { ...option, choices: [...choices] });
  }
  return [...distinct.values()];
}

/** What may follow the name of a command that is a group as well, such as `events` and `events verify`. */
export function verbsOf({ name }: Command, commands: readonly Command[]): readonly string[] {
  return groupsOf(commands).find(([group]) => group === name)?.[1] ?? [];
}

/** For all three shells, where a quote inside single quotes is closed, escaped and opened again. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
