/** The API and the page behind the one HTTP door. */
import { getRequestListener } from '@hono/node-server';

import type { HttpEndpoint } from '../../lib/http-door.ts';
import { type ApiOptions, createApi } from './app.ts';
import { STREAM_PATH } from './openapi.ts';
import { findPageFolder, readPageFiles } from './page-files.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';

export function createApiEndpoint(options: Omit<ApiOptions, 'signal'>): HttpEndpoint {
  const stopping = new AbortController();
  const api = createApi({ ...options, signal: stopping.signal });
  const page = readPageFiles(findPageFolder(import.meta.dirname));
  api.get('*', (context, next) => {
    const { path, raw } = context.req;
    if (isData(path)) return next();
    return page.answer(path, raw.headers.get('if-none-match')) ?? next();
  });
  const serve = getRequestListener(api.fetch, { overrideGlobalObjects: false });
  return {
    // It also answers for paths that nobody owns.
    owns: () => true,
    // The page has no secrets; it asks for the token itself, since a browser cannot send one with an address.
    isOpen: (path) => !isData(path) || path === '/healthz',
    isEndless: ({ url }) => url?.split('?')[0] === STREAM_PATH,
    handle: async (request, response) => {
      await serve(request, response);
    },
    refusalBody: ({ status, message }) => ({
      type: PROBLEM_TYPE,
      text: JSON.stringify(problemOf('HTTP_REFUSED', message, status)),
    }),
    close: () => stopping.abort(),
  };
}

function isData(path: string): boolean {
  return /^\/(?:v1|metrics|healthz|\.well-known)(?:\/|$)/.test(path);
}
