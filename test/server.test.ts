import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { ColibriError } from '../src/lib/errors.ts';
import {
  type ColibriServerContext,
  type Envelope,
  registerColibriTool,
  type ToolHandler,
} from '../src/server.ts';
import { FIXED_TIME } from './support/fixed-clock.ts';
import { callTool, REQUEST, spySink, testContext } from './support/kernel.ts';
import { latch } from './support/latch.ts';

const echoInput = z.object({ text: z.string().optional() });
const CALLER = { id: 'library', sessionId: null, agentTier: null };
// The fixed clock and zeroed randomness make the first id of every test context this one.
const FIRST_ID = '01KDYAK34E0000000000000000';

function register(
  ctx: ColibriServerContext,
  handler: ToolHandler<typeof echoInput>,
  options: { readonly name?: string; readonly lock?: 'tool' | 'session' } = {},
): void {
  const { name = 'echo', lock } = options;
  const config = { title: name, description: 'says it again', inputSchema: echoInput };
  registerColibriTool(ctx, name, lock === undefined ? config : { ...config, lock }, handler);
}

describe('the five stages', () => {
  test('run in order: tool-lock, schema-validate, audit-enter, dispatch, audit-exit', async () => {
    const seen: string[] = [];
    const sink = spySink({
      enter: () => void seen.push('audit-enter'),
      exit: () => void seen.push('audit-exit'),
    });
    const ctx = testContext({
      audit: sink,
      gate: () => {
        seen.push('tool-lock');
        return { allowed: true };
      },
    });
    const inputSchema = z.object({}).refine(() => seen.push('schema-validate'));
    registerColibriTool(ctx, 'watched', { title: 'w', description: 'w', inputSchema }, () => {
      seen.push('dispatch');
    });
    await callTool(ctx, 'watched');
    expect(seen).toEqual(['tool-lock', 'schema-validate', 'audit-enter', 'dispatch', 'audit-exit']);
  });

  test('the sink learns who called what with which input, how long it took and how it ended', async () => {
    const ctx = testContext();
    register(ctx, ({ text }) => {
      ctx.clock.advance(7);
      return { said: text };
    });
    const envelope = await callTool(ctx, 'echo', { text: 'hi', unknown: true });
    expect(envelope).toEqual({ ok: true, data: { said: 'hi' } });
    expect(ctx.audit.entered).toEqual([
      { callId: FIRST_ID, tool: 'echo', caller: CALLER, at: FIXED_TIME, input: { text: 'hi' } },
    ]);
    expect(ctx.audit.exited).toEqual([
      {
        callId: FIRST_ID,
        tool: 'echo',
        caller: CALLER,
        at: FIXED_TIME + 7,
        durationMs: 7,
        result: { said: 'hi' },
      },
    ]);
  });

  test('the handler gets the parsed input and the call', async () => {
    const ctx = testContext();
    let got: unknown;
    register(ctx, (input, call) => {
      got = { input, call };
    });
    await callTool(ctx, 'echo', { text: 'x' });
    expect(got).toEqual({
      input: { text: 'x' },
      call: { callId: FIRST_ID, caller: CALLER, request: REQUEST },
    });
  });

  test('absent arguments count as an empty object', async () => {
    const ctx = testContext();
    register(ctx, (input) => input);
    const tool = ctx.tools.get('echo');
    expect(await tool?.call(undefined, REQUEST)).toEqual({ ok: true, data: {} });
    expect(await tool?.call(null, REQUEST)).toEqual({ ok: true, data: {} });
  });
});

