/** Words as written, in one text, so that a part of one is found at the speed of a search in a string. */
import { WORD_CHARS_MAX } from './tokenise.ts';

export interface Form {
  readonly form: string;
  /** 1 for a word that stands in a name. */
  readonly inName: number;
}

export interface FormList {
  readonly count: number;
  /** Those that hold the run, and those that were cut: they may go on with anything. */
  holding(run: string): readonly string[];
  /** Those of names, of a length between these two. */
  nameWords(shortest: number, longest: number): readonly string[];
}

export function createFormList(forms: readonly Form[]): FormList {
  // A line break before and after each.
  const text = `\n${forms.map(({ form }) => form).join('\n')}\n`;
  const cut = forms.flatMap(({ form }) => (form.length >= WORD_CHARS_MAX ? [form] : []));
  const ofNames = forms.flatMap(({ form, inName }) => (inName === 1 ? [form] : []));
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
    nameWords: (shortest, longest) => ofNames.filter(({ length }) => length >= shortest && length <= longest),
  };
}
