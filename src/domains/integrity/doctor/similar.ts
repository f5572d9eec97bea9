/**
 * Texts that say nearly the same. Pure, and about linear in the number of texts: each is reduced to a few minima of hashes
 * (MinHash), only texts that share a band of them are compared, and each only with the first of its bucket.
 */

export interface Text {
  readonly name: string;
  readonly text: string;
}

export interface Similar {
  readonly name: string;
  /** The first text that it resembles. */
  readonly twin: string;
  /** Shared shingles, of all in both: 0 to 1. */
  readonly share: number;
}

export interface SimilarOptions {
  /** Texts that share at least this much are alike. */
  readonly least: number;
  /** Shorter texts resemble each other by chance. */
  readonly shinglesMin: number;
}

const SHINGLE_WORDS = 3;
/** A text of any length costs no more than this. */
const SHINGLES_MAX = 2000;
const BANDS = 10;
const ROWS = 3;

export function findSimilar(
  texts: readonly Text[],
  { least, shinglesMin }: SimilarOptions,
): readonly Similar[] {
  const firsts = new Map<string, { readonly name: string; readonly shingles: ReadonlySet<number> }>();
  const found: Similar[] = [];
  for (const { name, text } of texts) {
    const shingles = shinglesOf(text);
    if (shingles.size < shinglesMin) continue;
    const compared = new Map<string, number>();
    for (const key of bandsOf(shingles)) {
      const first = firsts.get(key);
      if (first === undefined) firsts.set(key, { name, shingles });
      else if (first.name !== name && !compared.has(first.name))
        compared.set(first.name, jaccard(shingles, first.shingles));
    }
    const [best] = [...compared].sort(([, a], [, b]) => b - a);
    if (best !== undefined && best[1] >= least) found.push({ name, twin: best[0], share: best[1] });
  }
  return found;
}

function shinglesOf(text: string): ReadonlySet<number> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const shingles = new Set<number>();
  for (let at = 0; at + SHINGLE_WORDS <= words.length && shingles.size < SHINGLES_MAX; at++)
    shingles.add(hash(words.slice(at, at + SHINGLE_WORDS).join(' ')));
  return shingles;
}

function bandsOf(shingles: ReadonlySet<number>): readonly string[] {
  const minima = new Uint32Array(BANDS * ROWS).fill(0xffffffff);
  for (const shingle of shingles) {
    for (let row = 0; row < minima.length; row++) {
      const mixed = mix(shingle ^ Math.imul(row + 1, 0x9e3779b1));
      if (mixed < (minima[row] ?? 0)) minima[row] = mixed;
    }
  }
  return Array.from({ length: BANDS }, (_, band) =>
    [band, ...minima.subarray(band * ROWS, (band + 1) * ROWS)].join(' '),
  );
}

function jaccard(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let shared = 0;
  for (const shingle of a) if (b.has(shingle)) shared++;
  return shared / (a.size + b.size - shared);
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
