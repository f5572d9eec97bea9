/** Words as written, in one text, so that a part of one is found at the speed of a search in a string. */
import { WORD_CHARS_MAX } from './tokenise.ts';

export interface FormList {
  readonly count: number;
  /** Those that hold the run, and those that were cut: they may go on with anything. */
  holding(run: string): readonly string[];
}

export function createFormList(forms: readonly string[]): FormList {
  // A line break before and after each.
  const text = `\n${forms.join('\n')}\n`;
  const cut = forms.filter((form) => form.length >= WORD_CHARS_MAX);
  return {
    count: forms.length,
    holding(run) {
      const found = new Set(cut);
      for (let at = text.indexOf(run); at >= 0; ) {
        const end = text.indexOf('\n', at);
        found.add(text.slice(text.lastIndexOf('\n', at) + 1, end));
        at = text.indexOf(run, end);
      }
      return [...found];
    },
  };
}
