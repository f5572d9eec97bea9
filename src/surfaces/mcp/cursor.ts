/** Cursors of paged lists: where the last page ended, opaque to clients. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

export function encodeCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

export function decodeCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (encodeCursor(name) === cursor) return name;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'invalid cursor; start without one');
}
