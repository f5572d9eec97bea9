/** Events as the API shows them. */
import { z } from 'zod';

import type { EventRow, Sensitivity } from '../../domains/events/schema.ts';
import { payloadOf, visibleEvent } from '../../domains/events/visible-event.ts';

export interface EventView extends Omit<EventRow, 'payload' | 'sensitivity'> {
  readonly payload: unknown;
  readonly sensitivity: Sensitivity;
}

/** How much a reader asks to see. */
export const LEVEL: z.ZodType<Sensitivity, Sensitivity | undefined> = z
  .enum(['public', 'pseudonymous', 'private'])
  .default('pseudonymous')
  .describe('how much of private facts to show');

export const EVENT_SCHEMA: z.ZodType<EventView> = z
  .object({
    seq: z.int().describe('global, without gaps'),
    id: z.string(),
    stream: z.string(),
    session_id: z.string().nullable(),
    type: z.string(),
    at: z.string(),
    actor: z.string(),
    parent_id: z.string().nullable(),
    payload: z.unknown(),
    sensitivity: z.enum(['public', 'pseudonymous', 'private']),
    prev_hash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'Event' });

/** Only what somebody of that level may see. */
export function eventViews(rows: readonly EventRow[], level: Sensitivity): readonly EventView[] {
  return rows.flatMap((row) => {
    const visible = visibleEvent(row, level);
    return visible === null ? [] : [{ ...visible, payload: payloadOf(visible) ?? visible.payload }];
  });
}
