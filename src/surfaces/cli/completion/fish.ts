import type { CommandOption } from '../command.ts';
import type { Vocabulary } from '../options.ts';
import { firstWords, groupsOf, PATH_VALUES, quote, SESSION_IDS, SKILL_NAMES, summaryOf } from './words.ts';

export function fishScript({ commands, globals }: Vocabulary): string {
  const first = firstWords(commands);
  const lines = ['# fish completion of colibri', 'complete -c colibri -f'];
  for (const option of globals) lines.push(fishOption(option, ''));
  for (const word of first) {
    lines.push(
      `complete -c colibri -n __fish_use_subcommand -a ${word} -d ${quote(summaryOf(word, commands))}`,
    );
  }
  for (const [group, verbs] of groupsOf(commands)) {
    lines.push(
      `complete -c colibri -n ${quote(`__fish_seen_subcommand_from ${group}`)} -a ${quote(verbs.join(' '))}`,
    );
  }
  for (const command of commands) {
    const within = ` -n ${quote(`__fish_seen_subcommand_from ${command.name.split(' ', 1)[0]}`)}`;
    for (const option of command.options) lines.push(fishOption(option, within));
    for (const argument of command.args) {
      if (argument.choices !== undefined)
        lines.push(`complete -c colibri${within} -a ${quote(argument.choices.join(' '))}`);
      if (argument.completes === 'path') lines.push(`complete -c colibri${within} -F`);
      if (argument.completes === 'skill')
        lines.push(`complete -c colibri${within} -a ${quote(`(${SKILL_NAMES})`)}`);
      if (argument.completes === 'session')
        lines.push(`complete -c colibri${within} -a ${quote(`(${SESSION_IDS})`)}`);
      if (argument.completes === 'command')
        lines.push(`complete -c colibri${within} -a ${quote(first.join(' '))}`);
    }
  }
  return lines.join('\n');
}

function fishOption(option: CommandOption, within: string): string {
  const short = option.short === undefined ? '' : ` -s ${option.short}`;
  const offered = option.value === 'session' ? `(${SESSION_IDS})` : option.choices?.join(' ');
  const choices = offered === undefined ? '' : ` -a ${quote(offered)}`;
  const kind = PATH_VALUES.has(option.value ?? '') ? ' -r -F' : ' -x';
  const value = option.value === undefined ? '' : `${kind}${choices}`;
  return `complete -c colibri${within} -l ${option.flag.slice(2)}${short}${value} -d ${quote(option.description)}`;
}
