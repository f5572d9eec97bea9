/** A unified diff as rows of two columns. Pure. */
import type { DiffRow, DiffSide } from './diff.tsx';

export interface PatchRows {
  readonly names: readonly [string, string];
  readonly rows: readonly DiffRow[];
}

export function patchRows(text: string): PatchRows {
  const rows: DiffRow[] = [];
  const names: [string, string] = ['', ''];
  let [left, right] = [0, 0];
  let gone: DiffSide[] = [];
  let come: DiffSide[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(gone.length, come.length); index++)
      rows.push({ kind: 'changed', before: gone[index] ?? null, after: come[index] ?? null });
    [gone, come] = [[], []];
  };
  let inside = false;
  for (const line of text.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) {
      flush();
      if (inside) rows.push({ kind: 'gap', before: null, after: null });
      [left, right] = [Number(hunk[1]), Number(hunk[2])];
      inside = true;
    } else if (!inside) {
      if (line.startsWith('--- ')) names[0] = line.slice(4);
      if (line.startsWith('+++ ')) names[1] = line.slice(4);
    } else if (line.startsWith('-')) gone.push({ line: left++, text: line.slice(1) });
    else if (line.startsWith('+')) come.push({ line: right++, text: line.slice(1) });
    else if (line.startsWith(' ')) {
      flush();
      const same = line.slice(1);
      rows.push({ kind: 'same', before: { line: left++, text: same }, after: { line: right++, text: same } });
    }
  }
  flush();
  return { names, rows };
}
