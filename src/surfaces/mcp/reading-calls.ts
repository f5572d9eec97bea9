/**
 * Calls of tools that only read, answered without the SDK: its way through a call costs more than most of them do.
 * They ask nobody anything and cannot be told to stop, so that a request and its answer are all there is to them.
 */
import { messageOf } from '../../lib/errors.ts';
import type { ColibriServerContext, ColibriTool, ToolRequest } from '../../server.ts';
import { toolResultJson } from './tool-result.ts';

export interface ReadingCall {
  readonly id: string | number;
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
    find: (text) => (open && text.includes(METHOD) ? readingCall(parsed(text), tools) : null),
    answer: (call) => answerTo(call, door),
  };
}

/** What every such call has in its text. Looking for it is far cheaper than parsing. */
const METHOD = '"tools/call"';
/** Members of a request that say nothing the SDK would have to act on. */
const MESSAGE_MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMS_MEMBERS = new Set(['name', 'arguments', '_meta']);
/** Requests of the newer protocol carry their handshake, which the SDK checks. */
const ENVELOPE_PREFIX = 'io.modelcontextprotocol/';

function readingCall(message: unknown, tools: ColibriServerContext['tools']): ReadingCall | null {
  if (!isObject(message) || message['jsonrpc'] !== '2.0' || message['method'] !== 'tools/call') return null;
  const { id, params } = message;
  if (typeof id !== 'string' && !isWholeNumber(id)) return null;
  if (!isObject(params) || !hasOnly(message, MESSAGE_MEMBERS) || !hasOnly(params, PARAMS_MEMBERS))
    return null;
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The SDK says what is wrong with it.
    return null;
  }
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isPlainMeta(meta: unknown): boolean {
  return isObject(meta) && !Object.keys(meta).some((key) => key.startsWith(ENVELOPE_PREFIX));
}

function hasOnly(value: object, members: ReadonlySet<string>): boolean {
  for (const key in value) if (!members.has(key)) return false;
  return true;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
