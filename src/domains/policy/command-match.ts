/** How a command line meets a pattern. Pure. */
import { type CommandLine, readCommandLine } from './command-line.ts';
import { matchesGlob } from './glob.ts';

type Kind = 'prefix' | 'exact' | 'glob';

/** `wanted` is the pattern's text, `said` the command line with its blanks made one. */
export function commandMatch(kind: Kind, wanted: string, said: string): 'yes' | 'part' | 'maybe' | 'no' {
  if (isWhole(kind, wanted, said)) return 'yes';
  const line = readCommandLine(said);
  const folded = wanted.toLowerCase();
  if (line.commands.some((words) => isCommand(kind, folded, words))) return 'part';
  return !line.readable || standsSomewhere(kind, folded, line) ? 'maybe' : 'no';
}

/**
 * The line is nothing but what the pattern says. After a prefix only plain words may follow: a separator, a line break,
 * a substitution or a redirection would run or write something that the pattern does not name.
 */
function isWhole(kind: Kind, wanted: string, said: string): boolean {
  switch (kind) {
    case 'exact':
      return said === wanted;
    case 'glob':
      return readCommandLine(said).plain && matchesGlob(wanted, said, { flat: true });
    case 'prefix':
      if (said === wanted) return true;
      // The blank is the word's end: `git:*` is not `gitk`.
      return said.startsWith(`${wanted} `) && readCommandLine(said.slice(wanted.length + 1)).plain;
  }
}

/** One of the commands in the line, whatever stands before it and however its name is spelled. */
function isCommand(kind: Kind, wanted: string, words: readonly string[]): boolean {
  const [first = '', ...rest] = ownWords(words);
  const command = [baseName(first), ...rest].join(' ').toLowerCase();
  if (kind === 'glob') return matchesGlob(wanted, command, { flat: true });
  return command === wanted || (kind === 'prefix' && command.startsWith(`${wanted} `));
}

/** Words of the shell and programs that run the words after them. */
const CARRIERS: ReadonlySet<string> = new Set(
  (
    'if then else elif do while until for case ! time command builtin exec env sudo doas nohup nice ionice setsid ' +
    'stdbuf timeout xargs busybox chroot unshare'
  ).split(' '),
);

function ownWords(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word, index) => {
    if (/^\w+\+?=/.test(word)) return false;
    // `timeout 5 rm` and `nice -n 5 rm`: options and numbers of a carrier are no command.
    const carried = index > 0 && /^(?:-|\d)/.test(word);
    return !carried && !CARRIERS.has(baseName(word).toLowerCase());
  });
  return first === -1 ? [] : words.slice(first);
}

/**
 * Its words stand in the line in their order, be it with options between them (`git -C x push`) or in a text that is
 * handed to another shell.
 */
function standsSomewhere(kind: Kind, wanted: string, { commands }: CommandLine): boolean {
  const line = bareWords(commands.flat().join(' '));
  const sought = bareWords(wanted);
  if (kind === 'glob') return matchesGlob(`** ${sought.join(' ')} **`, ` ${line.join(' ')} `);
  let found = 0;
  for (const word of line) if (word === sought[found]) found++;
  return found === sought.length;
}

function bareWords(text: string): readonly string[] {
  const words = text.split(/[^\w./*-]+/).filter((word) => word !== '');
  return words.map((word) => baseName(word).toLowerCase());
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
