import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { openDatabase } from '../../../src/db/database.ts';
import { createEventsService } from '../../../src/domains/events/service.ts';
import { sha256Hex } from '../../../src/lib/digest.ts';
import { createIds } from '../../../src/lib/ids.ts';
import { FIXED_ISO, fixedClock } from '../../support/fixed-clock.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

function open() {
  const db = openDatabase(path.join(temporaryDirectory(), 'colibri.db'));
  onTestFinished(() => db.close());
  const clock = fixedClock();
  const events = createEventsService(db, { clock, ids: createIds(clock) });
  for (const id of ['a', 'b']) {
    db.handle.prepare(`INSERT INTO sessions VALUES (?, '2026-01-01', NULL, 0, 'T3', NULL, '{}')`).run(id);
  }
  const store = (session: string, ...contents: string[]) =>
    db.transact((transaction) =>
      events.storeArtifacts(
        transaction,
        session,
        contents.map((content) => ({ digest: sha256Hex(content), bytes: Buffer.from(content) })),
      ),
    );
  return { db, events, store };
}

test('content is stored once, under its digest, however often and by whomever it is used', async () => {
  const { db, events, store } = open();
  await store('a', 'one', 'two', 'one');
  await store('a', 'one');
  await store('b', 'one');
  expect(
    db.handle.prepare('SELECT digest, size, created_at FROM artifacts ORDER BY size, digest').all(),
  ).toEqual(
    ['one', 'two']
      .map((content) => ({ digest: sha256Hex(content), size: 3, created_at: FIXED_ISO }))
      .sort((x, y) => (x.digest < y.digest ? -1 : 1)),
  );
  const of = async (session: string) =>
    (await events.artifactsOf(session)).map(({ bytes }) => Buffer.from(bytes).toString()).sort();
  expect([await of('a'), await of('b')]).toEqual([['one', 'two'], ['one']]);
  expect(Buffer.from((await events.artifact(sha256Hex('two'))) ?? []).toString()).toBe('two');
  expect(await events.artifact('nothing')).toBeNull();
});

test('it is collected when the last reference is gone, and not before', async () => {
  const { db, events, store } = open();
  await store('a', 'shared', 'mine');
  await store('b', 'shared');
  expect(await events.collectArtifacts()).toBe(0);
  db.handle.exec("DELETE FROM artifact_refs WHERE session_id = 'a'");
  expect(await events.collectArtifacts()).toBe(1);
  expect(await events.artifact(sha256Hex('mine'))).toBeNull();
  expect(await events.artifact(sha256Hex('shared'))).not.toBeNull();
  db.handle.exec('DELETE FROM artifact_refs');
  expect(await events.collectArtifacts()).toBe(1);
  expect(db.handle.prepare('SELECT count(*) FROM artifacts').pluck().get()).toBe(0);
});

test('inside a transaction content is found through it', async () => {
  const { db, events, store } = open();
  await store('a', 'one');
  const found = await db.transact((transaction) => events.artifact(sha256Hex('one'), transaction));
  expect(Buffer.from(found ?? []).toString()).toBe('one');
});
