import { z } from 'zod';

import type { ReplayReport } from '../../../domains/sessions/replay-service.ts';
import { EVENT_SCHEMA, eventViews, LEVEL } from '../event-view.ts';
import { CURSOR_PARAMETER, decodeCursor, pageOf } from '../page-cursor.ts';
import { type Route, route } from '../route.ts';
import { jsonObject, nextCursor } from '../schemas.ts';

const PAGE = 50;
const PAGE_MAX = 500;

const sessionLine = z
  .object({
    id: z.string(),
    opened_at: z.string(),
    closed_at: z.string().nullable(),
    agent_tier: z.string(),
    agent_id: z.string().nullable(),
    generation: z.int(),
    loads: z.int(),
    tokens: z.int(),
  })
  .meta({ id: 'SessionLine' });

const session = z
  .object({
    id: z.string(),
    opened_at: z.string(),
    closed_at: z.string().nullable(),
    generation: z.int(),
    options: jsonObject,
    loaded: z.array(
      z.object({
        name: z.string(),
        reason: z.string(),
        tokens: z.int(),
        digest: z.string(),
        counted: z.boolean().describe('false for what uses no budget'),
      }),
    ),
  })
  .meta({ id: 'Session' });

const replayReport: z.ZodType<ReplayReport> = z
  .object({
    session: z.string(),
    mode: z.enum(['recorded', 'live']),
    events: z.int(),
    equal: z.boolean(),
    difference: z
      .object({
        event: z.int(),
        type: z.string(),
        where: z.string(),
        recorded: z.string(),
        replayed: z.string(),
      })
      .nullable(),
    taken: z.array(z.string()).describe('calls whose recorded outcome was taken as given'),
  })
  .meta({ id: 'ReplayReport' });

const sessionParams = z.object({ id: z.string().min(1).max(64) });

export const SESSION_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/sessions',
    id: 'listSessions',
    tag: 'sessions',
    summary: 'sessions, newest first',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE),
      cursor: CURSOR_PARAMETER,
    }),
    answer: z.object({ items: z.array(sessionLine), next: nextCursor }).meta({ id: 'SessionPage' }),
    handle: async ({ query: { limit, cursor } }, { services: { sessions } }) => {
      const rows = await sessions.page({ before: decodeCursor(cursor), limit: limit + 1 });
      return pageOf(rows, limit, ({ id }) => id);
    },
  }),
  route({
    method: 'get',
    path: '/v1/sessions/{id}',
    id: 'getSession',
    tag: 'sessions',
    summary: 'one session: its budget and what it has loaded',
    params: sessionParams,
    answer: session,
    handle: async ({ params }, { services: { sessions } }) => {
      const { id, openedAt, closedAt, generation, options, loaded } = await sessions.get(params.id);
      return { id, opened_at: openedAt, closed_at: closedAt, generation, options: { ...options }, loaded };
    },
  }),
  route({
    method: 'get',
    path: '/v1/sessions/{id}/events',
    id: 'listSessionEvents',
    tag: 'sessions',
    summary: 'every event of a session, from the first to the last',
    params: sessionParams,
    query: z.object({ level: LEVEL }),
    answer: z.object({ items: z.array(EVENT_SCHEMA) }).meta({ id: 'SessionEvents' }),
    handle: async ({ params, query }, { services: { sessions, events } }) => {
      const { id } = await sessions.get(params.id);
      return { items: eventViews(await events.ofSession(id), query.level) };
    },
  }),
  route({
    method: 'get',
    path: '/v1/sessions/{id}/catalog',
    id: 'getSessionCatalog',
    tag: 'sessions',
    summary: 'the catalog text of a session',
    params: sessionParams,
    query: z.object({ format: z.enum(['markdown', 'xml']).default('markdown') }),
    answer: z.object({ text: z.string(), shown: z.int(), dropped: z.int() }).meta({ id: 'SessionCatalog' }),
    handle: ({ params, query }, { services: { sessions } }) => sessions.catalog(params.id, query.format),
  }),
  route({
    method: 'post',
    path: '/v1/sessions/{id}/replay',
    id: 'replaySession',
    tag: 'sessions',
    summary: 'run a recorded session again and say where it first differs; changes nothing',
    params: sessionParams,
    body: z.object({ live: z.boolean().default(false).describe('against the skills of today') }),
    answer: replayReport,
    handle: ({ params, body }, { services }) => services.replay(params.id, { live: body.live }),
  }),
];
