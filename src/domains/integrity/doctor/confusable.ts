/** Names that one takes for one another. Pure; about linear in the number of names. */
import { isOneSlip } from '../one-slip.ts';

export interface Confusable {
  readonly name: string;
  readonly twin: string;
  readonly how: 'look' | 'slip';
}

/** Short names are close to each other by nature. */
const NAME_CHARS_MIN = 5;

/** What looks alike in most typefaces is one and the same here. */
const LOOK_ALIKES: readonly (readonly [RegExp, string])[] = [
  [/-/g, ''],
  [/0/g, 'o'],
  [/[1il]/g, 'l'],
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/5/g, 's'],
];

/** Each later name with the first one it may be taken for. */
export function findConfusable(names: readonly string[]): readonly Confusable[] {
  const looks = new Map<string, string>();
  const shortened = new Map<string, string[]>();
  const found: Confusable[] = [];
  for (const name of names) {
    if (name.length < NAME_CHARS_MIN) continue;
    const look = LOOK_ALIKES.reduce((text, [pattern, same]) => text.replace(pattern, same), name);
    const lookTwin = looks.get(look);
    const keys = shortenings(name);
    const slipTwin = keys.flatMap((key) => shortened.get(key) ?? []).find((other) => isOneSlip(name, other));
    if (lookTwin !== undefined) found.push({ name, twin: lookTwin, how: 'look' });
    else if (slipTwin !== undefined) found.push({ name, twin: slipTwin, how: 'slip' });
    if (lookTwin === undefined) looks.set(look, name);
    for (const key of keys) {
      const bucket = shortened.get(key);
      if (bucket === undefined) shortened.set(key, [name]);
      else if (bucket.length < BUCKET_MAX) bucket.push(name);
    }
  }
  return found;
}

/** Names without one letter in common; more would make a crowd of numbered names slow and tell nothing new. */
const BUCKET_MAX = 16;

/** The name itself and each form with one letter less: two names that are one slip apart share one of them. */
function shortenings(name: string): readonly string[] {
  const forms = new Set([name]);
  for (let at = 0; at < name.length; at++) forms.add(name.slice(0, at) + name.slice(at + 1));
  return [...forms];
}
