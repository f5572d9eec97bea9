/** Which requests are for MCP. Decided from the head of a request alone, before anything of its body is read. */
import { accessRefusal, type HttpAccess, type Refusal, type RequestHead } from '../../lib/http-access.ts';

export const MCP_PATH = '/mcp';

/** Null when the request may pass. */
export function refusalOf(request: RequestHead, access: HttpAccess): Refusal | null {
  // Access first, so that only who may ask learns which paths exist.
  return accessRefusal(request, access) ?? targetRefusal(request);
}

export function targetRefusal(request: Pick<RequestHead, 'url' | 'method'>): Refusal | null {
  if (request.url?.split('?')[0] !== MCP_PATH)
    return { status: 404, message: `nothing here; MCP is at ${MCP_PATH}` };
  // Preflights among them: no page of another origin is ever allowed in.
  if (request.method !== 'POST')
    return { status: 405, message: 'POST is the only method here', headers: { Allow: 'POST' } };
  return null;
}