describe('audit-exit always runs', () => {
  test('after a validation failure, which skips audit-enter and dispatch', async () => {
    const ctx = testContext();
    let dispatched = false;
    register(ctx, () => {
      dispatched = true;
    });
    const envelope = await callTool(ctx, 'echo', { text: 7 });
    const error = {
      code: 'INVALID_PARAMS',
      message: 'schema validation failed',
      details: {
        issues: [
          {
            code: 'invalid_type',
            expected: 'string',
            path: ['text'],
            message: 'Invalid input: expected string, received number',
          },
        ],
      },
    };
    expect(envelope).toEqual({ ok: false, error });
    expect(dispatched).toBe(false);
    expect(ctx.audit.seen).toEqual(['audit-exit']);
    expect(ctx.audit.exited).toEqual([
      { callId: FIRST_ID, tool: 'echo', caller: CALLER, at: FIXED_TIME, durationMs: 0, error },
    ]);
  });

  test.each([
    ['a list', []],
    ['a text', 'x'],
    ['a number', 3],
  ])('%s as arguments is refused', async (_, raw) => {
    const ctx = testContext();
    register(ctx, () => 'never');
    expect(await callTool(ctx, 'echo', raw)).toMatchObject({ ok: false, error: { code: 'INVALID_PARAMS' } });
  });

  test.each<[string, ToolHandler<typeof echoInput>, Envelope]>([
    [
      'a handler that throws',
      () => {
        throw new Error('disk on fire');
      },
      { ok: false, error: { code: 'HANDLER_ERROR', message: 'disk on fire' } },
    ],
    [
      'a handler that rejects later',
      async () => {
        await turn();
        throw new Error('late');
      },
      { ok: false, error: { code: 'HANDLER_ERROR', message: 'late' } },
    ],
    [
      'a handler that throws what is no error',
      () => {
        throw 'just text';
      },
      { ok: false, error: { code: 'HANDLER_ERROR', message: 'just text' } },
    ],
    [
      'an expected failure with its code and details',
      async () => {
        throw new ColibriError('SKILL_NOT_FOUND', 'no skill named "x"', { nearest: ['y'] });
      },
      {
        ok: false,
        error: { code: 'SKILL_NOT_FOUND', message: 'no skill named "x"', details: { nearest: ['y'] } },
      },
    ],
    [
      'an expected failure without details',
      () => {
        throw new ColibriError('DB_BUSY', 'wait');
      },
      { ok: false, error: { code: 'DB_BUSY', message: 'wait' } },
    ],
  ])('after %s', async (_, handler, expected) => {
    const ctx = testContext();
    register(ctx, handler);
    expect(await callTool(ctx, 'echo')).toEqual(expected);
    expect(ctx.audit.seen).toEqual(['audit-enter', 'audit-exit']);
    expect(ctx.audit.exited[0]?.error).toEqual(expected.ok ? undefined : expected.error);
  });

  test('after the gate refused, which skips everything between', async () => {
    const ctx = testContext({
      gate: (tool, caller) => ({ allowed: false, reason: `${tool} not for ${caller.id}` }),
    });
    register(ctx, () => 'never');
    const error = { code: 'TOOL_LOCKED', message: 'echo not for library' };
    expect(await callTool(ctx, 'echo', { text: 7 })).toEqual({ ok: false, error });
    expect(ctx.audit.seen).toEqual(['audit-exit']);
    expect(ctx.audit.exited[0]?.error).toEqual(error);
  });

  test('after a gate that throws, and the tool stays shut', async () => {
    const ctx = testContext({
      gate: () => {
        throw new ColibriError('CONFIG_INVALID', 'the policy cannot be read');
      },
    });
    register(ctx, () => 'never');
    const error = { code: 'CONFIG_INVALID', message: 'the policy cannot be read' };
    expect(await callTool(ctx, 'echo')).toEqual({ ok: false, error });
    expect(ctx.audit.seen).toEqual(['audit-exit']);
  });

  test('after a caller who cannot be identified, under the name of the door', async () => {
    const ctx = testContext({
      identify: () => {
        throw new Error('no such session');
      },
    });
    register(ctx, () => 'never');
    const error = { code: 'HANDLER_ERROR', message: 'no such session' };
    expect(await callTool(ctx, 'echo')).toEqual({ ok: false, error });
    expect(ctx.audit.exited).toEqual([
      { callId: FIRST_ID, tool: 'echo', caller: CALLER, at: FIXED_TIME, durationMs: 0, error },
    ]);
  });

  test('after a schema that throws instead of answering', async () => {
    const ctx = testContext();
    const inputSchema = z.object({}).refine(() => {
      throw new Error('bad rule');
    });
    registerColibriTool(ctx, 'odd', { title: 'o', description: 'o', inputSchema }, () => 'never');
    expect(await callTool(ctx, 'odd')).toEqual({
      ok: false,
      error: { code: 'HANDLER_ERROR', message: 'bad rule' },
    });
    expect(ctx.audit.seen).toEqual(['audit-exit']);
  });
});

