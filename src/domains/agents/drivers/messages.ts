/** The words of the plain protocol: one JSON object per line, either way. docs/agents.md describes them. Pure. */
import { z } from 'zod';

import type { Json } from '../../../lib/json.ts';
import { RunFailure } from '../failure.ts';

export const PROTOCOL_VERSION = 1;

const TEXT_CHARS_MAX = 64 * 1_024;
const text = z.string().max(TEXT_CHARS_MAX);
// What came out of JSON.parse is JSON.
const json = z.json() as z.ZodType<Json>;

export interface HelloMessage {
  readonly type: 'hello';
  readonly protocol: typeof PROTOCOL_VERSION;
  readonly agent_id: string;
  readonly name: string;
  readonly tools: readonly string[];
  readonly reports_usage: boolean;
}

export interface PhaseMessage {
  readonly type: 'phase_result';
  readonly phase: string;
  readonly status: 'ok' | 'failed';
  readonly output?: Json | undefined;
  readonly detail: string;
  readonly transient: boolean;
}

/** What is only told, and asks for no answer. */
export type Telling =
  | { readonly type: 'usage'; readonly tokens: number }
  | { readonly type: 'tool'; readonly name: string; readonly status: 'started' | 'finished' }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'alive' }
  | { readonly type: 'error'; readonly message: string };

export type AgentMessage = HelloMessage | PhaseMessage | Telling;

const schema: z.ZodType<AgentMessage> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.literal(PROTOCOL_VERSION),
    agent_id: z.string(),
    name: z.string().max(TEXT_CHARS_MAX).default(''),
    tools: z.array(z.string().max(200)).max(1_000),
    reports_usage: z.boolean(),
  }),
  z.object({
    type: z.literal('phase_result'),
    phase: z.string(),
    status: z.enum(['ok', 'failed']),
    output: z.optional(json),
    detail: z.string().max(TEXT_CHARS_MAX).default(''),
    transient: z.boolean().default(false),
  }),
  z.object({ type: z.literal('usage'), tokens: z.int().nonnegative() }),
  z.object({ type: z.literal('tool'), name: text, status: z.enum(['started', 'finished']) }),
  z.object({ type: z.literal('message'), text }),
  z.object({ type: z.literal('alive') }),
  z.object({ type: z.literal('error'), message: text }),
]);

const SHOWN_CHARS = 200;

export function parseMessage(line: string): AgentMessage {
  const parsed = schema.safeParse(jsonOf(line));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw misunderstood(`${where}${issue?.message ?? 'no message'}`, line);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw misunderstood(
      `it is not JSON; stdout belongs to the protocol, logs go to stderr (${String(error)})`,
      line,
    );
  }
}

function misunderstood(why: string, line: string): RunFailure {
  return new RunFailure(
    'PROTOCOL_ERROR',
    `the line ${JSON.stringify(line.slice(0, SHOWN_CHARS))} was not understood: ${why}`,
  );
}
