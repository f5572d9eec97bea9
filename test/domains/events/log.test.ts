import type Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { canonicalJson, eventHash } from '../../../src/domains/events/chain.ts';
import { createEventLog } from '../../../src/domains/events/log-repository.ts';
import type { EventDraft, EventRow } from '../../../src/domains/events/schema.ts';
import { checkPayload } from '../../../src/domains/events/schema.ts';
import { createIds } from '../../../src/lib/ids.ts';
import { FIXED_ISO, fixedClock } from '../../support/fixed-clock.ts';
import { openMemory } from '../../support/skill-index.ts';

function draft(reason: string, stream = 'catalog'): EventDraft {
  return {
    type: 'skill.warning',
    stream,
    actor: 'registry',
    sensitivity: 'private',
    payload: { kind: 'scan-aborted', detail: { root: '.agents/skills', reason } },
  };
}

function logOver(db: Database.Database): ReturnType<typeof createEventLog> {
  const clock = fixedClock();
  return createEventLog(db, { clock, ids: createIds(clock), check: checkPayload });
}

function rows(db: Database.Database): readonly EventRow[] {
  return db.prepare('SELECT * FROM events ORDER BY seq').all() as EventRow[];
}

/** The first event whose hash, or whose link to the one before it in its stream, is wrong. */
function firstBroken(events: readonly EventRow[]): number | null {
  const last = new Map<string, string>();
  for (const { hash, ...row } of events) {
    if (row.prev_hash !== (last.get(row.stream) ?? '') || eventHash(row) !== hash) return row.seq;
    last.set(row.stream, hash);
  }
  return null;
}

function changeBehindOurBack(db: Database.Database, sql: string): void {
  db.exec(`DROP TRIGGER events_no_update; DROP TRIGGER events_no_delete; ${sql}`);
}

test('events get one sequence without gaps, and each stream is a chain of its own', () => {
  const db = openMemory();
  const log = logOver(db);
  log.appendAlone([draft('a'), draft('b', 'session:1')]);
  log.appendAlone([draft('c'), draft('d', 'session:1')]);
  expect(rows(db).map(({ seq, stream, at }) => [seq, stream, at])).toEqual([
    [1, 'catalog', FIXED_ISO],
    [2, 'session:1', FIXED_ISO],
    [3, 'catalog', FIXED_ISO],
    [4, 'session:1', FIXED_ISO],
  ]);
  const [a, b, c, d] = rows(db);
  expect([a?.prev_hash, b?.prev_hash, c?.prev_hash, d?.prev_hash]).toEqual(['', '', a?.hash, b?.hash]);
  expect(firstBroken(rows(db))).toBeNull();
});

test.each([
  ['changed payload', `UPDATE events SET payload = replace(payload, 'b', 'x') WHERE seq = 2`, 2],
  ['changed actor', `UPDATE events SET actor = 'somebody' WHERE seq = 1`, 1],
  ['changed time', `UPDATE events SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 3`, 3],
  ['removed event', 'DELETE FROM events WHERE seq = 2', 3],
  ['event with another sequence', 'UPDATE events SET seq = 9 WHERE seq = 3', 9],
  ['lowered sensitivity', `UPDATE events SET sensitivity = 'public' WHERE seq = 2`, 2],
])('a %s shows', (_, sql, seq) => {
  const db = openMemory();
  logOver(db).appendAlone([draft('a'), draft('b'), draft('c')]);
  changeBehindOurBack(db, sql);
  expect(firstBroken(rows(db))).toBe(seq);
});

test('the table itself refuses a change', () => {
  const db = openMemory();
  logOver(db).appendAlone([draft('a')]);
  expect(() => db.exec(`UPDATE events SET actor = 'x'`)).toThrow('append-only');
  expect(() => db.exec('DELETE FROM events')).toThrow('append-only');
});

test('outside of a transaction nothing is appended', () => {
  const db = openMemory();
  expect(() => logOver(db).append([draft('a')])).toThrow('inside a transaction');
  expect(rows(db)).toEqual([]);
});

test('a payload that does not fit its type is refused, and the whole transaction with it', () => {
  const db = openMemory();
  const wrong = { ...draft('a'), payload: { kind: 'scan-aborted' } } as unknown as EventDraft;
  expect(() => logOver(db).appendAlone([draft('a'), wrong])).toThrow();
  expect(rows(db)).toEqual([]);
});

test('canonical JSON does not depend on the order of keys', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined, A: true })).toBe(
    '{"A":true,"b":[1,{"c":"x","d":null}]}',
  );
});
