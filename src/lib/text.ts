/** Length in code points: what the Agent Skills standard counts, unlike UTF-16 `length`. */
export function codePointLength(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const ASCII_ONLY = /^[\x20-\x7e\n\t\r]*$/;

/** No character beyond ASCII, and no control but line breaks and tabs. */
export function isAsciiText(text: string): boolean {
  return ASCII_ONLY.test(text);
}

/** Folds case for comparison, beyond ASCII: `ÄRGER` meets `ärger`, `STRASSE` meets `straße`, final sigma meets sigma. */
export function foldCase(text: string): string {
  if (isAsciiText(text)) return text.toLowerCase();
  // Down first: the capital ẞ has no longer upper-case form, only its small letter becomes SS.
  return text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

// Written as a string because linters rightly distrust control characters in regular expressions; here they are the point.
const HIDDEN_RANGES = [
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f', // C0 and C1 controls, without tab and line feed
  '\\u00ad\\u115f\\u1160\\u180e\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb', // soft hyphen, fillers, marks
  '\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f', // bidi controls, zero width, separators
  '\\u{e0000}-\\u{e01ef}', // tag block and variation selector supplement
].join('');
// Nearly every text, and told in a fraction of the time.
const VISIBLE_ASCII = /^[\x20-\x7e\n\t]*$/;
const HIDDEN = new RegExp(`[${HIDDEN_RANGES}]`, 'u');
const HIDDEN_ALL = new RegExp(`[${HIDDEN_RANGES}]`, 'gu');
const LINE_BREAKS_AND_TABS = /[\n\t]/g;

/** True when the text holds characters that a reader would not see or that steer a terminal. */
export function hasHiddenCharacters(text: string): boolean {
  return !VISIBLE_ASCII.test(text) && HIDDEN.test(text);
}

/** Makes untrusted text safe for one line of a terminal or log: what cannot be seen is written out as `\u{…}`. */
export function printable(text: string): string {
  return text.replace(LINE_BREAKS_AND_TABS, ' ').replace(HIDDEN_ALL, escapeCharacter);
}

/** Like `printable`, but keeps line breaks and tabs. */
export function printableBlock(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN_ALL, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The candidates nearest to what was typed, best first; those too far off to be meant are left out. */
export function nearest(typed: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = typed.toLowerCase();
  const farthest = Math.max(2, Math.floor(wanted.length / 3));
  const scored: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) > farthest) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), farthest);
    if (distance <= farthest) scored.push({ candidate, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
  return scored.slice(0, limit).map(({ candidate }) => candidate);
}

/** Insertions, deletions, substitutions and swaps of neighbours; more than `most` is all the same. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(best);
      least = Math.min(least, best);
    }
    if (least > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
