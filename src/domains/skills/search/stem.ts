/** The stemmer of M. F. Porter (1980), so that `merging`, `merged` and `merges` meet. Takes lower-case ASCII words. */

const SHORTEST_STEMMED = 3;

export function stem(word: string): string {
  if (word.length < SHORTEST_STEMMED) return word;
  let result = stripPlural(word);
  result = stripPastAndGerund(result);
  result = endInI(result);
  result = replaceSuffix(result, DOUBLE_SUFFIXES, 0);
  result = replaceSuffix(result, LONG_SUFFIXES, 0);
  result = dropSuffix(result);
  return tidyEnd(result);
}

type Replacements = ReadonlyMap<string, string>;

const DOUBLE_SUFFIXES: Replacements = new Map([
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
]);

const LONG_SUFFIXES: Replacements = new Map([
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]);

/** Longest first where one ends in another. */
const DROPPED_SUFFIXES: readonly string[] =
  'ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic ou'.split(' ');

const LONGEST_SUFFIX = 7;

function stripPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  if (word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

function stripPastAndGerund(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const base = word.slice(0, word.length - suffix);
  if (suffix === 0 || !hasVowel(base)) return word;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (endsInDoubleConsonant(base) && !/[lsz]$/.test(base)) return base.slice(0, -1);
  return measure(base) === 1 && endsInShortSyllable(base) ? `${base}e` : base;
}

/** `happy` meets `happier`. After a vowel the y stays, unlike in the paper: `deploy` has to meet `deployment`. */
function endInI(word: string): string {
  const base = word.slice(0, -1);
  const isMet = word.endsWith('y') && hasVowel(base) && isConsonant(base, base.length - 1);
  return isMet ? `${base}i` : word;
}

function replaceSuffix(word: string, replacements: Replacements, minimum: number): string {
  for (let length = Math.min(LONGEST_SUFFIX, word.length - 1); length >= 3; length--) {
    const replacement = replacements.get(word.slice(-length));
    if (replacement === undefined) continue;
    const base = word.slice(0, -length);
    // The longest suffix decides, also when its condition fails.
    return measure(base) > minimum ? base + replacement : word;
  }
  return word;
}

function dropSuffix(word: string): string {
  const suffix = DROPPED_SUFFIXES.find((candidate) => word.endsWith(candidate));
  if (suffix === undefined) return word;
  const base = word.slice(0, -suffix.length);
  if (measure(base) <= 1) return word;
  return suffix === 'ion' && !/[st]$/.test(base) ? word : base;
}

function tidyEnd(word: string): string {
  let result = word;
  if (result.endsWith('e')) {
    const base = result.slice(0, -1);
    const size = measure(base);
    if (size > 1 || (size === 1 && !endsInShortSyllable(base))) result = base;
  }
  return result.endsWith('ll') && measure(result) > 1 ? result.slice(0, -1) : result;
}

/** How many times a run of vowels is followed by a consonant. */
function measure(word: string): number {
  let count = 0;
  let afterVowel = false;
  for (let index = 0; index < word.length; index++) {
    const consonant = isConsonant(word, index);
    if (consonant && afterVowel) count++;
    afterVowel = !consonant;
  }
  return count;
}

function hasVowel(word: string): boolean {
  for (let index = 0; index < word.length; index++) if (!isConsonant(word, index)) return true;
  return false;
}

/** `y` is a vowel after a consonant, as in `syzygy`. */
function isConsonant(word: string, index: number): boolean {
  switch (word[index]) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
      return false;
    case 'y':
      return index === 0 || !isConsonant(word, index - 1);
    default:
      return true;
  }
}

function endsInDoubleConsonant(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && isConsonant(word, last);
}

/** Consonant, vowel, consonant that is not w, x or y: `hop`, `fil`. */
function endsInShortSyllable(word: string): boolean {
  const last = word.length - 1;
  if (last < 2 || !isConsonant(word, last) || isConsonant(word, last - 1) || !isConsonant(word, last - 2)) {
    return false;
  }
  return !/[wxy]$/.test(word);
}
