/** A request as it comes over the wire, for those that answer before the SDK does. Pure. */

export type RequestId = string | number;

export interface RawRequest {
  readonly id: RequestId;
  readonly method: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Null for whatever is no plain request, broken text among it: what is wrong with it the SDK says. */
export function rawRequest(text: string): RawRequest | null {
  const message = parsed(text);
  if (!isObject(message) || !hasOnly(message, MEMBERS)) return null;
  const { jsonrpc, id, method, params } = message;
  return jsonrpc === '2.0' && isRequestId(id) && isObject(params) ? { id, method, params } : null;
}

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

export function hasOnly(value: object, members: ReadonlySet<string>): boolean {
  for (const key in value) if (!members.has(key)) return false;
  return true;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not ours to tell; the caller hands the text on.
    return null;
  }
}
