/** Most bytes between the two fences. Real frontmatter stays under 6 KB; the cap bounds the YAML parser's work. */
export const FRONTMATTER_BYTES_MAX: number = 16 * 1024;

export type Fences =
  | { readonly kind: 'found'; readonly yaml: string; readonly body: string; readonly bodyStart: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unclosed' };

const OPENING = /^---[ \t]*\r?\n/;

/** Splits a text (without BOM) into the YAML between the fences and the body after them. */
export function splitFrontmatter(text: string): Fences {
  const opening = OPENING.exec(text);
  if (opening === null) return { kind: 'missing' };
  const start = opening[0].length;
  const closing = usualClosing(text, start) ?? findClosing(text, start);
  if (closing === null) return { kind: 'unclosed' };
  let bodyStart = closing.end;
  while (text[bodyStart] === '\n' || text[bodyStart] === '\r') bodyStart++;
  return {
    kind: 'found',
    yaml: text.slice(start, closing.start),
    body: text.slice(bodyStart),
    bodyStart,
  };
}

/** The first line that starts like a fence, if it is nothing but one: no other can come before it. */
function usualClosing(text: string, from: number): { readonly start: number; readonly end: number } | null {
  const start = text.indexOf('\n---', from - 1) + 1;
  if (start === 0 || text[start + 3] !== '\n') return null;
  return withinLimit(text, from, start) ? { start, end: start + 4 } : null;
}

function findClosing(text: string, from: number): { readonly start: number; readonly end: number } | null {
  let start = from;
  while (start <= text.length && start - from <= FRONTMATTER_BYTES_MAX) {
    const end = closingEnd(text, start);
    if (end !== -1) return withinLimit(text, from, start) ? { start, end } : null;
    const lineBreak = text.indexOf('\n', start);
    if (lineBreak === -1) return null;
    start = lineBreak + 1;
  }
  return null;
}

/** Where a closing fence that starts here ends, or -1. */
function closingEnd(text: string, start: number): number {
  if (!text.startsWith('---', start)) return -1;
  let end = start + 3;
  while (text[end] === ' ' || text[end] === '\t') end++;
  if (end === text.length) return end;
  if (text[end] === '\r' && text[end + 1] === '\n') return end + 2;
  return text[end] === '\n' ? end + 1 : -1;
}

function withinLimit(text: string, from: number, to: number): boolean {
  // A UTF-16 unit is at most three bytes of UTF-8, so most frontmatter needs no counting.
  if ((to - from) * 3 <= FRONTMATTER_BYTES_MAX) return true;
  return Buffer.byteLength(text.slice(from, to)) <= FRONTMATTER_BYTES_MAX;
}
