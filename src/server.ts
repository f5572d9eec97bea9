/**
 * The kernel (α): one way to define a tool, and five stages around every call of it.
 * It knows no domain. Who is asking, what is locked and where the audit goes are handed in by startup.ts.
 */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';

import type { Clock } from './lib/clock.ts';
import { ColibriError, type ErrorCode, messageOf } from './lib/errors.ts';
import type { Ids } from './lib/ids.ts';
import type { Logger } from './lib/logger.ts';
import { createMutexRegistry } from './lib/mutex.ts';

/** What a door knows of a request before anybody has looked at its arguments. */
export interface ToolRequest {
  readonly door: 'stdio' | 'http' | 'cli' | 'library';
  /** Aborted when the caller gives up. */
  readonly signal?: AbortSignal;
  /** The client's own id of this call, kept for the trace. */
  readonly toolUseId?: string;
  /** Whether the door can put a question to a person. */
  readonly canAsk?: boolean;
  /** What a person has answered to questions of this very call, by their keys. */
  readonly answers?: ReadonlyMap<string, boolean>;
}

/** Who is asking, as `identify` found out. */
export interface Caller {
  readonly id: string;
  readonly sessionId: string | null;
  readonly agentTier: string | null;
}

export type GateVerdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export interface ToolFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export type Envelope =
  | {
      readonly ok: true;
      readonly data: unknown;
      /** What a model reads instead of the data as JSON. */
      readonly text?: string;
    }
  | { readonly ok: false; readonly error: ToolFailure };

/**
 * How the record of a call's beginning is kept. `durable`: nothing is done before it is safe, because it could not be undone.
 * `with-end`: the tool records nothing itself, so its beginning may be written together with its end.
 */
export type ToolStart = 'durable' | 'with-end';

export interface AuditEnter {
  readonly callId: string;
  readonly tool: string;
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly input: unknown;
  readonly start?: ToolStart;
}

export interface AuditExit {
  readonly callId: string;
  readonly tool: string;
  readonly caller: Caller;
  readonly at: number;
  readonly durationMs: number;
  readonly result?: unknown;
  readonly text?: string;
  readonly error?: ToolFailure;
}

/** Records calls. A promise means "not durable yet": the caller gets no answer before it settles. */
export interface AuditSink {
  enter(entry: AuditEnter): void | Promise<void>;
  exit(entry: AuditExit): void | Promise<void>;
}

export interface ToolCall {
  readonly callId: string;
  readonly caller: Caller;
  readonly request: ToolRequest;
}

export interface ToolConfig<Schema extends z.ZodType> {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly annotations?: ToolAnnotations;
  /** `tool`: calls of this tool run one after the other. `session`: only those of one session do. */
  readonly lock?: 'tool' | 'session';
  /** `people`: doors call it for a person; it is never offered to an agent. */
  readonly audience?: 'agents' | 'people';
  readonly start?: ToolStart;
}

export type ToolHandler<Schema extends z.ZodType> = (
  input: z.output<Schema>,
  call: ToolCall,
) => unknown | Promise<unknown>;

/** A registered tool, ready for any door. */
export interface ColibriTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations | undefined;
  readonly audience: 'agents' | 'people';
  readonly inputJsonSchema: () => Readonly<Record<string, unknown>>;
  readonly call: (rawInput: unknown, request: ToolRequest) => Promise<Envelope>;
}

export interface ColibriServerContext {
  readonly tools: ReadonlyMap<string, ColibriTool>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditSink;
  readonly identify: (request: ToolRequest, rawInput: unknown) => Caller | Promise<Caller>;
  readonly gate: (tool: string, caller: Caller) => GateVerdict;
}

const TOOL_TEXT: unique symbol = Symbol('tool text');

/** An answer whose text for models is not its data as JSON. */
export interface ToolText {
  readonly [TOOL_TEXT]: true;
  readonly text: string;
  readonly data: unknown;
}

export function toolText(text: string, data: unknown): ToolText {
  return { [TOOL_TEXT]: true, text, data };
}

function isToolText(answer: unknown): answer is ToolText {
  return typeof answer === 'object' && answer !== null && TOOL_TEXT in answer;
}

export const TOOL_NAME_RE: RegExp = /^[a-z][a-z0-9_]*$/;

// One registry for the whole process: every server made for a request shares it, so a tool is never entered twice.
const locks = createMutexRegistry();

export function createServerContext(parts: Omit<ColibriServerContext, 'tools'>): ColibriServerContext {
  return { ...parts, tools: new Map() };
}

export function registerColibriTool<Schema extends z.ZodType>(
  ctx: ColibriServerContext,
  name: string,
  config: ToolConfig<Schema>,
  handler: ToolHandler<Schema>,
): void {
  if (!TOOL_NAME_RE.test(name)) {
    throw new Error(`tool name must match ${TOOL_NAME_RE.source}: ${name}`);
  }
  if (ctx.tools.has(name)) throw new Error(`tool already registered: ${name}`);
  let jsonSchema: Readonly<Record<string, unknown>> | undefined;
  const tool: ColibriTool = {
    name,
    title: config.title,
    description: config.description,
    annotations: config.annotations,
    audience: config.audience ?? 'agents',
    inputJsonSchema: () => (jsonSchema ??= z.toJSONSchema(config.inputSchema, { io: 'input' })),
    call: (rawInput, request) => runStages(ctx, { name, config, handler }, rawInput, request),
  };
  // The map is read-only for everyone but this function.
  (ctx.tools as Map<string, ColibriTool>).set(name, tool);
}

