import type { Command, CommandArgument, CommandOption } from '../command.ts';
import type { Vocabulary } from '../options.ts';
import {
  firstWords,
  groupsOf,
  PATH_VALUES,
  quote,
  SESSION_IDS,
  SKILL_NAMES,
  summaryOf,
  verbsOf,
} from './words.ts';

export function zshScript({ commands, globals }: Vocabulary): string {
  return `#compdef colibri
_colibri_skills() {
  local -a names
  names=(\${(f)"$(${SKILL_NAMES})"})
  compadd -a names
}
_colibri_sessions() {
  local -a ids
  ids=(\${(f)"$(${SESSION_IDS})"})
  compadd -a ids
}
_colibri() {
  local curcontext="$curcontext" state line
  local -a globals commands
  globals=(
${globals.map((option) => `    ${zshOption(option)}`).join('\n')}
  )
  commands=(
${firstWords(commands)
  .map((word) => `    ${quote(`${word}:${zshText(summaryOf(word, commands))}`)}`)
  .join('\n')}
  )
  _arguments -C $globals '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $line[1] in
${commands
  .filter((command) => !command.name.includes(' ') && verbsOf(command, commands).length === 0)
  .map((command) => zshCommandCase(command, commands))
  .join('\n')}
${groupsOf(commands)
  .map(([group, verbs]) => zshGroupCase(group, verbs, commands))
  .join('\n')}
      esac ;;
  esac
}
# Works both when sourced and as an autoloaded function.
if [ "$funcstack[1]" = "_colibri" ]; then _colibri "$@"; else compdef _colibri colibri; fi`;
}

function zshCommandCase(command: Command, commands: readonly Command[]): string {
  const specs = ['$globals', ...command.options.map(zshOption), ...zshArguments(command, commands)];
  return `        ${command.name}) _arguments ${specs.join(' ')} ;;`;
}

function zshGroupCase(group: string, verbs: readonly string[], commands: readonly Command[]): string {
  const options = commands
    .filter(({ name }) => name === group || name.startsWith(`${group} `))
    .flatMap((command) => command.options);
  const distinct = [...new Map(options.map((option) => [option.flag, option])).values()];
  const takesSession = commands.some(
    ({ name, args }) => name.startsWith(`${group} `) && args.some(({ completes }) => completes === 'session'),
  );
  const words = [`1:verb:(${verbs.join(' ')})`, ...(takesSession ? ['2:session:_colibri_sessions'] : [])];
  const specs = ['$globals', ...words.map(quote), ...distinct.map(zshOption)];
  return `        ${group}) _arguments ${specs.join(' ')} ;;`;
}

function zshArguments(command: Command, commands: readonly Command[]): string[] {
  return command.args.map((argument, index) => {
    const position = argument.many === true ? '*' : String(index + 1);
    return quote(`${position}:${argument.name}:${zshAction(argument, commands)}`);
  });
}

function zshAction(argument: CommandArgument, commands: readonly Command[]): string {
  if (argument.choices !== undefined) return `(${argument.choices.join(' ')})`;
  switch (argument.completes) {
    case 'path':
      return '_files';
    case 'skill':
      return '_colibri_skills';
    case 'session':
      return '_colibri_sessions';
    case 'command':
      return `(${firstWords(commands).join(' ')})`;
    default:
      return ' ';
  }
}

function zshOption(option: CommandOption): string {
  const text = `[${zshText(option.description)}]`;
  if (option.value === undefined) return quote(`${option.flag}${text}`);
  const sessions = option.value === 'session' ? '_colibri_sessions' : ' ';
  const files = PATH_VALUES.has(option.value) ? '_files' : sessions;
  const action = option.choices === undefined ? files : `(${option.choices.join(' ')})`;
  return quote(`${option.flag}=${text}:${option.value}:${action}`);
}

function zshText(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&');
}