describe('a call that cannot be recorded gives no answer', () => {
  const failures: [string, () => never | Promise<never>][] = [
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ];
  const error = { code: 'AUDIT_FAILED', message: 'the call could not be recorded: disk full' };

  test.each(failures)('enter %s: the handler never runs', async (_, fail) => {
    const ctx = testContext({ audit: spySink({ enter: fail }) });
    let dispatched = false;
    register(ctx, () => {
      dispatched = true;
    });
    expect(await callTool(ctx, 'echo')).toEqual({ ok: false, error });
    expect(dispatched).toBe(false);
    expect(ctx.audit.seen).toEqual(['audit-enter', 'audit-exit']);
    expect(ctx.audit.exited[0]?.error).toEqual(error);
    expect(ctx.lines).toEqual(['[colibri] audit failed: echo: disk full']);
  });

  test.each(failures)('exit %s: the result is withheld', async (_, fail) => {
    const ctx = testContext({ audit: spySink({ exit: fail }) });
    register(ctx, () => 'secret result');
    const envelope = await callTool(ctx, 'echo');
    expect(envelope).toEqual({ ok: false, error });
    expect(JSON.stringify(envelope)).not.toContain('secret');
    expect(ctx.lines).toEqual(['[colibri] audit failed: echo: disk full']);
  });

  test('a failed record does not lock the tool for the next call', async () => {
    let full = true;
    const ctx = testContext({
      audit: spySink({
        exit: () => {
          if (full) throw new Error('disk full');
        },
      }),
    });
    register(ctx, () => 'fine');
    expect(await callTool(ctx, 'echo')).toEqual({ ok: false, error });
    full = false;
    expect(await callTool(ctx, 'echo')).toEqual({ ok: true, data: 'fine' });
  });
});

/** A tool that stays inside its handler until the test lets it go, and says how many are inside. */
function slowTool(ctx: ColibriServerContext, options: { name: string; lock?: 'tool' | 'session' }) {
  const gate = latch();
  const inside: string[] = [];
  register(
    ctx,
    async ({ text = '' }) => {
      inside.push(text);
      await gate.promise;
      return text;
    },
    options,
  );
  return { inside, release: gate.open };
}

