/** Who may speak to an HTTP door. Decided from the head of a request alone, before anything of its body is read. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { sha256Hex } from './digest.ts';
import { ColibriError } from './errors.ts';

export interface HttpAccess {
  /** The address that is listened on. */
  readonly host: string;
  readonly token: string | null;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'headersDistinct'>;

/** Throws when the door would be open to other machines without a key. */
export function refuseOpenDoor({ host, token }: HttpAccess): void {
  if (isLoopbackAddress(host) || token !== null) return;
  const message = `listening on ${host} needs a bearer token; set COLIBRI_HTTP_TOKEN or listen on 127.0.0.1`;
  throw new ColibriError('CONFIG_INVALID', message, { host });
}

/** Null when the request may pass. */
export function accessRefusal(request: RequestHead, access: HttpAccess): Refusal | null {
  const { origin, authorization } = request.headers;
  const repeated = DECIDING_HEADERS.find((name) => (request.headersDistinct[name]?.length ?? 0) > 1);
  // Two readers of such a request could each believe another one of the values.
  if (repeated !== undefined) return { status: 400, message: `header sent twice: ${repeated}` };
  const host = request.headers.host?.toLowerCase() ?? '';
  // On loopback a foreign name means a web page whose name was made to point here (DNS rebinding).
  if (!(isLoopbackAddress(access.host) ? LOCAL_AUTHORITY : AUTHORITY).test(host))
    return { status: 403, message: 'host not allowed' };
  if (origin !== undefined && !isAllowedOrigin(origin, host))
    return { status: 403, message: 'origin not allowed' };
  if (!OWN_FETCH_SITES.has(request.headers['sec-fetch-site']))
    return { status: 403, message: 'origin not allowed' };
  if (access.token !== null && !isToken(authorization, access.token)) {
    const headers = { 'WWW-Authenticate': 'Bearer' };
    return { status: 401, message: 'bearer token missing or wrong', headers };
  }
  return null;
}

const DECIDING_HEADERS = ['host', 'origin', 'authorization', 'sec-fetch-site', 'content-type'] as const;

const AUTHORITY = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
const LOCAL_AUTHORITY = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

/** Browsers alone send it, and they send no `Origin` with some requests; `none` is a person typing the address. */
const OWN_FETCH_SITES: ReadonlySet<unknown> = new Set([undefined, 'same-origin', 'same-site', 'none']);

function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Pages of this machine, when they were asked for by a name of this machine; else only pages of the very same host. */
function isAllowedOrigin(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { origin: canonical, protocol, host: originHost } = new URL(origin);
  // Other spellings, `null`, extensions and schemes that only resemble the web's are nobody we know.
  if (canonical !== origin.toLowerCase() || !['http:', 'https:'].includes(protocol)) return false;
  return LOCAL_AUTHORITY.test(originHost) ? LOCAL_AUTHORITY.test(host) : originHost === host;
}

/** Compares digests, so that neither the length nor the first wrong character shows in the time it takes. */
function isToken(authorization: string | undefined, token: string): boolean {
  const given = authorization?.match(/^Bearer +(\S+)$/i)?.[1] ?? '';
  return timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(token)));
}
