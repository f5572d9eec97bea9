/** Two texts side by side, with what differs marked. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { foreign } from './format.ts';

export interface DiffRow {
  readonly kind: 'same' | 'changed' | 'gap';
  readonly before: DiffSide | null;
  readonly after: DiffSide | null;
}

export interface DiffSide {
  readonly line: number;
  readonly text: string;
}

interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly names: readonly [string, string];
}

export function Diff({ before, after, names }: DiffProps): JSX.Element {
  const [rows, setRows] = useState<readonly DiffRow[] | null>(null);
  useEffect(() => {
    let wanted = true;
    void import('./diff-rows.ts').then(({ diffRows }) => {
      if (wanted) setRows(diffRows(before, after));
    });
    return () => {
      wanted = false;
    };
  }, [before, after]);
  if (rows === null) return <p class="quiet">Comparing …</p>;
  return <DiffTable names={names} rows={rows} />;
}

export function DiffTable({
  names,
  rows,
}: {
  readonly names: readonly [string, string];
  readonly rows: readonly DiffRow[];
}): JSX.Element {
  return (
    <div class="diff" tabIndex={0} role="group" aria-label={`${names[0]} compared with ${names[1]}`}>
      <table>
        <colgroup>
          <col class="line" />
          <col />
          <col class="line" />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th colspan={2}>{foreign(names[0])}</th>
            <th colspan={2}>{foreign(names[1])}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) =>
            row.kind === 'gap' ? (
              <tr key={index} class="gap">
                <td colspan={4}>⋯</td>
              </tr>
            ) : (
              <tr key={index} class={row.kind}>
                <Side side={row.before} kind="gone" changed={row.kind === 'changed'} />
                <Side side={row.after} kind="come" changed={row.kind === 'changed'} />
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function Side(props: {
  readonly side: DiffSide | null;
  readonly kind: 'gone' | 'come';
  readonly changed: boolean;
}): JSX.Element {
  const { side, kind, changed } = props;
  const mark = changed && side !== null ? kind : '';
  return (
    <>
      <td class={`line ${mark}`}>{side?.line ?? ''}</td>
      <td class={`text ${mark}`}>{side === null ? '' : foreign(side.text)}</td>
    </>
  );
}
