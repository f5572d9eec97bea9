import type { Command } from '../command.ts';
import type { Vocabulary } from '../options.ts';
import {
  distinctOptions,
  firstWords,
  flagsOf,
  groupsOf,
  PATH_VALUES,
  SESSION_IDS,
  SKILL_NAMES,
  verbsOf,
} from './words.ts';

// The shell's own file completion copes with blanks in names.
const BASH_FILES = '{ COMPREPLY=(); compopt -o default 2>/dev/null; }';

export function bashScript({ commands, globals }: Vocabulary): string {
  const valueCases = distinctOptions({ commands, globals }).flatMap((option) => {
    if (option.choices !== undefined) return [`    ${option.flag}) ${bashWords(option.choices)}; return ;;`];
    if (option.value === undefined) return [];
    if (option.value === 'session') return [`    ${option.flag}) ${bashFrom(SESSION_IDS)}; return ;;`];
    const action = PATH_VALUES.has(option.value) ? `${BASH_FILES}; ` : '';
    return [`    ${option.flag}) ${action}return ;;`];
  });
  const valueFlags = distinctOptions({ commands, globals }).flatMap(({ flag, value }) =>
    value === undefined ? [] : [flag],
  );
  return `# bash completion of colibri
_colibri() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words="" word skip=0
  COMPREPLY=()
  case "$prev" in
${valueCases.join('\n')}
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ "$skip" = 1 ]; then skip=0; continue; fi
    case "$word" in
      ${valueFlags.join('|')}) skip=1 ;;
      -*) ;;
      *) words="$words$word " ;;
    esac
  done
  case "$words" in
${longestFirst(commands)
  .map((command) => bashCommandCase(command, { commands, globals }))
  .join('\n')}
    "") ${bashWords([...firstWords(commands), ...flagsOf(globals)])} ;;
${groupsOf(commands)
  .map(([group, verbs]) => `    "${group} ") ${bashWords(verbs)} ;;`)
  .join('\n')}
  esac
}
complete -F _colibri colibri`;
}

function bashCommandCase(command: Command, { commands, globals }: Vocabulary): string {
  const flags = flagsOf([...command.options, ...globals]);
  const [argument] = command.args;
  const words = argument?.completes === 'command' ? firstWords(commands) : (argument?.choices ?? []);
  const verbs = verbsOf(command, commands);
  const lines = [`    "${command.name} "*)`, `      ${bashWords([...words, ...verbs, ...flags])}`];
  if (argument?.completes === 'path') {
    lines.push(`      [[ "$cur" == -* ]] || ${BASH_FILES}`);
  }
  if (argument?.completes === 'skill') {
    lines.push(`      [[ "$cur" == -* ]] || ${bashFrom(SKILL_NAMES)}`);
  }
  if (argument?.completes === 'session') {
    lines.push(`      [[ "$cur" == -* ]] || ${bashFrom(SESSION_IDS)}`);
  }
  return [...lines, '      ;;'].join('\n');
}

/** The pattern of `events` would take the lines of `events verify`, too. */
function longestFirst(commands: readonly Command[]): readonly Command[] {
  return [...commands].sort((a, b) => b.name.split(' ').length - a.name.split(' ').length);
}

function bashFrom(source: string): string {
  return `COMPREPLY=($(compgen -W "$(${source})" -- "$cur"))`;
}

function bashWords(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$cur"))`;
}
