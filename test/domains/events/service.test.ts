/** The event log as a whole: one sequence, a chain per stream, durable reading, live following, verifying. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { type ColibriDatabase, openDatabase } from '../../../src/db/database.ts';
import { eventHash } from '../../../src/domains/events/chain.ts';
import { createEventLog } from '../../../src/domains/events/log-repository.ts';
import { EVENTS_PAGE } from '../../../src/domains/events/repository.ts';
import {
  checkPayload,
  EVENT_TYPES,
  type EventDraft,
  type EventRow,
  redact,
} from '../../../src/domains/events/schema.ts';
import { createEventsService, type EventsService } from '../../../src/domains/events/service.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createIds } from '../../../src/lib/ids.ts';
import { req } from '../../requirements.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const WRITER = fileURLToPath(new URL('./event-writer.ts', import.meta.url));
const parts = { clock: systemClock, ids: createIds(systemClock) };

interface Opened {
  readonly db: ColibriDatabase;
  readonly events: EventsService;
  readonly file: string;
}

function open(): Opened {
  const file = path.join(temporaryDirectory(), 'colibri.db');
  const db = openDatabase(file);
  onTestFinished(() => db.close());
  return { db, file, events: createEventsService(db, parts) };
}

function draft(reason: string, stream = 'catalog'): EventDraft {
  return {
    type: 'skill.warning',
    stream,
    actor: 'test',
    sensitivity: 'private',
    payload: { kind: 'scan-aborted', detail: { root: 'r', reason } },
  };
}

function append({ db, events }: Opened, ...drafts: EventDraft[]): Promise<readonly EventRow[]> {
  return db.transact((transaction) => events.append(transaction, drafts));
}

/** As somebody would who has the file and no respect. */
function behindOurBack({ db }: Opened, sql: string): void {
  db.handle.exec(`DROP TRIGGER IF EXISTS events_no_update; DROP TRIGGER IF EXISTS events_no_delete; ${sql}`);
}

