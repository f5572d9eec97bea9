import type { Command, CommandOption } from './command.ts';
import type { Vocabulary } from './options.ts';

/** The help of one command, or of the whole program. */
export function helpText(vocabulary: Vocabulary, command: Command | null): string {
  return command === null ? programHelp(vocabulary) : commandHelp(command, vocabulary.globals);
}

function programHelp({ commands, globals }: Vocabulary): string {
  return [
    'colibri finds the skills of a workspace, checks them, and serves them to agents.',
    '',
    'usage: colibri <command> [options]',
    ...section('commands', pairs(commands.map(({ name, summary }) => [name, summary]))),
    ...section('options of every command', optionLines(globals)),
    ...section('exit codes', ['0 ok, 1 findings, 2 usage, 3 failure']),
    '',
    '`colibri help <command>` shows its options and examples.',
  ].join('\n');
}

function commandHelp(command: Command, globals: readonly CommandOption[]): string {
  return [
    `colibri ${command.name}: ${command.summary}`,
    '',
    `usage: ${command.usage}`,
    ...(command.options.length > 0 ? section('options', optionLines(command.options)) : []),
    ...section('options of every command', optionLines(globals)),
    ...section('examples', command.examples),
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function optionLines(options: readonly CommandOption[]): string[] {
  return pairs(
    options.map((option) => {
      const short = option.short === undefined ? '' : `-${option.short}, `;
      const value = option.value === undefined ? '' : ` <${option.value}>`;
      const choices = option.choices === undefined ? '' : `: ${option.choices.join(', ')}`;
      return [`${short}${option.flag}${value}`, `${option.description}${choices}`];
    }),
  );
}

/** Two aligned columns. */
function pairs(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}
