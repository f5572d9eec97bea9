/** Lines for skills that a search or a match has found. */

import { UNTRUSTED_MARK } from '../../domains/sessions/catalog.ts';
import type { SearchHit } from '../../domains/sessions/search.ts';
import { printable } from '../../lib/text.ts';
import type { Output } from './output.ts';
import { tabLines, tableLines } from './table.ts';

/** A table on a terminal, tabs elsewhere. `scores` adds the score to the table; a pipe always gets it. */
export function hitLines(
  hits: readonly SearchHit[],
  out: Output,
  { scores = false }: { readonly scores?: boolean } = {},
): string[] {
  if (!out.terminal) {
    return tabLines(
      hits.map((hit) => [hit.name, hit.source, String(hit.score), hit.why, marked(hit)].map(printable)),
    );
  }
  if (hits.length === 0) return [];
  const rows = hits.map((hit) =>
    [hit.name, hit.source, ...(scores ? [hit.score.toFixed(2)] : []), hit.why, marked(hit)].map(printable),
  );
  const [header = '', ...lines] = tableLines({
    header: ['NAME', 'SOURCE', ...(scores ? ['SCORE'] : []), 'WHY', 'DESCRIPTION'],
    rows,
    width: out.width,
  });
  return [out.paint('bold', header), ...lines];
}

/** As agents see it. */
function marked({ description, trusted }: SearchHit): string {
  return trusted ? description : `${description}${UNTRUSTED_MARK}`;
}
