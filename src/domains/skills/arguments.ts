/** Puts the arguments of a command into the body of a skill. Pure and deterministic. */

export interface CommandArguments {
  /** The text after the command's name. */
  readonly text: string;
  /** Values by the names that the skill declares; taken from the words of the text where absent. */
  readonly named?: Readonly<Record<string, string>>;
}

// `\$ARGUMENTS` stays as it is written, without the backslash.
const PLACEHOLDER = /\\?\$(?:ARGUMENTS(?:\[(\d{1,4})\])?|([A-Za-z_][A-Za-z0-9_-]*))/g;

/**
 * `$ARGUMENTS` is the whole text, `$ARGUMENTS[n]` its n-th word from 0, `$name` a declared argument.
 * A body without any placeholder gets the text appended.
 */
export function substituteArguments(
  body: string,
  declared: readonly string[],
  given: CommandArguments,
): string {
  const words = splitWords(given.text);
  let used = false;
  const result = body.replace(PLACEHOLDER, (whole, index: string | undefined, name: string | undefined) => {
    const position = name === undefined ? -1 : declared.indexOf(name);
    if (name !== undefined && position < 0) return whole;
    if (whole.startsWith('\\')) return whole.slice(1);
    used = true;
    if (name !== undefined) return given.named?.[name] ?? words[position] ?? '';
    return index === undefined ? given.text : (words[Number(index)] ?? '');
  });
  if (used || given.text === '') return result;
  return `${result.replace(/\n+$/, '')}\n\nARGUMENTS: ${given.text}\n`;
}

const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+)/g;

/** Words as a shell would see them: quotes keep blanks together, a backslash escapes inside double quotes. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const [, double, single, plain] of text.matchAll(WORD)) {
    words.push(double === undefined ? (single ?? plain ?? '') : double.replaceAll(/\\(.)/g, '$1'));
  }
  return words;
}
