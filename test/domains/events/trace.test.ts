/** Calls inside a session leave their inputs and outcomes, durably, before anybody sees the answer. */
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { type ColibriDatabase, openDatabase } from '../../../src/db/database.ts';
import { canonicalJson } from '../../../src/domains/events/chain.ts';
import { checkPayload, type EventDraft } from '../../../src/domains/events/schema.ts';
import { createEventsService, type EventsService } from '../../../src/domains/events/service.ts';
import { createToolTrace, toolOutput } from '../../../src/domains/events/trace-service.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createIds } from '../../../src/lib/ids.ts';
import type { AuditEnter, AuditExit, AuditSink } from '../../../src/server.ts';
import { req } from '../../requirements.ts';
import { latch } from '../../support/latch.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { codeOf, payloadOf, testSessions, textOf } from '../sessions/harness.ts';

const ids = createIds(systemClock);

interface Opened {
  readonly db: ColibriDatabase;
  readonly events: EventsService;
  readonly trace: AuditSink;
  /** How many transactions were begun. */
  commits(): number;
  /** What the next transactions do instead of running; undefined: run. */
  fail(error: Error | undefined): void;
}

async function open(): Promise<Opened> {
  const inner = openDatabase(path.join(temporaryDirectory(), 'colibri.db'));
  onTestFinished(() => inner.close());
  let commits = 0;
  let failure: Error | undefined;
  const db: ColibriDatabase = {
    ...inner,
    transact(work) {
      commits++;
      return failure === undefined ? inner.transact(work) : inner.write(() => Promise.reject(failure));
    },
  };
  const events = createEventsService(inner, { clock: systemClock, ids });
  inner.handle.exec(
    `INSERT INTO sessions VALUES ('s', '2026-01-01', NULL, 0, 'T3', NULL, '{}'), ('t', '2026-01-01', NULL, 0, 'T3', NULL, '{}')`,
  );
  const trace = createToolTrace({ db, events });
  return {
    db,
    events,
    trace,
    commits: () => commits,
    fail: (error) => {
      failure = error;
    },
  };
}

function call(session = 's', more: Partial<AuditExit> = {}): AuditEnter & AuditExit {
  const caller = { id: 'robin', sessionId: session, agentTier: 'T3' };
  return {
    callId: ids.ulid(),
    tool: 'skill_load',
    caller,
    at: 0,
    input: { name: 'x' },
    durationMs: 1,
    ...more,
  };
}

/** An event that a tool records itself. */
function closed(parentId: string): EventDraft {
  const of = { stream: 'session:s', actor: 'robin', parentId } as const;
  return { ...of, type: 'session.closed', sensitivity: 'pseudonymous', payload: { loads: 0, tokens: 0 } };
}

async function both({ trace }: Opened, made: AuditEnter & AuditExit): Promise<void> {
  await trace.enter(made);
  await trace.exit(made);
}

