/** A unified diff as rows of two columns. Pure. */
import type { DiffRow } from './diff.tsx';
import { createRowPairs } from './row-pairs.ts';

export interface PatchRows {
  readonly names: readonly [string, string];
  readonly rows: readonly DiffRow[];
}

export function patchRows(text: string): PatchRows {
  const pairs = createRowPairs();
  const names: [string, string] = ['', ''];
  let inside = false;
  for (const line of text.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) {
      pairs.startAt(Number(hunk[1]), Number(hunk[2]));
      if (inside) pairs.rows.push({ kind: 'gap', before: null, after: null });
      inside = true;
    } else if (!inside) {
      if (line.startsWith('--- ')) names[0] = line.slice(4);
      if (line.startsWith('+++ ')) names[1] = line.slice(4);
    } else if (line.startsWith('-')) pairs.gone(line.slice(1));
    else if (line.startsWith('+')) pairs.come(line.slice(1));
    else if (line.startsWith(' ')) pairs.same(line.slice(1));
  }
  pairs.flush();
  return { names, rows: pairs.rows };
}
