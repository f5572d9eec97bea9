/** Finds calls that only read among HTTP requests, and leaves the others as they came. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';

import type { ReadingCall, ReadingCalls } from './reading-calls.ts';

/** What Node holds of a body before it waits for a reader; longer ones could not be put back. */
const BODY_BYTES_MAX = 16 * 1024;

/** The call, or null: then the whole body can still be read. */
export async function readingCallOf(
  request: IncomingMessage,
  reading: Pick<ReadingCalls, 'find'>,
): Promise<ReadingCall | null> {
  const length = bodyLength(request.headers);
  if (length === null || !isPlainRequest(request.headers)) return null;
  const body = await takeBody(request, length);
  if (body === null) return null;
  const call = reading.find(body.toString('utf8'));
  if (call === null) request.unshift(body);
  return call;
}

/** What the SDK would let through without a second look, in the older protocol. It says what is wrong with the rest. */
export function isPlainRequest(headers: IncomingHttpHeaders): boolean {
  const { accept = '', 'content-type': type, 'mcp-protocol-version': version } = headers;
  return (
    type === 'application/json' &&
    accept.includes('application/json') &&
    accept.includes('text/event-stream') &&
    headers['mcp-method'] === undefined &&
    headers['mcp-session-id'] === undefined &&
    headers['content-encoding'] === undefined &&
    (version === undefined || (typeof version === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(version)))
  );
}

function bodyLength({ 'content-length': said }: IncomingHttpHeaders): number | null {
  const length = Number(said);
  return length > 0 && length <= BODY_BYTES_MAX ? length : null;
}

/** Null when the client went away before all of it was here. */
function takeBody(request: IncomingMessage, length: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const end = (body: Buffer | null): void => {
      request.off('readable', look).off('close', giveUp);
      resolve(body);
    };
    const look = (): void => {
      const body: Buffer | null = request.read(length);
      if (body !== null) end(body);
    };
    const giveUp = (): void => end(null);
    request.on('readable', look).on('close', giveUp);
  });
}