describe('the tool-lock', () => {
  test('two calls of one tool run one after the other', async () => {
    const ctx = testContext();
    const tool = slowTool(ctx, { name: 'slow_one' });
    const calls = [callTool(ctx, 'slow_one', { text: 'a' }), callTool(ctx, 'slow_one', { text: 'b' })];
    await turn();
    expect(tool.inside).toEqual(['a']);
    tool.release();
    expect(await Promise.all(calls)).toEqual([
      { ok: true, data: 'a' },
      { ok: true, data: 'b' },
    ]);
    expect(tool.inside).toEqual(['a', 'b']);
    expect(ctx.audit.seen).toEqual(['audit-enter', 'audit-exit', 'audit-enter', 'audit-exit']);
  });

  test('the lock is one for the process: two contexts share it', async () => {
    const [first, second] = [testContext(), testContext()];
    const one = slowTool(first, { name: 'slow_shared' });
    const two = slowTool(second, { name: 'slow_shared' });
    const calls = [callTool(first, 'slow_shared'), callTool(second, 'slow_shared')];
    await turn();
    expect([one.inside, two.inside]).toEqual([[''], []]);
    two.release();
    one.release();
    await Promise.all(calls);
    expect(two.inside).toEqual(['']);
  });

  test('calls of two different tools run side by side', async () => {
    const ctx = testContext();
    const slow = slowTool(ctx, { name: 'slow_two' });
    register(ctx, () => 'quick', { name: 'quick' });
    const waiting = callTool(ctx, 'slow_two');
    expect(await callTool(ctx, 'quick')).toEqual({ ok: true, data: 'quick' });
    slow.release();
    await waiting;
  });

  test('with lock: session only calls of one session wait for each other', async () => {
    const ctx = testContext({
      identify: (request) => ({ id: 'agent', sessionId: request.toolUseId ?? null, agentTier: null }),
    });
    const tool = slowTool(ctx, { name: 'slow_session', lock: 'session' });
    const call = (session: string, text: string) =>
      callTool(ctx, 'slow_session', { text }, { door: 'library', toolUseId: session });
    const calls = [call('s1', 's1 first'), call('s1', 's1 second'), call('s2', 's2 first')];
    await turn();
    expect(tool.inside).toEqual(['s1 first', 's2 first']);
    tool.release();
    await Promise.all(calls);
    expect(tool.inside).toEqual(['s1 first', 's2 first', 's1 second']);
  });

  test('with lock: session and no session the callers wait for each other by their id', async () => {
    const ctx = testContext();
    const tool = slowTool(ctx, { name: 'slow_nobody', lock: 'session' });
    const calls = [
      callTool(ctx, 'slow_nobody', { text: 'a' }),
      callTool(ctx, 'slow_nobody', { text: 'b' }),
      callTool(ctx, 'slow_nobody', { text: 'c' }, { door: 'cli' }),
    ];
    await turn();
    expect(tool.inside).toEqual(['a', 'c']);
    tool.release();
    await Promise.all(calls);
  });

  test('a locked call is refused at once, also while another one runs', async () => {
    const ctx = testContext({
      gate: (_, caller) => (caller.id === 'cli' ? { allowed: false, reason: 'not you' } : { allowed: true }),
    });
    const slow = slowTool(ctx, { name: 'slow_gated' });
    const running = callTool(ctx, 'slow_gated');
    await turn();
    expect(await callTool(ctx, 'slow_gated', {}, { door: 'cli' })).toEqual({
      ok: false,
      error: { code: 'TOOL_LOCKED', message: 'not you' },
    });
    expect(slow.inside).toEqual(['']);
    slow.release();
    await running;
  });

  test('a record that is slow to be safe delays its own answer, not the next call', async () => {
    const safe = latch();
    let exits = 0;
    const ctx = testContext({ audit: spySink({ exit: () => (exits++ === 0 ? safe.promise : undefined) }) });
    register(ctx, ({ text }) => text, { name: 'recorded' });
    let answered = false;
    const first = callTool(ctx, 'recorded', { text: 'a' }).then((envelope) => {
      answered = true;
      return envelope;
    });
    expect(await callTool(ctx, 'recorded', { text: 'b' })).toEqual({ ok: true, data: 'b' });
    expect(answered).toBe(false);
    safe.open();
    expect(await first).toEqual({ ok: true, data: 'a' });
  });
});

describe('registration', () => {
  test.each(['a', 'skill_list', 'x9_', 'a__b'])('%s is a tool name', (name) => {
    const ctx = testContext();
    register(ctx, () => null, { name });
    expect([...ctx.tools.keys()]).toEqual([name]);
  });

  test.each(['', 'Skill', 'skill-list', '9a', '_a', 'a b', 'ä', 'a\n'])('%j is refused', (name) => {
    const ctx = testContext();
    expect(() => register(ctx, () => null, { name })).toThrow(
      `tool name must match ^[a-z][a-z0-9_]*$: ${name}`,
    );
    expect([...ctx.tools.keys()]).toEqual([]);
  });

  test('a second tool of the same name is refused and the first one stays', async () => {
    const ctx = testContext();
    register(ctx, () => 'first');
    expect(() => register(ctx, () => 'second')).toThrow(new Error('tool already registered: echo'));
    expect(await callTool(ctx, 'echo')).toEqual({ ok: true, data: 'first' });
  });

  test('a door finds title, description and the input as JSON Schema', () => {
    const ctx = testContext();
    const annotations = { readOnlyHint: true };
    registerColibriTool(
      ctx,
      'echo',
      { title: 'Echo', description: 'says it again', inputSchema: echoInput, annotations },
      () => null,
    );
    const tool = ctx.tools.get('echo');
    expect({ ...tool, inputJsonSchema: tool?.inputJsonSchema(), call: null }).toEqual({
      name: 'echo',
      audience: 'agents',
      title: 'Echo',
      description: 'says it again',
      annotations,
      inputJsonSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { text: { type: 'string' } },
      },
      call: null,
    });
  });
});
