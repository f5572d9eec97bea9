import { cutTo, displayWidth, fillTo } from './columns.ts';
import type { Output } from './output.ts';

export interface Table {
  readonly header: readonly string[];
  /** Cells are single lines, already made printable. */
  readonly rows: readonly (readonly string[])[];
  /** Columns of the terminal. */
  readonly width: number;
}

const GAP = '  ';
const LAST_COLUMN_MIN = 16;

/** Lines of at most the given width, header first. The last column gives way before the others do. */
export function tableLines(table: Table): string[] {
  const widths = columnWidths(table);
  return [table.header, ...table.rows].map((row) => rowLine(row, widths));
}

/** For a program: one line a row, cells parted by tabs. */
export function tabLines(rows: readonly (readonly string[])[]): string[] {
  return rows.map((row) => row.join('\t'));
}

/** A table with a bold header where a person reads, lines for a program elsewhere; nothing when there are no rows. */
export function rowLines(
  { header, rows }: Omit<Table, 'width'>,
  out: Pick<Output, 'terminal' | 'width' | 'paint'>,
): string[] {
  if (!out.terminal) return tabLines(rows);
  if (rows.length === 0) return [];
  const [first = '', ...lines] = tableLines({ header, rows, width: out.width });
  return [out.paint('bold', first), ...lines];
}

function columnWidths({ header, rows, width }: Table): number[] {
  const widths = header.map((title, column) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[column] ?? '')), displayWidth(title)),
  );
  const available = Math.max(header.length, width - GAP.length * (header.length - 1));
  const last = widths.length - 1;
  let excess = widths.reduce((sum, each) => sum + each, 0) - available;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const lastWidth = widths[last] ?? 0;
    const [column, floor] = lastWidth > LAST_COLUMN_MIN ? [last, LAST_COLUMN_MIN] : [widest, 0];
    const taken = column === last && floor > 0 ? Math.min(excess, lastWidth - floor) : 1;
    widths[column] = (widths[column] ?? 0) - taken;
    excess -= taken;
  }
  return widths;
}

function rowLine(row: readonly string[], widths: readonly number[]): string {
  const last = widths.length - 1;
  const cells = widths.map((width, column) => {
    const cell = row[column] ?? '';
    return column === last ? cutTo(cell, width) : fillTo(cell, width);
  });
  return cells.join(GAP).trimEnd();
}
