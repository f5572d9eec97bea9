/** Gets one file over HTTP: bounded in bytes, time and redirects, and only from where the policy lets it. */
import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';

import { ColibriError, messageOf } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { isPrivateAddress, namesPrivateHost } from './address.ts';
import { HTTP_MS_MAX, REDIRECTS_MAX } from './limits.ts';

/** Asked before each connection, also after a redirect. Throws when the policy refuses. */
export type UrlGate = (url: URL) => Promise<{
  /** A rule names this place, so that it may lie in a private network. */
  readonly named: boolean;
}>;

export interface GetOptions {
  readonly gate: UrlGate;
  readonly bytesMax: number;
  /** `user:password`, for the host of the first URL alone. */
  readonly credentials?: string | null;
}

export interface Got {
  readonly bytes: Buffer;
  /** Where it was in the end. */
  readonly url: URL;
  readonly type: string;
}

export async function httpGet(address: string, options: GetOptions): Promise<Got> {
  const first = new URL(address);
  const deadline = AbortSignal.timeout(HTTP_MS_MAX);
  let url = first;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const credentials = url.origin === first.origin ? (options.credentials ?? null) : null;
    const response = await connect(url, { first, credentials, deadline, gate: options.gate });
    const target = redirectOf(response, url);
    if (target === null)
      return { bytes: await bodyOf(response, url, options.bytesMax), url, type: typeOf(response) };
    response.destroy();
    if (url.protocol === 'https:' && target.protocol !== 'https:')
      throw failed(url, `it redirects to the unencrypted ${printable(target.href)}`);
    url = target;
  }
  throw failed(first, `it redirects more than ${REDIRECTS_MAX} times`);
}

interface Connection {
  readonly first: URL;
  readonly credentials: string | null;
  readonly deadline: AbortSignal;
  readonly gate: UrlGate;
}

async function connect(
  url: URL,
  { first, credentials, deadline, gate }: Connection,
): Promise<IncomingMessage> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw failed(url, `${url.protocol} is neither http nor https`);
  const { named } = await gate(url);
  const own = url.hostname === first.hostname && namesPrivateHost(first.hostname);
  const address = await publicAddress(url, { allowPrivate: named || own });
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const auth = credentials === null ? {} : { auth: credentials };
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      ...auth,
      // The address that was looked at, not one that the name leads to a moment later.
      lookup: fixedLookup(address),
      agent: false,
      signal: deadline,
      headers: { 'User-Agent': 'colibri', Accept: '*/*', 'Accept-Encoding': 'identity' },
    });
    sent.once('response', resolve);
    sent.once('error', (error) => reject(failed(url, messageOf(error), error)));
    sent.end();
  });
}

interface Address {
  readonly address: string;
  readonly family: number;
}

/** Where the name leads. A name that somebody else owns could lead into the private network of whoever asks. */
export async function publicAddress(
  url: URL,
  { allowPrivate }: { readonly allowPrivate: boolean },
): Promise<Address> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  let found: Address;
  try {
    found = await lookup(hostname);
  } catch (error) {
    throw failed(url, messageOf(error), error);
  }
  if (allowPrivate || !isPrivateAddress(found.address)) return found;
  const fix = 'allow it by a rule under `install` in colibri.policy.yaml if that is meant';
  throw failed(url, `its name leads to the private address ${found.address}; ${fix}`);
}

function fixedLookup({ address, family }: Address): LookupFunction {
  return (_hostname, options, done) => {
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

function redirectOf(response: IncomingMessage, url: URL): URL | null {
  const { statusCode = 0, headers } = response;
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return null;
  if (!URL.canParse(headers.location, url.href)) throw failed(url, 'it redirects to no valid URL');
  return new URL(headers.location, url);
}

async function bodyOf(response: IncomingMessage, url: URL, bytesMax: number): Promise<Buffer> {
  if (response.statusCode !== 200) {
    response.destroy();
    throw failed(url, `the server answers ${response.statusCode}`);
  }
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of response) {
      length += part.length;
      if (length > bytesMax) throw failed(url, `it has more than ${bytesMax} bytes`);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof ColibriError ? error : failed(url, messageOf(error), error);
  } finally {
    response.destroy();
  }
  const announced = Number(response.headers['content-length'] ?? length);
  if (announced !== length) throw failed(url, `${length} of ${announced} bytes came`);
  return Buffer.concat(parts);
}

function typeOf({ headers }: IncomingMessage): string {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
}

function failed(url: URL, why: string, cause?: unknown): ColibriError {
  const place = `${url.origin}${url.pathname}`;
  const message = `${printable(place)} cannot be fetched: ${printable(why)}`;
  return new ColibriError('SOURCE_UNREACHABLE', message, { url: place }, { cause });
}
