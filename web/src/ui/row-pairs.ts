/** Puts the lines that went and those that came beside each other. */
import type { DiffRow } from './diff.tsx';

export interface RowPairs {
  readonly rows: DiffRow[];
  gone(text: string): void;
  come(text: string): void;
  same(text: string): void;
  /** Goes on at these line numbers; what was collected before is a change of its own. */
  startAt(left: number, right: number): void;
  /** What is still collected. */
  flush(): void;
}

export function createRowPairs(): RowPairs {
  const rows: DiffRow[] = [];
  let [left, right] = [1, 1];
  let gone: { line: number; text: string }[] = [];
  let come: { line: number; text: string }[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(gone.length, come.length); index++)
      rows.push({ kind: 'changed', before: gone[index] ?? null, after: come[index] ?? null });
    [gone, come] = [[], []];
  };
  return {
    rows,
    flush,
    gone: (text) => void gone.push({ line: left++, text }),
    come: (text) => void come.push({ line: right++, text }),
    same(text) {
      flush();
      rows.push({ kind: 'same', before: { line: left++, text }, after: { line: right++, text } });
    },
    startAt(nextLeft, nextRight) {
      flush();
      [left, right] = [nextLeft, nextRight];
    },
  };
}
