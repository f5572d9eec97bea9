import { createIds } from '../../src/lib/ids.ts';
import {
  type AuditEnter,
  type AuditExit,
  type AuditSink,
  type ColibriServerContext,
  createServerContext,
  type ToolRequest,
} from '../../src/server.ts';
import { fixedClock } from './fixed-clock.ts';

export const REQUEST: ToolRequest = { door: 'library' };

/** Keeps what the kernel tells it, in order, beside the notes that a test's own handlers add. */
export interface SpySink extends AuditSink {
  readonly seen: string[];
  readonly entered: AuditEnter[];
  readonly exited: AuditExit[];
}

export function spySink(overrides: Partial<AuditSink> = {}): SpySink {
  const seen: string[] = [];
  const entered: AuditEnter[] = [];
  const exited: AuditExit[] = [];
  return {
    seen,
    entered,
    exited,
    enter(entry) {
      seen.push('audit-enter');
      entered.push(entry);
      return overrides.enter?.(entry);
    },
    exit(entry) {
      seen.push('audit-exit');
      exited.push(entry);
      return overrides.exit?.(entry);
    },
  };
}

export interface TestContext extends ColibriServerContext {
  readonly audit: SpySink;
  readonly lines: string[];
  readonly clock: ReturnType<typeof fixedClock>;
}

/** A kernel with nothing around it: every part can be replaced. */
export function testContext(
  parts: Partial<Omit<ColibriServerContext, 'tools' | 'audit'>> & { readonly audit?: SpySink } = {},
): TestContext {
  const lines: string[] = [];
  const clock = fixedClock();
  const audit = parts.audit ?? spySink();
  const ctx = createServerContext({
    logger: (...args) => lines.push(args.map(String).join(' ')),
    ids: createIds(clock, (count) => new Uint8Array(count)),
    identify: (request) => ({ id: request.door, sessionId: null, agentTier: null }),
    gate: () => ({ allowed: true }),
    ...parts,
    clock,
    audit,
  });
  return { ...ctx, audit, lines, clock };
}

/** Calls a registered tool by name. */
export function callTool(
  ctx: ColibriServerContext,
  name: string,
  input: unknown = {},
  request: ToolRequest = REQUEST,
): ReturnType<NonNullable<ReturnType<ColibriServerContext['tools']['get']>>['call']> {
  const tool = ctx.tools.get(name);
  if (tool === undefined) throw new Error(`no such tool: ${name}`);
  return tool.call(input, request);
}
