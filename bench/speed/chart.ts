/** The results as a picture: one bar each, as long as the share of its limit that it uses. */
import type { Row } from './row.ts';

const WIDTH = 760;
const LABEL_WIDTH = 360;
const LINE_HEIGHT = 26;
const TOP = 34;
/** Where the limit stands, as a share of the space for bars. */
const LIMIT_SHARE = 0.6;

/** Colours follow the reader's: the text takes that of the page, the bars are seen on light and on dark. */
export function chartSvg(rows: readonly Row[]): string {
  const shares = rows.flatMap((row) => {
    const share = shareOf(row);
    return share === null ? [] : [{ row, share }];
  });
  const height = TOP + shares.length * LINE_HEIGHT + 12;
  const space = WIDTH - LABEL_WIDTH - 70;
  const limit = LABEL_WIDTH + space * LIMIT_SHARE;
  const bars = shares.map(({ row, share }, index) => {
    const y = TOP + index * LINE_HEIGHT;
    const length = Math.max(2, Math.min(share * LIMIT_SHARE, 1) * space);
    const name = row.what.replaceAll('`', '');
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${y + 14}" text-anchor="end">${xmlText(name)}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y + 3}" width="${length.toFixed(1)}" height="15" rx="2" class="${row.pass ? 'pass' : 'miss'}"/>`,
      `<text x="${(LABEL_WIDTH + length + 6).toFixed(1)}" y="${y + 14}">${row.ratio === null ? xmlText(row.ours) : `${row.ratio.toFixed(1)}×`}</text>`,
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Each result as a share of its limit">`,
    '<style>text{font:12px system-ui,sans-serif;fill:#57606a}.pass{fill:#2da44e}.miss{fill:#cf222e}line{stroke:#8b949e;stroke-dasharray:3 3}',
    '@media (prefers-color-scheme:dark){text{fill:#b1bac4}.pass{fill:#3fb950}.miss{fill:#f85149}}</style>',
    `<line x1="${limit}" y1="${TOP - 8}" x2="${limit}" y2="${height - 6}"/>`,
    `<text x="${limit}" y="${TOP - 14}" text-anchor="middle">limit</text>`,
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}

/** How much of its limit a result uses: 1 is just within. Null where there is no ratio to draw. */
function shareOf({ ratio, must }: Row): number | null {
  const limit = Number(/[\d.]+/.exec(must)?.[0]);
  if (ratio === null || Number.isNaN(limit)) return null;
  return must.startsWith('≥') ? limit / ratio : ratio / limit;
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
