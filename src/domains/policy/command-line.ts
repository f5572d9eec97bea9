/**
 * Reads a command line far enough to tell one plain command from anything that a shell would make more of.
 * It understands quotes, separators and substitutions; what it does not understand is never called plain. Pure.
 */

export interface CommandLine {
  /** One command, no expansion, no redirection: what stands there is what runs. */
  readonly plain: boolean;
  /** False when the quoting is not closed or a command is not known before it runs, as in `$x -rf`. */
  readonly readable: boolean;
  /** The words of every command in it, those of substitutions among them, without their quotes. */
  readonly commands: readonly (readonly string[])[];
}

/** Beyond this a line is not read at all: nobody has looked at it either. */
const COMMAND_CHARS_MAX = 16_384;

export function readCommandLine(text: string): CommandLine {
  if (text.length > COMMAND_CHARS_MAX) return { plain: false, readable: false, commands: [] };
  const state = createState();
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    const next = text.charAt(index + 1);
    if (state.quote === "'") {
      if (character === "'") state.quote = null;
      else state.word += character;
    } else if (character === '\\') {
      index += readEscape(state, next);
    } else if (state.quote === '"' && character !== '$' && character !== '`') {
      if (character === '"') state.quote = null;
      else state.word += character;
    } else {
      readUnquoted(state, character, next);
    }
  }
  endCommand(state);
  const unknown = state.commands.some(([first = '']) => first.includes('$'));
  return {
    plain: state.plain && state.quote === null,
    readable: state.quote === null && !unknown,
    commands: state.commands,
  };
}

interface State {
  plain: boolean;
  quote: "'" | '"' | null;
  word: string;
  /** A word has begun, be it an empty one in quotes. */
  inWord: boolean;
  words: string[];
  readonly commands: string[][];
}

function createState(): State {
  return { plain: true, quote: null, word: '', inWord: false, words: [], commands: [] };
}

function readUnquoted(state: State, character: string, next: string): void {
  if (character === '"' || character === "'") {
    state.quote = character;
    state.inWord = true;
  } else if (character === ' ' || character === '\t') {
    endWord(state);
  } else if (character === '$') {
    state.plain = false;
    if (next === '(') breakOff(state);
    else addTo(state, character);
  } else if (BREAKS.has(character) || isControl(character)) {
    state.plain = false;
    breakOff(state);
  } else {
    addTo(state, character);
  }
}

/** Separators, groups, redirections and substitutions: after each of them, as after a line break, a command may stand. */
const BREAKS: ReadonlySet<string> = new Set([...';&|<>()`{}\u0085\u2028\u2029']);

function isControl(character: string): boolean {
  return character < ' ' || character === '\u007f';
}

/** How many characters beyond the backslash were read. */
function readEscape(state: State, next: string): number {
  // A backslash at the end joins lines, and in double quotes it stays for most characters.
  if (next === '' || next === '\n' || next === '\r') state.plain = false;
  if (state.quote === '"' && !'"\\$`'.includes(next)) addTo(state, '\\');
  addTo(state, next);
  return 1;
}

/** A substitution inside double quotes ends them for this reader; the line is not plain anyway. */
function breakOff(state: State): void {
  state.quote = null;
  endCommand(state);
}

function addTo(state: State, text: string): void {
  state.word += text;
  state.inWord = true;
}

function endWord(state: State): void {
  if (state.inWord) state.words.push(state.word);
  state.word = '';
  state.inWord = false;
}

function endCommand(state: State): void {
  endWord(state);
  if (state.words.length > 0) state.commands.push(state.words);
  state.words = [];
}
