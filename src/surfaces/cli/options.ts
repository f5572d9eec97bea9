/** The words of a command line → the command they name, its arguments and its options. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

import { ColibriError } from '../../lib/errors.ts';
import { nearest, printable } from '../../lib/text.ts';
import type { Command, CommandArgument, CommandOption, Flags } from './command.ts';

export interface Invocation {
  /** Null when no command was named. */
  readonly command: Command | null;
  readonly args: readonly string[];
  readonly flags: Flags;
}

export interface Vocabulary {
  readonly commands: readonly Command[];
  readonly globals: readonly CommandOption[];
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inline: boolean;
}

/** Throws `USAGE` with the nearest known word when something is not understood. */
export function parseCommandLine(argv: readonly string[], vocabulary: Vocabulary): Invocation {
  const { words, options } = tokenize(argv, vocabulary);
  const asked = new Set(options.map(({ name }) => name));
  // `--version` and `--help` answer even beside words that would not run.
  if (asked.has('version')) return { command: null, args: [], flags: switchesOnly(['version']) };
  const { command, args } = findCommand(words, vocabulary.commands);
  const flags = readFlags(options, { command, vocabulary });
  if (command !== null && !flags.switches.has('help')) checkArguments(command, args, vocabulary);
  return { command, args, flags };
}

/** The command that the words begin with; the rest are its arguments. */
export function findCommand(
  words: readonly string[],
  commands: readonly Command[],
): { readonly command: Command | null; readonly args: readonly string[] } {
  const [first, second] = words;
  if (first === undefined) return { command: null, args: [] };
  const pair = commands.find(({ name }) => name === `${first} ${second}`);
  if (pair !== undefined) return { command: pair, args: words.slice(2) };
  const single = commands.find(({ name }) => name === first);
  if (single !== undefined) return { command: single, args: words.slice(1) };
  throw unknownCommand(words, commands);
}

export function optionName(option: CommandOption): string {
  return option.flag.slice(2);
}

function tokenize(
  argv: readonly string[],
  vocabulary: Vocabulary,
): { words: string[]; options: OptionToken[] } {
  const known: NonNullable<ParseArgsConfig['options']> = {};
  for (const option of [...vocabulary.globals, ...vocabulary.commands.flatMap(({ options }) => options)]) {
    const type = option.value === undefined ? 'boolean' : 'string';
    known[optionName(option)] = option.short === undefined ? { type } : { type, short: option.short };
  }
  // Not strict: the tokens are judged below, with better words than the parser's own.
  const { tokens } = parseArgs({
    args: [...argv],
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const options: OptionToken[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    options.push({ name, rawName, value, inline: token.inlineValue === true });
  }
  return { words, options };
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): ColibriError {
  const [first = '', second] = words;
  const verbs = commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name] : []));
  if (verbs.length > 0 && second === undefined) {
    return usage(`\`${first}\` needs a verb: ${verbs.map((verb) => `\`colibri ${verb}\``).join(', ')}`);
  }
  const typed = verbs.length > 0 ? `${first} ${second}` : first;
  const names = commands.map(({ name }) => name);
  // A group is offered by its full commands, so that `colibri dv` leads to something that runs.
  const groups = names.flatMap((name) => (name.includes(' ') ? [name.split(' ', 1)[0] ?? name] : []));
  const [best] = nearest(typed, [...names, ...groups]);
  return usage(`no such command: ${quoted(typed)}${didYouMean(best)}; \`colibri help\` lists them all`);
}

interface Judge {
  readonly command: Command | null;
  readonly vocabulary: Vocabulary;
}

function readFlags(tokens: readonly OptionToken[], judge: Judge): Flags {
  const allowed = [...judge.vocabulary.globals, ...(judge.command?.options ?? [])];
  const values = new Map<string, string>();
  const switches = new Set<string>();
  for (const token of tokens) {
    const option = allowed.find(
      (candidate) => candidate.flag === token.rawName || `-${candidate.short}` === token.rawName,
    );
    if (option === undefined) throw unknownOption(token, allowed, judge);
    if (option.value === undefined) {
      if (token.value !== undefined) throw usage(`${option.flag} is a switch and takes no value`);
      switches.add(optionName(option));
    } else {
      values.set(optionName(option), checkValue(option, token));
    }
  }
  return { values, switches };
}

function unknownOption(token: OptionToken, allowed: readonly CommandOption[], judge: Judge): ColibriError {
  const { command, vocabulary } = judge;
  const help = command === null ? 'colibri help' : `colibri help ${command.name}`;
  const owners = vocabulary.commands.filter(({ options }) =>
    options.some(({ flag }) => flag === token.rawName),
  );
  if (owners.length > 0) {
    const names = owners.map(({ name }) => `\`${name}\``).join(', ');
    return usage(`${token.rawName} is an option of ${names}; \`${help}\` lists those that fit here`);
  }
  const [best] = nearest(
    token.rawName,
    allowed.map(({ flag }) => flag),
  );
  return usage(`no such option: ${quoted(token.rawName)}${didYouMean(best)}; \`${help}\` lists them all`);
}

function checkValue(option: CommandOption, token: OptionToken): string {
  const { value } = token;
  // `--db --json` is a forgotten value far more often than a file called `--json`.
  if (value === undefined || value === '' || (!token.inline && value.startsWith('-'))) {
    throw usage(`${option.flag} needs a value: ${option.flag}=<${option.value}>`);
  }
  if (option.choices !== undefined && !option.choices.includes(value)) {
    throw usage(`${option.flag} cannot be ${quoted(value)}; it is one of: ${option.choices.join(', ')}`);
  }
  return value;
}

function checkArguments(command: Command, args: readonly string[], { commands }: Vocabulary): void {
  const help = `\`colibri help ${command.name}\` shows how it is used`;
  const missing = command.args[args.length];
  if (missing !== undefined && missing.optional !== true) {
    throw usage(`\`${command.name}\` needs <${missing.name}>${choicesOf(missing)}; ${help}`);
  }
  const last = command.args.at(-1);
  if (last?.many !== true && args.length > command.args.length) {
    const extra = args[command.args.length] ?? '';
    // `events verfy` is a misspelt command far more often than an argument too many.
    const verbs = commands.map(({ name }) => name).filter((name) => name.startsWith(`${command.name} `));
    const [best] = nearest(`${command.name} ${extra}`, verbs);
    throw usage(`\`${command.name}\` has no use for ${quoted(extra)}${didYouMean(best)}; ${help}`);
  }
  args.forEach((value, index) => {
    const argument = command.args[index] ?? last;
    if (argument?.choices !== undefined && !argument.choices.includes(value)) {
      const [best] = nearest(value, argument.choices);
      throw usage(`<${argument.name}> cannot be ${quoted(value)}${didYouMean(best)}${choicesOf(argument)}`);
    }
  });
}

function choicesOf(argument: CommandArgument): string {
  return argument.choices === undefined ? '' : `; it is one of: ${argument.choices.join(', ')}`;
}

function didYouMean(word: string | undefined): string {
  return word === undefined ? '' : ` (did you mean \`${word}\`?)`;
}

function quoted(word: string): string {
  return `\`${printable(word)}\``;
}

function switchesOnly(names: readonly string[]): Flags {
  return { values: new Map(), switches: new Set(names) };
}

function usage(message: string): ColibriError {
  return new ColibriError('USAGE', message);
}
