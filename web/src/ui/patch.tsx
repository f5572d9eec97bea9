import type { JSX } from 'preact';

import { DiffTable } from './diff.tsx';
import { patchRows } from './patch-rows.ts';

/** A unified diff, shown side by side. */
export function PatchTable({ text }: { readonly text: string }): JSX.Element {
  return <DiffTable {...patchRows(text)} />;
}
