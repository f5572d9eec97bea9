/** What of a skill can be searched. */
import { foldText, type Lexicon, tokenise, type Word } from './tokenise.ts';

export interface SearchableSkill {
  readonly name: string;
  readonly description: string;
  /** Phrases that call for the skill. */
  readonly triggers: readonly string[];
}

export interface HeadWords {
  readonly name: readonly Word[];
  /** Of the description and of the triggers. */
  readonly description: readonly Word[];
}

/** Text is cut here: nobody's skill needs more to be found, and one file must not hold up the others. */
const BODY_CHARS_MAX = 256 * 1024;
const TRIGGERS_MAX = 64;

export function headWords({ name, description, triggers }: SearchableSkill, lexicon: Lexicon): HeadWords {
  const phrases = [description, ...triggers.slice(0, TRIGGERS_MAX)].join('\n');
  return { name: tokenise(name, lexicon), description: tokenise(phrases, lexicon) };
}

export function bodyWords(body: string, lexicon: Lexicon): readonly Word[] {
  return tokenise(body.length > BODY_CHARS_MAX ? body.slice(0, BODY_CHARS_MAX) : body, lexicon);
}

/** A phrase by which a skill says that it is meant. */
export interface TriggerPhrase {
  readonly phrase: string;
  /** What it is made of, one blank between terms. */
  readonly terms: string;
  readonly first: string;
}

export function triggerPhrases(triggers: readonly string[], lexicon: Lexicon): readonly TriggerPhrase[] {
  return triggers.slice(0, TRIGGERS_MAX).flatMap((phrase) => {
    const terms = tokenise(phrase, lexicon).map(({ term }) => term);
    const [first] = terms;
    return first === undefined ? [] : [{ phrase, first, terms: terms.join(' ') }];
  });
}

/** Stands between name and description, so that a phrase never reaches across the two. */
export const FIELD_SEPARATOR = '\u001f';

/** Name and description as a whole query is looked for in them. */
export function plainText({ name, description }: Omit<SearchableSkill, 'triggers'>): string {
  return `${plain(name)}${FIELD_SEPARATOR}${plain(description)}`;
}

/** Folded, every run of blanks one blank, without the separator: a phrase matches across a line break. */
export function plain(text: string): string {
  return foldText(text).replaceAll(FIELD_SEPARATOR, ' ').replace(/\s+/g, ' ').trim();
}
