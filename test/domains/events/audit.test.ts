import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { type ColibriDatabase, openDatabase } from '../../../src/db/database.ts';
import {
  type AuditRepository,
  type AuditRow,
  type AuditSchema,
  createAuditRepository,
} from '../../../src/domains/events/audit-repository.ts';
import { createAuditSink } from '../../../src/domains/events/audit-service.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createIds } from '../../../src/lib/ids.ts';
import type { AuditExit } from '../../../src/server.ts';
import { FIXED_ISO, FIXED_TIME } from '../../support/fixed-clock.ts';
import { latch } from '../../support/latch.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

interface Opened {
  readonly db: ColibriDatabase;
  readonly repository: AuditRepository;
  /** How many rows each INSERT carried. */
  readonly batches: number[];
}

async function open(): Promise<Opened> {
  const db = openDatabase(path.join(temporaryDirectory(), 'colibri.db'));
  onTestFinished(() => db.close());
  const inner = createAuditRepository(await db.records<AuditSchema>());
  const batches: number[] = [];
  const append = (rows: readonly AuditRow[]) => {
    batches.push(rows.length);
    return inner.append(rows);
  };
  return { db, repository: { ...inner, append }, batches };
}

const ids = createIds(systemClock);

function exitOf(tool: string, more: Partial<AuditExit> = {}): AuditExit {
  return {
    callId: ids.ulid(),
    tool,
    caller: { id: 'stdio', sessionId: 's1', agentTier: 'T3' },
    at: FIXED_TIME,
    durationMs: 1.5,
    ...more,
  };
}

function countRows(db: ColibriDatabase): unknown {
  return db.handle.prepare('SELECT count(*) FROM audit_log').pluck().get();
}

describe('the audit sink', () => {
  test('writes one row per call: who, what, when, how long and how it ended', async () => {
    const { db, repository } = await open();
    const sink = createAuditSink(repository, db.write);
    const good = exitOf('skill_list', { result: { secret: 'body' } });
    const bad = exitOf('skill_list', { error: { code: 'TOOL_LOCKED', message: 'no' } });
    await sink.exit(good);
    await sink.exit(bad);
    const row = {
      at: FIXED_ISO,
      actor: 'stdio',
      action: 'tool.call',
      subject: 'skill_list',
      duration_ms: 1.5,
      detail: '{"session_id":"s1","agent_tier":"T3"}',
    };
    expect(await repository.latest(10)).toEqual([
      { ...row, id: bad.callId, outcome: 'TOOL_LOCKED' },
      { ...row, id: good.callId, outcome: 'ok' },
    ]);
    expect(await repository.latest(1)).toHaveLength(1);
  });

  test('a row is in the file when exit has settled, not before', async () => {
    const { db, repository } = await open();
    const sink = createAuditSink(repository, db.write);
    const held = latch();
    const busy = db.write(() => held.promise);
    let settled = false;
    const recorded = Promise.resolve(sink.exit(exitOf('a'))).then(() => {
      settled = true;
    });
    await new Promise(setImmediate);
    expect([settled, countRows(db)]).toEqual([false, 0]);
    held.open();
    await Promise.all([busy, recorded]);
    expect(countRows(db)).toBe(1);
  });

  test('calls that end while a commit is under way share the next one', async () => {
    const { db, repository, batches } = await open();
    const sink = createAuditSink(repository, db.write);
    const held = latch();
    const busy = db.write(() => held.promise);
    const recorded = Array.from({ length: 20 }, () => sink.exit(exitOf('a')));
    held.open();
    await Promise.all([busy, ...recorded]);
    await sink.exit(exitOf('b'));
    expect(batches).toEqual([20, 1]);
    expect(countRows(db)).toBe(21);
  });

  test('a crowd larger than one INSERT may hold is split and nobody is lost', async () => {
    const { db, repository, batches } = await open();
    const sink = createAuditSink(repository, db.write);
    await Promise.all(Array.from({ length: 1_201 }, () => sink.exit(exitOf('a'))));
    expect(countRows(db)).toBe(1_201);
    expect(batches).toEqual([500, 500, 201]);
  });

  test('a commit that fails is told to everyone in it and to nobody after it', async () => {
    const { db, repository } = await open();
    let broken = true;
    const append = (rows: readonly AuditRow[]) =>
      broken ? Promise.reject(new Error('disk full')) : repository.append(rows);
    const sink = createAuditSink({ ...repository, append }, db.write);
    const outcomes = await Promise.allSettled([sink.exit(exitOf('a')), sink.exit(exitOf('b'))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    await sink.exit(exitOf('c'));
    expect((await repository.latest(10)).map(({ subject }) => subject)).toEqual(['c']);
  });

  test('after the database was closed, exit fails instead of hanging', async () => {
    const { db, repository } = await open();
    const sink = createAuditSink(repository, db.write);
    await db.close();
    await expect(Promise.resolve(sink.exit(exitOf('a')))).rejects.toMatchObject({ code: 'DB_CLOSED' });
    await expect(Promise.resolve(sink.exit(exitOf('b')))).rejects.toMatchObject({ code: 'DB_CLOSED' });
  });
});

describe('the audit log', () => {
  test('refuses to change or delete a row', async () => {
    const { db, repository } = await open();
    await createAuditSink(repository, db.write).exit(exitOf('a'));
    expect(() => db.handle.exec("UPDATE audit_log SET outcome = 'ok'")).toThrow('append-only');
    expect(() => db.handle.exec('DELETE FROM audit_log')).toThrow('append-only');
    expect(countRows(db)).toBe(1);
  });

  test('refuses a second row of the same id', async () => {
    const { db, repository } = await open();
    const sink = createAuditSink(repository, db.write);
    const exit = exitOf('a');
    await sink.exit(exit);
    await expect(Promise.resolve(sink.exit(exit))).rejects.toThrow('UNIQUE');
  });
});
