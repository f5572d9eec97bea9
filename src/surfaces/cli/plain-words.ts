import type { CommandOption, Flags } from './command.ts';

/**
 * Options in their plainest form, each a word of its own, and its value the next. Null for everything else: that, and
 * what is wrong with it, is left to the parser, which takes longer to load than these words take to read.
 */
export function plainFlags(words: readonly string[], known: readonly CommandOption[]): Flags | null {
  const values = new Map<string, string>();
  const switches = new Set<string>();
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    const option = known.find(({ flag, short }) => flag === word || `-${short}` === word);
    if (option === undefined) return null;
    const name = option.flag.slice(2);
    if (option.value === undefined) {
      switches.add(name);
      continue;
    }
    const value = words[++index];
    if (value === undefined || value === '' || value.startsWith('-')) return null;
    values.set(name, value);
  }
  return { values, switches };
}
