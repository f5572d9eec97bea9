import { diffLines } from 'diff';

import type { DiffRow, DiffSide } from './diff.tsx';
import { createRowPairs } from './row-pairs.ts';

/** Equal lines around a change; the rest is folded away. */
const CONTEXT_LINES = 3;
/** A worst case must not make the page wait. */
const EDITS_MAX = 2_000;

export function diffRows(before: string, after: string): readonly DiffRow[] {
  const parts = diffLines(before, after, { maxEditLength: EDITS_MAX });
  if (parts === undefined) return wholeRows(before, after);
  const pairs = createRowPairs();
  for (const { value, added, removed } of parts) {
    const take = added ? pairs.come : removed ? pairs.gone : pairs.same;
    for (const text of value.replace(/\n$/, '').split('\n')) take(text);
  }
  pairs.flush();
  return folded(pairs.rows);
}

function wholeRows(before: string, after: string): readonly DiffRow[] {
  const [left, right] = [before.split('\n'), after.split('\n')];
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => ({
    kind: 'changed' as const,
    before: sideOf(left, index),
    after: sideOf(right, index),
  }));
}

function sideOf(lines: readonly string[], index: number): DiffSide | null {
  const text = lines[index];
  return text === undefined ? null : { line: index + 1, text };
}

function folded(rows: readonly DiffRow[]): readonly DiffRow[] {
  const near = (index: number): boolean =>
    rows
      .slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
      .some(({ kind }) => kind === 'changed');
  const shown: DiffRow[] = [];
  for (const [index, row] of rows.entries()) {
    if (near(index)) shown.push(row);
    else if (shown.at(-1)?.kind !== 'gap') shown.push({ kind: 'gap', before: null, after: null });
  }
  return shown;
}
