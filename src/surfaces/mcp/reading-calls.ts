/**
 * Calls of tools that only read, answered without the SDK: its way through a call costs more than most of them do.
 * They ask nobody anything and cannot be told to stop, so that a request and its answer are all there is to them.
 */
import { messageOf } from '../../lib/errors.ts';
import type { ColibriServerContext, ColibriTool, ToolRequest } from '../../server.ts';
import { hasOnly, isObject, type RequestId, rawRequest } from './raw-request.ts';
import { toolResultJson } from './tool-result.ts';

export interface ReadingCall {
  readonly id: RequestId;
  readonly tool: ColibriTool;
  readonly input: unknown;
}

export interface ReadingCalls {
  /** The call that the text is, if it is one and nothing about it is unusual. None before there are tools. */
  find(text: string): ReadingCall | null;
  /** The whole message that answers it. */
  answer(call: ReadingCall): Promise<string>;
}

export function createReadingCalls(
  { tools }: Pick<ColibriServerContext, 'tools'>,
  { ready, door }: { readonly ready: Promise<unknown>; readonly door: ToolRequest['door'] },
): ReadingCalls {
  let open = false;
  ready.then(
    () => (open = true),
    // Then every call is the SDK's, and is told why.
    () => undefined,
  );
  return {
    find: (text) => (open && text.includes(METHOD) ? readingCall(text, tools) : null),
    answer: (call) => answerTo(call, door),
  };
}

/** What every such call has in its text. Looking for it is far cheaper than parsing. */
const METHOD = '"tools/call"';
/** Members that say nothing the SDK would have to act on. */
const PARAMS_MEMBERS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);
/** Requests of the newer protocol carry their handshake, which the SDK checks. */
const ENVELOPE_PREFIX = 'io.modelcontextprotocol/';

function readingCall(text: string, tools: ColibriServerContext['tools']): ReadingCall | null {
  const request = rawRequest(text);
  if (request?.method !== 'tools/call' || !hasOnly(request.params, PARAMS_MEMBERS)) return null;
  const { id, params } = request;
  const { name, arguments: input, _meta } = params;
  if ((input !== undefined && !isObject(input)) || (_meta !== undefined && !isPlainMeta(_meta))) return null;
  const tool = typeof name === 'string' ? tools.get(name) : undefined;
  if (tool?.audience !== 'agents' || tool.annotations?.readOnlyHint !== true) return null;
  return { id, tool, input };
}

async function answerTo({ id, tool, input }: ReadingCall, door: ToolRequest['door']): Promise<string> {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
  try {
    return `${head},"result":${toolResultJson(await tool.call(input, { door }))}}`;
  } catch (error) {
    const failure = { code: INTERNAL_ERROR, message: messageOf(error) };
    return `${head},"error":${JSON.stringify(failure)}}`;
  }
}

/** Of JSON-RPC. */
const INTERNAL_ERROR = -32_603;

function isPlainMeta(meta: unknown): boolean {
  return isObject(meta) && !Object.keys(meta).some((key) => key.startsWith(ENVELOPE_PREFIX));
}