describe('appending', () => {
  test('synchronous and asynchronous writers share one sequence without gaps, and each stream its chain', async () => {
    const opened = open();
    const log = createEventLog(opened.db.handle, { ...parts, check: checkPayload });
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 3 === 0
          ? opened.db.write(() => log.appendAlone([draft(`sync ${index}`), draft('s', 'session:1')]))
          : append(opened, draft(`async ${index}`, `session:${index % 4}`), draft('a')),
      ),
    );
    const rows = await opened.events.read();
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(120);
    expect(await opened.events.verify()).toEqual({ events: 120, broken: null });
  });

  test('a transaction that fails leaves nothing, and no gap', async () => {
    const opened = open();
    await append(opened, draft('a'));
    const failing = opened.db.transact(async (transaction) => {
      await opened.events.append(transaction, [draft('b')]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const [row] = await append(opened, draft('c'));
    expect(row?.seq).toBe(2);
    expect(await opened.events.verify()).toEqual({ events: 2, broken: null });
  });

  test(req('M-event-3', 'a payload that does not fit its type is refused, for every type'), async () => {
    const opened = open();
    for (const type of EVENT_TYPES) {
      const wrong = { type, payload: { nonsense: true } } as unknown as EventDraft;
      expect(() => checkPayload(wrong), type).toThrow();
    }
    const extra = draft('a');
    const payload = { ...extra.payload, body: 'secret' };
    await expect(append(opened, { ...extra, payload } as EventDraft)).rejects.toThrow();
    expect(await opened.events.read()).toEqual([]);
  });
});

describe('verifying', () => {
  const forge = (seq: number) =>
    `INSERT INTO events SELECT ${seq}, 'forged', stream, session_id, type, at, actor, parent_id, payload, sensitivity, hash, 'abc' FROM events WHERE seq = 2`;

  test.each([
    [
      'a changed payload',
      `UPDATE events SET payload = '{}' WHERE seq = 3`,
      { seq: 3, problem: /does not match its hash/ },
    ],
    [
      'a changed actor',
      `UPDATE events SET actor = 'x' WHERE seq = 1`,
      { seq: 1, problem: /does not match its hash/ },
    ],
    [
      'a changed hash',
      `UPDATE events SET hash = 'x' WHERE seq = 3`,
      { seq: 3, problem: /does not match its hash/ },
    ],
    ['a removed row', 'DELETE FROM events WHERE seq = 2', { seq: 3, problem: /^event 2 is missing$/ }],
    ['a removed first row', 'DELETE FROM events WHERE seq = 1', { seq: 2, problem: /^event 1 is missing$/ }],
    [
      'removed last rows',
      'DELETE FROM events WHERE seq >= 4',
      { seq: 5, problem: /^events 4 to 5 are missing$/ },
    ],
    ['everything removed', 'DELETE FROM events', { seq: 5, problem: /^events 1 to 5 are missing$/ }],
    ['a row slipped in at the end', forge(6), { seq: 6, problem: /does not follow|does not match/ }],
    ['a row slipped in before the first', forge(0), { seq: 0, problem: /^event 1 is missing$/ }],
    ['a row slipped in below zero', forge(-7), { seq: -7, problem: /^event 1 is missing$/ }],
    [
      'two rows that changed places',
      'UPDATE events SET seq = -1 WHERE seq = 2; UPDATE events SET seq = 2 WHERE seq = 4; UPDATE events SET seq = 4 WHERE seq = -1',
      { seq: 2, problem: /does not/ },
    ],
    [
      'a row moved to another stream',
      `UPDATE events SET stream = 'task:1' WHERE seq = 2`,
      { seq: 2, problem: /does not/ },
    ],
  ])('finds %s and says where', async (_, sql, { seq, problem }) => {
    const opened = open();
    await append(opened, ...['a', 'b', 'c', 'd', 'e'].map((reason) => draft(reason)));
    expect(await opened.events.verify()).toEqual({ events: 5, broken: null });
    behindOurBack(opened, sql);
    const { broken } = await opened.events.verify();
    expect(broken?.seq).toBe(seq);
    expect(broken?.problem).toMatch(problem);
  });

  test('an event that was rewritten together with its own hash is found by the one after it', async () => {
    const opened = open();
    await append(opened, ...['a', 'b', 'c'].map((reason) => draft(reason)));
    const [, second] = await opened.events.read();
    if (second === undefined) throw new Error('two were written');
    const { hash: _, ...facts } = { ...second, actor: 'somebody' };
    behindOurBack(opened, `UPDATE events SET actor = 'somebody', hash = '${eventHash(facts)}' WHERE seq = 2`);
    expect((await opened.events.verify()).broken).toEqual({
      seq: 3,
      stream: 'catalog',
      problem: 'it does not follow the event before it in its stream',
    });
  });

  test('a row added behind the back of the log is found even when its own hash is right', async () => {
    const opened = open();
    await append(opened, draft('a'));
    const [row] = await append(opened, draft('b'));
    behindOurBack(opened, `UPDATE event_head SET seq = 1, hash = '${row?.prev_hash}'`);
    expect((await opened.events.verify()).broken).toEqual({
      seq: 2,
      stream: 'catalog',
      problem: "it was added behind the log's back",
    });
  });

  test('goes through any number of pages', async () => {
    const opened = open();
    const many = EVENTS_PAGE * 2 + 3;
    await append(opened, ...Array.from({ length: many }, (_, index) => draft(String(index))));
    expect(await opened.events.verify()).toEqual({ events: many, broken: null });
    behindOurBack(opened, `UPDATE events SET at = 'x' WHERE seq = ${EVENTS_PAGE + 7}`);
    expect((await opened.events.verify()).broken?.seq).toBe(EVENTS_PAGE + 7);
  });
});

describe('reading', () => {
  test('by sequence, session, stream and type', async () => {
    const opened = open();
    await append(opened, draft('a'), draft('b', 'session:1'), draft('c'));
    const seqs = async (filter: Parameters<EventsService['read']>[0]) =>
      (await opened.events.read(filter)).map(({ seq }) => seq);
    expect(await seqs({ after: 1 })).toEqual([2, 3]);
    expect(await seqs({ after: 1, limit: 1 })).toEqual([2]);
    expect(await seqs({ session: '1' })).toEqual([2]);
    expect(await seqs({ stream: 'catalog' })).toEqual([1, 3]);
    expect(await seqs({ types: ['session.opened'] })).toEqual([]);
    expect(await seqs({ after: 3 })).toEqual([]);
  });

  test("a session's events are found by an index, not by looking at all", () => {
    const { db } = open();
    const plan = db.handle
      .prepare('EXPLAIN QUERY PLAN SELECT * FROM events WHERE stream = ? AND seq > ? ORDER BY seq')
      .all('session:x', 0);
    expect(JSON.stringify(plan)).toContain('idx_events_stream');
  });

  test('sensitivity decides what of an event is shown', () => {
    const row = (sensitivity: EventRow['sensitivity'], type = 'skill.loaded'): EventRow => ({
      seq: 1,
      id: 'i',
      stream: 's',
      session_id: null,
      type,
      at: '',
      actor: '',
      parent_id: null,
      payload: JSON.stringify({ name: 'n', path: '/home/me', frontmatter: { a: 1 }, warnings: ['w'] }),
      sensitivity,
      prev_hash: '',
      hash: '',
    });
    const levels = ['public', 'pseudonymous', 'private'] as const;
    const shown = levels.map((level) => levels.map((of) => redact(row(of), level) !== null));
    expect(shown).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
    expect(JSON.parse(redact(row('pseudonymous'), 'pseudonymous')?.payload ?? '')).toEqual({ name: 'n' });
    expect(redact(row('pseudonymous'), 'private')).toEqual(row('pseudonymous'));
    expect(redact(row('public', 'session.closed'), 'public')).toEqual(row('public', 'session.closed'));
  });
});

describe('following', () => {
  test('tells every event once and in order, from where it was asked to, until it is ended', async () => {
    const opened = open();
    await append(opened, draft('1'), draft('2'));
    const seen: number[] = [];
    const end = opened.events.follow({ after: 1 }, (rows) => seen.push(...rows.map(({ seq }) => seq)));
    for (let index = 0; index < 5; index++) {
      await append(opened, draft('x'), draft('y'));
      opened.events.wake();
    }
    await expect.poll(() => seen).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    end();
    await append(opened, draft('late'));
    opened.events.wake();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(seen.at(-1)).toBe(12);
  });

  test('hears what another process writes', async () => {
    const opened = open();
    const seen: EventRow[] = [];
    const end = opened.events.follow({}, (rows) => seen.push(...rows));
    onTestFinished(end);
    const child = fork(WRITER, [opened.file, '5'], { execArgv: ['--import', 'tsx'] });
    await append(opened, draft('ours'));
    opened.events.wake();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    await expect.poll(() => seen.length, { timeout: 5_000 }).toBe(6);
    expect(seen.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(seen.map(({ actor }) => actor))).toEqual(new Set(['test', 'other']));
    expect(await opened.events.verify()).toEqual({ events: 6, broken: null });
  });
});
