/** What the three completion scripts share. */
import type { Command, CommandOption } from '../command.ts';
import type { Vocabulary } from '../options.ts';

// Only plain names are offered: shells expand what they complete with, and a lenient root may hold stranger ones.
export const SKILL_NAMES: string = `colibri list --quiet 2>/dev/null | cut -f1 | grep -E '^[a-z0-9-]+$'`;

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

export function distinctOptions({ commands, globals }: Vocabulary): CommandOption[] {
  const all = [...globals, ...commands.flatMap(({ options }) => options)];
  return [...new Map(all.map((option) => [option.flag, option])).values()];
}

/** For all three shells, where a quote inside single quotes is closed, escaped and opened again. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
