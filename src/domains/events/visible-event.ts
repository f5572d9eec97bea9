/** Events as a reader may see them. Pure. */
import { type EventRow, redact, type Sensitivity } from './schema.ts';

/** The event as somebody who may see up to `level` sees it; null when it is hidden. */
export function visibleEvent(row: EventRow, level: Sensitivity): EventRow | null {
  // A payload that was tampered with cannot be parted into what may be seen and what may not.
  if (payloadOf(row) === null) return level === 'private' ? row : null;
  return redact(row, level);
}

/** Null when it is no JSON object, which only somebody who edits the database can bring about. */
export function payloadOf({ payload }: Pick<EventRow, 'payload'>): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
