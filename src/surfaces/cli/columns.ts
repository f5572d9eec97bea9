/** How many terminal columns a text takes. Texts come in through `printable`, so there are no control characters. */

const ASCII = /^[\x20-\x7e]*$/;
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const cluster of clusters(text)) width += clusterWidth(cluster);
  return width;
}

/** The text, cut to the width with a final … when it is longer; never cuts a character in two. */
export function cutTo(text: string, width: number): string {
  if (text.length <= width && ASCII.test(text)) return text;
  if (displayWidth(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 0;
  for (const cluster of clusters(text)) {
    const next = clusterWidth(cluster);
    if (used + next > width - 1) break;
    kept += cluster;
    used += next;
  }
  return `${kept.trimEnd()}…`;
}

/** The text, cut or filled with blanks to exactly the width. */
export function fillTo(text: string, width: number): string {
  const cut = cutTo(text, width);
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)));
}

function* clusters(text: string): Generator<string> {
  for (const { segment } of unicode().segmenter.segment(text)) yield segment;
}

function clusterWidth(cluster: string): number {
  if (unicode().picture.test(cluster)) return 2;
  let width = 0;
  for (const character of cluster) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (unicode().noColumn.test(character)) return 0;
  return unicode().twoColumns.test(character) ? 2 : 1;
}

interface UnicodeTables {
  readonly segmenter: Intl.Segmenter;
  readonly noColumn: RegExp;
  readonly twoColumns: RegExp;
  readonly picture: RegExp;
}

let tables: UnicodeTables | undefined;

/** Made on first use: they take a while, and most tables are plain ASCII and never need them. */
function unicode(): UnicodeTables {
  tables ??= {
    segmenter: new Intl.Segmenter('en', { granularity: 'grapheme' }),
    // Marks, joiners and the later letters of a Hangul syllable are drawn onto the character before them.
    noColumn: /^(?:[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff\u200c]|\u200d)$/u,
    // East Asian wide and fullwidth blocks (UAX #11), in which a character takes two columns.
    twoColumns:
      /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]$/u,
    // With U+FE0F a text symbol, or the digit of a keycap, is drawn as a picture.
    picture: /\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator}/u,
  };
  return tables;
}
