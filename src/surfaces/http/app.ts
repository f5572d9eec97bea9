/** The API as a Hono application: it can be asked without a socket. */
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';

import type { Config } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import { ColibriError, messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { eventStream } from './event-stream.ts';
import { LEVEL } from './event-view.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openApiDocument, STREAM_PATH } from './openapi.ts';
import { PROBLEM_TYPE, type Problem, problemOf, problemOfError, withoutPaths } from './problem.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes/table.ts';
import type { ApiServices } from './services.ts';

export interface ApiOptions {
  readonly version: string;
  /** Requests wait for it. */
  readonly ready: Promise<ApiServices>;
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Ends the streams. */
  readonly signal: AbortSignal;
}

/** The largest request is a few words of JSON. */
const BODY_BYTES_MAX = 64 * 1024;

export function createApi(options: ApiOptions): Hono {
  const app = new Hono();
  const metrics = createMetrics(options.clock);
  let services: ApiServices | null = null;
  options.ready.then(
    (opened) => (services = opened),
    () => undefined,
  );

  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(DATA_HEADERS))
      if (!context.res.headers.has(name)) context.header(name, value);
  });
  app.get('/healthz', (context) =>
    context.json({ status: services === null ? 'starting' : 'ok' }, services === null ? 503 : 200),
  );
  app.get('/metrics', async (context) =>
    context.body(await metrics.render(services), 200, { 'Content-Type': 'text/plain; version=0.0.4' }),
  );
  app.get('/v1/openapi.json', (context) => context.json(openApiDocument(ROUTES, options.version)));
  app.get(STREAM_PATH, (context) => followEvents(context.req.raw, options));
  app.on('POST', '/v1/*', refuseForgeries, bodyLimit({ maxSize: BODY_BYTES_MAX, onError: refuseLarge }));
  for (const route of ROUTES) mount(app, route, { ...options, metrics });
  for (const path of new Set(ROUTES.map((route) => route.path))) app.all(honoPath(path), refuseMethod(path));
  app.notFound(() => answerProblem(problemOf('HTTP_NOT_FOUND', NOT_HERE)));
  app.onError((error) => answerError(error, options));
  return app;
}

const NOT_HERE = 'nothing here; the API is described at /v1/openapi.json';

/** An answer is data: nobody may sniff, frame, keep or embed it. */
const DATA_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

function mount(app: Hono, route: Route, { metrics, ...options }: ApiOptions & { readonly metrics: Metrics }) {
  app.on(route.method.toUpperCase(), honoPath(route.path), async (context) => {
    const began = options.clock.monotonic();
    const answer = await answerRoute(route, options, {
      params: context.req.param(),
      query: context.req.query(),
      body: route.body === null ? null : await jsonBody(context.req.raw),
    }).catch((error: unknown) => answerError(error, options));
    metrics.count(route.path, answer.status, options.clock.monotonic() - began);
    return answer;
  });
}

async function answerRoute(
  route: Route,
  { ready, version }: ApiOptions,
  sent: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
): Promise<Response> {
  const input = {
    params: check(route.params, sent.params, 'path'),
    query: check(route.query ?? z.object({}), sent.query, 'query'),
    body: check(route.body, sent.body, 'body'),
  };
  const services = await ready.catch(() => {
    throw new ColibriError('NOT_READY', 'the server could not finish starting; its log says why');
  });
  // What the schema does not name is not handed out, whatever a service has put there.
  return Response.json(route.answer.parse(await route.handle(input, { services, version })));
}

function check(schema: z.ZodObject | null, value: unknown, where: string): unknown {
  if (schema === null) return null;
  const parsed = schema.strict().safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.') || where;
  throw new ColibriError('INVALID_PARAMS', `${name}: ${issue?.message ?? 'cannot be used'}`, { where });
}

async function jsonBody(request: Request): Promise<unknown> {
  const text = await request.text();
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ColibriError('INVALID_PARAMS', 'the body is not JSON; send an object', {});
  }
}

const streamQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional(),
  session: z.string().max(64).optional(),
  type: z.string().max(1_000).optional(),
  level: LEVEL,
});

async function followEvents(request: Request, options: ApiOptions): Promise<Response> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  const last = request.headers.get('last-event-id');
  const parsed = streamQuery.safeParse(last === null ? query : { ...query, after: last });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return answerProblem(problemOf('INVALID_PARAMS', `${issue?.path.join('.')}: ${issue?.message}`));
  }
  const { events } = await options.ready;
  const { level, type, session } = parsed.data;
  const after = parsed.data.after ?? (await events.read({ newestFirst: true, limit: 1 }))[0]?.seq ?? 0;
  const filter = { after, session, types: type?.split(',') };
  return new Response(eventStream(events, { filter, level, signal: options.signal }), {
    headers: { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' },
  });
}

/**
 * A page of another origin can send a form or plain text without being asked first. JSON it cannot, and a request that
 * says it comes from elsewhere is not believed.
 */
async function refuseForgeries(
  { req }: { readonly req: { readonly raw: Request } },
  next: () => Promise<void>,
): Promise<Response | undefined> {
  const { headers } = req.raw;
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    const detail = 'writes are JSON; send Content-Type: application/json';
    return answerProblem(problemOf('HTTP_REFUSED', detail, 415));
  }
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const foreign = origin !== null && !(URL.canParse(origin) && new URL(origin).host === headers.get('host'));
  if (foreign || (site !== null && site !== 'same-origin' && site !== 'none')) {
    return answerProblem(problemOf('HTTP_REFUSED', 'writes come from the page of this very server', 403));
  }
  await next();
  return undefined;
}

function refuseLarge(): Response {
  const detail = `the body is larger than ${BODY_BYTES_MAX} bytes; send less`;
  return answerProblem(problemOf('HTTP_REFUSED', detail, 413));
}

function refuseMethod(path: string): () => Response {
  const allowed = ROUTES.filter((route) => route.path === path).map(({ method }) => method.toUpperCase());
  const methods = allowed.join(', ');
  return () => answerProblem(problemOf('HTTP_REFUSED', `use ${methods} here`, 405), { Allow: methods });
}

function answerError(error: unknown, { config, logger }: ApiOptions): Response {
  const problem = problemOfError(error);
  if (problem !== null) return answerProblem({ ...problem, detail: withoutPaths(problem.detail, config) });
  logger('[colibri] http:', messageOf(error));
  return answerProblem(problemOf('HANDLER_ERROR', 'internal error; the log of the server says more'));
}

export function answerProblem(problem: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'Content-Type': PROBLEM_TYPE, ...headers },
  });
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
