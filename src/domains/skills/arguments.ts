/** Puts the arguments of a command into the body of a skill. Pure and deterministic. */

export interface CommandArguments {
  /** The text after the command's name. */
  readonly text: string;
  /** Values by the names that the skill declares; taken from the words of the text where absent. */
  readonly named?: Readonly<Record<string, string>>;
}

// `\$ARGUMENTS` stays as it is written, without the backslash.
const PLACEHOLDER = /\\?\$(?:ARGUMENTS(?:\[(\d{1,4})\]|(?![A-Za-z0-9_]))|([A-Za-z_][A-Za-z0-9_-]*))/g;

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
  const result = body.replace(
    PLACEHOLDER,
    (whole, index: string | undefined, written: string | undefined) => {
      const name = written === undefined ? undefined : declaredName(written, declared);
      if (name === null) return whole;
      // What follows the name, as in `$branch-fix`, belongs to the text.
      const rest = written?.slice(name?.length) ?? '';
      if (whole.startsWith('\\')) return whole.slice(1);
      used = true;
      if (name === undefined) return index === undefined ? given.text : (words[Number(index)] ?? '');
      return (namedValue(name, given) ?? words[declared.indexOf(name)] ?? '') + rest;
    },
  );
  if (used || given.text === '') return result;
  return `${result.replace(/\n+$/, '')}\n\nARGUMENTS: ${given.text}\n`;
}

/** The longest declared name that the written one is or begins with, up to a hyphen. */
function declaredName(written: string, declared: readonly string[]): string | null {
  for (let name = written; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('-')))) {
    if (declared.includes(name)) return name;
  }
  return null;
}

function namedValue(name: string, { named = {} }: CommandArguments): string | undefined {
  return Object.hasOwn(named, name) ? named[name] : undefined;
}

const WORD = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s])+/gs;
const PART = /"((?:[^"\\]|\\.)*)"|'([^']*)'|([^"']+|["'])/gs;

/** Words as a shell would see them: quotes keep blanks together, a backslash escapes inside double quotes. */
export function splitWords(text: string): readonly string[] {
  return Array.from(text.matchAll(WORD), ([word]) =>
    word.replaceAll(PART, (_, double?: string, single?: string, plain?: string) =>
      // A quote that is never closed stands for itself, as in "it's".
      double === undefined ? (single ?? plain ?? '') : double.replaceAll(/\\(.)/gs, '$1'),
    ),
  );
}