describe('the trace', () => {
  test('the beginning has the id of the call, and what follows from it points there', async () => {
    const opened = await open();
    const good = call('s', { result: { a: 1 }, text: 'text' });
    const bad = call('s', { error: { code: 'SKILL_NOT_FOUND', message: 'none' } });
    await both(opened, good);
    await both(opened, bad);
    const rows = await opened.events.ofSession('s');
    expect(
      rows.map(({ type, parent_id, sensitivity, actor }) => [type, parent_id, sensitivity, actor]),
    ).toEqual([
      ['tool.started', null, 'private', 'robin'],
      ['tool.finished', good.callId, 'pseudonymous', 'robin'],
      ['tool.started', null, 'private', 'robin'],
      ['tool.failed', bad.callId, 'pseudonymous', 'robin'],
    ]);
    expect([rows[0]?.id, rows[2]?.id]).toEqual([good.callId, bad.callId]);
    const output = toolOutput({ a: 1 }, 'text');
    expect(rows.map(payloadOf)).toEqual([
      { call_id: good.callId, tool: 'skill_load', input: { name: 'x' } },
      { call_id: good.callId, tool: 'skill_load', duration_ms: 1, result_digest: output.digest },
      { call_id: bad.callId, tool: 'skill_load', input: { name: 'x' } },
      { call_id: bad.callId, tool: 'skill_load', duration_ms: 1, code: 'SKILL_NOT_FOUND', message: 'none' },
    ]);
    expect(Buffer.from((await opened.events.artifact(output.digest)) ?? []).toString()).toBe(
      '{"data":{"a":1},"text":"text"}',
    );
  });

  test('what a call leaves has the shape of its kind and is canonical JSON, whatever went in and came out', async () => {
    const opened = await open();
    const input = { z: 'a "quoted" \\ name\n\u2028é', a: [{ y: 1, b: null }], 'ä"': true };
    await both(opened, { ...call('s', { result: input }), input });
    await both(opened, { ...call(), input: { text: 'x'.repeat(70_000) } });
    await both(opened, call('s', { error: { code: 'HANDLER_ERROR', message: 'no "\n' } }));
    const rows = await opened.events.read();
    expect(rows.map(({ type }) => type.slice('tool.'.length))).toEqual([
      ...['started', 'finished', 'started', 'finished', 'started', 'failed'],
    ]);
    expect(JSON.parse(rows[0]?.payload ?? '')).toMatchObject({ input });
    for (const { type, payload } of rows) {
      const read = JSON.parse(payload);
      expect(() => checkPayload({ type, payload: read } as EventDraft)).not.toThrow();
      expect(canonicalJson(read)).toBe(payload);
    }
  });

  test('an event whose id is taken takes all of its transaction with it, and the next one is sound', async () => {
    const { db, events } = await open();
    const twice = { ...closed('p'), id: ids.ulid() };
    const note = { actor: 'robin', action: 'test', subject: 's', outcome: 'ok', detail: null };
    const failing = db.transact(async (transaction) => {
      await events.audit(transaction, note);
      await events.append(transaction, [closed('p'), twice, twice]);
    });
    await expect(failing).rejects.toThrow(/UNIQUE/);
    expect(db.handle.prepare('SELECT count(*) FROM audit_log').pluck().get()).toBe(0);
    await db.transact((transaction) => events.append(transaction, [twice]));
    expect(await events.verify()).toEqual({ events: 1, broken: null });
  });

  test('many calls at the same time share few commits, and none is lost', async () => {
    const opened = await open();
    const calls = Array.from({ length: 200 }, (_, index) => call(index % 2 === 0 ? 's' : 't'));
    await Promise.all(calls.map((one) => both(opened, one)));
    expect(opened.commits()).toBeLessThanOrEqual(4);
    expect((await opened.events.read()).length).toBe(400);
    expect(await opened.events.verify()).toEqual({ events: 400, broken: null });
  });

  test('calls that record nothing themselves share one commit, their beginnings included', async () => {
    const opened = await open();
    const calls = Array.from({ length: 20 }, () => ({ ...call(), start: 'with-end' as const }));
    await Promise.all(calls.map((one) => both(opened, one)));
    expect(opened.commits()).toBe(1);
    const order = (await opened.events.read()).map(({ type, id, parent_id }) => [type, parent_id ?? id]);
    for (const { callId } of calls) {
      expect(order.filter(([, of]) => of === callId)).toEqual([
        ['tool.started', callId],
        ['tool.finished', callId],
      ]);
    }
  });

  test('the beginning of any other call stands before what is written after it was told', async () => {
    const opened = await open();
    const made = call();
    await opened.trace.enter(made);
    await opened.db.transact((transaction) => opened.events.append(transaction, [closed(made.callId)]));
    await opened.trace.exit(made);
    expect((await opened.events.read()).map(({ type }) => type)).toEqual([
      'tool.started',
      'session.closed',
      'tool.finished',
    ]);
  });

  test('an exit settles when its events are in the file, not before', async () => {
    const opened = await open();
    const held = latch();
    const busy = opened.db.write(() => held.promise);
    let settled = false;
    const recorded = both(opened, call()).then(() => {
      settled = true;
    });
    await new Promise(setImmediate);
    expect([settled, (await opened.events.read()).length]).toEqual([false, 0]);
    held.open();
    await Promise.all([busy, recorded]);
    expect(await opened.events.read()).toHaveLength(2);
  });

  test('a commit that cannot even begin is told to those who wait for it, and the next one is tried anew', async () => {
    const opened = await open();
    opened.fail(new Error('busy'));
    const outcomes = await Promise.allSettled([both(opened, call()), both(opened, call())]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    opened.fail(undefined);
    const later = call();
    await both(opened, later);
    expect((await opened.events.read()).map(({ id, parent_id }) => parent_id ?? id)).toEqual([
      later.callId,
      later.callId,
    ]);
  });

  test('a commit that fails half way leaves nothing and harms nobody after it', async () => {
    const opened = await open();
    const first = call();
    await both(opened, first);
    // The same call again breaks the rule that ids are unique.
    await expect(both(opened, first)).rejects.toThrow('UNIQUE');
    await both(opened, call());
    expect(await opened.events.verify()).toEqual({ events: 4, broken: null });
  });

  test('inputs and answers that are too large are kept by their digest alone', async () => {
    const opened = await open();
    const input = { query: 'q'.repeat(70_000) };
    const text = 't'.repeat(1024 * 1024);
    await both(opened, { ...call('s', { result: {}, text }), input });
    const [started, finished] = (await opened.events.ofSession('s')).map(payloadOf);
    expect(started?.['input']).toEqual({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(finished?.['result_digest']).toBe(toolOutput({}, text).digest);
    expect(await opened.events.artifactsOf('s')).toEqual([]);
  });
});

describe('an answer that cannot be recorded', () => {
  test(req('M-event-4', 'is withheld, and the session can go on afterwards'), async () => {
    let broken = false;
    const {
      open: openSession,
      skill,
      reload,
    } = await testSessions({
      openDatabase: (file, options) => {
        const db = openDatabase(file, options);
        const transact: ColibriDatabase['transact'] = (work) =>
          db.transact(async (transaction) => {
            if (broken) throw new Error('disk full');
            return work(transaction);
          });
        return { ...db, transact };
      },
    });
    skill('one', { body: 'The body.' });
    await reload();
    const session = await openSession();
    broken = true;
    const answer = await session.call('skill_search', { query: 'one' });
    expect(textOf(answer)).toBe('AUDIT_FAILED: the call could not be recorded: disk full');
    expect(JSON.stringify(await session.load('one'))).not.toContain('The body.');
    broken = false;
    expect(codeOf(await session.call('skill_search', { query: 'one' }))).toBe('ok');
    expect(textOf(await session.load('one'))).toContain('The body.');
  });
});
