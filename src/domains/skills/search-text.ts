import { foldCase } from '../../lib/text.ts';

/** Stands between name and description, so that a match never reaches across the two. */
export const FIELD_SEPARATOR = '\u001f';

/** What a filter by text looks through. */
export function searchText(name: string, description: string): string {
  return foldCase(name) + FIELD_SEPARATOR + foldCase(description);
}
