/** Cursors of lists: where the next page begins, in a form that clients only hand back. */
import { z } from 'zod';

import { ColibriError } from '../../lib/errors.ts';

const CURSOR_CHARS_MAX = 400;

export const CURSOR_PARAMETER: z.ZodOptional<z.ZodString> = z
  .string()
  .max(CURSOR_CHARS_MAX)
  .optional()
  .describe('`next` of the page before');

export function encodeCursor(last: string): string {
  return Buffer.from(last, 'utf8').toString('base64url');
}

export function decodeCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (text !== '' && encodeCursor(text) === cursor) return text;
  throw new ColibriError(
    'INVALID_PARAMS',
    'cursor is not one of this list; leave it out to begin at the start',
  );
}

/** One row more than fits tells whether there is a next page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => string,
): { readonly items: readonly Row[]; readonly next: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null };
}
