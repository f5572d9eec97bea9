/** `/.well-known/agent-skills/…` over HTTP: the skills that may be published, for whoever installs from here. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { PublishService } from '../../domains/integrity/publish/service.ts';
import { sha256Hex } from '../../lib/digest.ts';
import { ColibriError } from '../../lib/errors.ts';
import { type HttpEndpoint, refuse } from '../../lib/http-door.ts';

const BASE = '/.well-known/agent-skills/';
const MAX_AGE_S = 60;

export function createPublishedEndpoint(ready: Promise<{ readonly publish: PublishService }>): HttpEndpoint {
  const endpoint: HttpEndpoint = {
    owns: (path) => path.startsWith(BASE),
    async handle(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        const message = 'GET and HEAD are the only methods here';
        return refuse(response, endpoint, { status: 405, message, headers: { Allow: 'GET, HEAD' } });
      }
      const file = await fileAt(request, ready);
      if (file === null) return refuse(response, endpoint, { status: 404, message: 'no such file' });
      answer(request, response, file);
    },
    refusalBody: ({ message }) => ({ type: 'text/plain; charset=utf-8', text: `${message}\n` }),
    close: () => undefined,
  };
  return endpoint;
}

type File = NonNullable<Awaited<ReturnType<PublishService['get']>>>;

async function fileAt(
  { url = '' }: IncomingMessage,
  ready: Promise<{ readonly publish: PublishService }>,
): Promise<File | null> {
  const [path = ''] = url.split('?');
  let name: string;
  try {
    name = decodeURIComponent(path.slice(BASE.length));
  } catch {
    // An encoding that is none names no file.
    return null;
  }
  try {
    return await (await ready).publish.get(name);
  } catch (error) {
    // It changed since the index was made; the next one will tell its new digest.
    if (error instanceof ColibriError && error.code === 'FILE_CHANGED') return null;
    throw error;
  }
}

function answer({ method, headers }: IncomingMessage, response: ServerResponse, { bytes, type }: File): void {
  const tag = `"${sha256Hex(bytes)}"`;
  const common = {
    ETag: tag,
    'Cache-Control': `private, max-age=${MAX_AGE_S}`,
    // A file of somebody's skill must not become a page of ours.
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
  };
  if (headers['if-none-match'] === tag) {
    response.writeHead(304, common).end();
    return;
  }
  response.writeHead(200, { ...common, 'Content-Type': type, 'Content-Length': bytes.length });
  response.end(method === 'HEAD' ? undefined : bytes);
}
