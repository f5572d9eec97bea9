/** Whether a body that was recorded as given ever reached the one who asked. Pure. */
import type { EventRow } from '../events/schema.ts';

/**
 * A process that ends between recording a load and answering leaves a call without an end. `since` is when this
 * process began: a younger call may simply still be on its way out.
 */
export function wasCutOff(
  rows: readonly EventRow[],
  name: string,
  { since }: { readonly since: string },
): boolean {
  const load = rows.findLast((row) => row.type === 'skill.loaded' && payloadOf(row)['name'] === name);
  if (load === undefined || load.parent_id === null || load.at >= since) return false;
  const calls = new Set(rows.filter((row) => isLoadOf(row, name)).map(({ id }) => id));
  return !rows.some(
    ({ type, parent_id, seq }) =>
      type === 'tool.finished' && seq > load.seq && parent_id !== null && calls.has(parent_id),
  );
}

function isLoadOf(row: EventRow, name: string): boolean {
  if (row.type !== 'tool.started') return false;
  const { tool, input } = payloadOf(row) as { tool: string; input: Readonly<Record<string, unknown>> };
  return tool === 'skill_load' && input['name'] === name;
}

function payloadOf({ payload }: EventRow): Readonly<Record<string, unknown>> {
  return JSON.parse(payload) as Record<string, unknown>;
}
