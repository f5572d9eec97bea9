import { z } from 'zod';

import { EVENT_SCHEMA, eventViews, LEVEL } from '../event-view.ts';
import { type Route, route } from '../route.ts';
import { flag } from '../schemas.ts';

const PAGE = 100;
const PAGE_MAX = 500;
const TYPES_CHARS_MAX = 1_000;

export const EVENT_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/events',
    id: 'listEvents',
    tag: 'events',
    summary: 'the event log, by sequence number',
    query: z.object({
      after: z.coerce.number().int().min(0).optional().describe('only events after this `seq`'),
      before: z.coerce.number().int().min(1).optional().describe('only events before this `seq`'),
      newest: flag,
      session: z.string().max(64).optional(),
      stream: z.string().max(200).optional(),
      type: z.string().max(TYPES_CHARS_MAX).optional().describe('one or more types, parted by commas'),
      level: LEVEL,
      limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE),
    }),
    answer: z
      .object({
        items: z.array(EVENT_SCHEMA),
        next: z.int().nullable().describe('hand it back as `after`, or as `before` with `newest`'),
      })
      .meta({ id: 'EventPage' }),
    handle: async ({ query }, { services: { events } }) => {
      const { newest, type, level, limit, ...filter } = query;
      const rows = await events.read({
        ...filter,
        types: type?.split(','),
        newestFirst: newest,
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const next = rows.length > limit ? (shown.at(-1)?.seq ?? null) : null;
      return { items: eventViews(shown, level), next };
    },
  }),
  route({
    method: 'get',
    path: '/v1/events/verify',
    id: 'verifyEvents',
    tag: 'events',
    summary: 'look through the chain of hashes for events that were changed or removed',
    answer: z
      .object({
        events: z.int(),
        broken: z.object({ seq: z.int(), stream: z.string(), problem: z.string() }).nullable(),
      })
      .meta({ id: 'ChainReport' }),
    handle: (_input, { services: { events } }) => events.verify(),
  }),
];