interface Definition<Schema extends z.ZodType> {
  readonly name: string;
  readonly config: ToolConfig<Schema>;
  readonly handler: ToolHandler<Schema>;
}

/** tool-lock → schema-validate → audit-enter → dispatch → audit-exit. */
async function runStages<Schema extends z.ZodType>(
  ctx: ColibriServerContext,
  tool: Definition<Schema>,
  rawInput: unknown,
  request: ToolRequest,
): Promise<Envelope> {
  const started = ctx.clock.monotonic();
  const { caller, refusal } = await admit(ctx, tool.name, { request, rawInput });
  const call: ToolCall = { callId: ctx.ids.ulid(), caller, request };
  const exit = (envelope: Envelope) => auditExit(ctx, { tool: tool.name, call, started, envelope });
  if (refusal !== null) return exit(refusal).settled;

  const { settled } = await locks.run(lockKey(tool, call.caller), async () =>
    exit(await validateAndDispatch(ctx, tool, rawInput, call)),
  );
  // Durability is awaited outside the lock, so that calls of one tool can share a commit.
  return settled;
}

/** Who is asking, and why not, if not. Whatever fails here keeps the tool shut and is audited all the same. */
async function admit(
  ctx: ColibriServerContext,
  tool: string,
  asked: { readonly request: ToolRequest; readonly rawInput: unknown },
): Promise<{ readonly caller: Caller; readonly refusal: Envelope | null }> {
  let caller: Caller = { id: asked.request.door, sessionId: null, agentTier: null };
  try {
    caller = await ctx.identify(asked.request, asked.rawInput);
    const verdict = ctx.gate(tool, caller);
    return { caller, refusal: verdict.allowed ? null : failure('TOOL_LOCKED', verdict.reason) };
  } catch (error) {
    return { caller, refusal: failureOf(error) };
  }
}

function lockKey<Schema extends z.ZodType>(tool: Definition<Schema>, caller: Caller): string {
  if (tool.config.lock !== 'session') return tool.name;
  return `${tool.name} ${caller.sessionId ?? caller.id}`;
}

async function validateAndDispatch<Schema extends z.ZodType>(
  ctx: ColibriServerContext,
  tool: Definition<Schema>,
  rawInput: unknown,
  call: ToolCall,
): Promise<Envelope> {
  let parsed: z.ZodSafeParseResult<z.output<Schema>>;
  try {
    parsed = tool.config.inputSchema.safeParse(rawInput ?? {});
  } catch (error) {
    // A rule inside the schema threw. That is the tool's fault, not the caller's.
    return failureOf(error);
  }
  if (!parsed.success) {
    return failure('INVALID_PARAMS', 'schema validation failed', { issues: parsed.error.issues });
  }
  try {
    const at = ctx.clock.now();
    const entered = ctx.audit.enter({
      callId: call.callId,
      tool: tool.name,
      caller: call.caller,
      at,
      input: parsed.data,
      ...(tool.config.start === undefined ? {} : { start: tool.config.start }),
    });
    if (entered !== undefined) await entered;
  } catch (error) {
    return auditFailure(ctx, tool.name, error);
  }
  try {
    const answered = await tool.handler(parsed.data, call);
    return isToolText(answered)
      ? { ok: true, data: answered.data, text: answered.text }
      : { ok: true, data: answered };
  } catch (error) {
    return failureOf(error);
  }
}

interface Exit {
  readonly tool: string;
  readonly call: ToolCall;
  readonly started: number;
  readonly envelope: Envelope;
}

/** Tells the sink at once; `settled` is the answer, once the sink has it safe. */
function auditExit(ctx: ColibriServerContext, exit: Exit): { readonly settled: Promise<Envelope> } {
  const { call, envelope, tool } = exit;
  const record = async (): Promise<Envelope> => {
    try {
      await ctx.audit.exit({
        callId: call.callId,
        tool,
        caller: call.caller,
        at: ctx.clock.now(),
        durationMs: ctx.clock.monotonic() - exit.started,
        ...(envelope.ok ? { result: envelope.data } : { error: envelope.error }),
        ...(envelope.ok && envelope.text !== undefined ? { text: envelope.text } : {}),
      });
      return envelope;
    } catch (error) {
      return auditFailure(ctx, tool, error);
    }
  };
  return { settled: record() };
}

function auditFailure(ctx: ColibriServerContext, tool: string, error: unknown): Envelope {
  ctx.logger(`[colibri] audit failed: ${tool}:`, messageOf(error));
  return failure('AUDIT_FAILED', `the call could not be recorded: ${messageOf(error)}`);
}

function failureOf(error: unknown): Envelope {
  if (error instanceof ColibriError) return failure(error.code, error.message, error.details);
  return failure('HANDLER_ERROR', messageOf(error));
}

function failure(code: ErrorCode, message: string, details?: Readonly<Record<string, unknown>>): Envelope {
  return { ok: false, error: { code, message, ...(details === undefined ? {} : { details }) } };
}
