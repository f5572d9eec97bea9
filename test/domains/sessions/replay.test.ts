import { fork } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { firstDifference, firstDifferentLine } from '../../../src/domains/sessions/replay.ts';
import { req } from '../../requirements.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import {
  bodyOf,
  codeOf,
  dataOf,
  payloadOf,
  type TestSession,
  type TestSessions,
  testSession,
  testSessions,
  textOf,
} from './harness.ts';

const CUT_OFF = fileURLToPath(new URL('./cut-off-child.ts', import.meta.url));
const RECORDED = { live: false };

/** A session that searched, loaded, read, and failed in most of the ways there are. */
async function eventful(): Promise<TestSessions & { session: TestSession }> {
  const sessions = await testSessions();
  const { skill, file } = sessions;
  skill('alpha', { body: 'Alpha, line one.\nAlpha, line two.\n', lines: ['x-unknown: 1'] });
  file('alpha', 'references/guide.md', 'Guide.\n');
  file('alpha', 'other.md', 'Other.\n');
  skill('beta', { body: bodyOf(9_999) });
  skill('gamma', { body: bodyOf(25_000) });
  await sessions.reload();
  const session = await sessions.open();
  const answers = [
    await session.call('skill_search', { query: 'alpha' }),
    await session.call('skill_get', { name: 'alpha' }),
    await session.read('alpha', 'other.md'),
    await session.call('skill_load', { name: 'alpha' }, { toolUseId: 'toolu_7' }),
    await session.load('alpha'),
    await session.read('alpha', 'references/guide.md'),
    await session.read('alpha', '../beta/SKILL.md'),
    await session.load('beta'),
    await session.load('gamma'),
    await session.load('nobody'),
    await session.call('skill_load', { wrong: 1 }),
  ];
  file('alpha', 'other.md', 'Changed.\n');
  answers.push(await session.read('alpha', 'other.md'), await session.read('alpha', 'references/guide.md'));
  expect(answers.map(codeOf)).toEqual([
    'ok',
    'ok',
    'SKILL_NOT_LOADED',
    'ok',
    'ok',
    'ok',
    'PATH_OUTSIDE',
    'ok',
    'BUDGET_EXHAUSTED',
    'SKILL_NOT_FOUND',
    'INVALID_PARAMS',
    'FILE_CHANGED',
    'ok',
  ]);
  await sessions.runtime.sessions.close(session.id);
  return { ...sessions, session };
}

async function expectEqual(
  { runtime }: TestSessions,
  session: string,
  taken: readonly string[] = [],
): Promise<void> {
  const events = (await runtime.events.ofSession(session)).length;
  expect(await runtime.replay(session, RECORDED)).toEqual({
    session,
    mode: 'recorded',
    events,
    equal: true,
    difference: null,
    taken,
  });
}

describe('a session is replayed equal', () => {
  test(
    req(
      ['O-replay-2', 'O-replay-4'],
      'with all its failures, after its skills were edited, moved and deleted',
    ),
    async () => {
      const sessions = await eventful();
      const { session, root, skill, reload } = sessions;
      await expectEqual(sessions, session.id);
      skill('alpha', { description: 'Another.', body: 'Rewritten.' });
      renameSync(path.join(root, 'beta'), path.join(root, 'beta-moved'));
      rmSync(path.join(root, 'gamma'), { recursive: true });
      skill('nobody');
      await reload();
      await expectEqual(sessions, session.id);
      rmSync(root, { recursive: true });
      await reload();
      await expectEqual(sessions, session.id);
    },
  );

  test('in another process of another day, from the file alone', async () => {
    const dbPath = path.join(temporaryDirectory(), 'colibri.db');
    const first = await testSessions({
      dbPath,
      env: { COLIBRI_TRUST_WORKSPACE: '1' },
      before: (root) => void writeSkill(root, 'one', { body: 'Body.' }),
    });
    const session = await first.open({ preload: { floor: 1, ceiling: 1_000 } });
    await session.load('one');
    await first.runtime.close();
    const second = await testSessions({ dbPath });
    await expectEqual(second, session.id);
  });

  test('with preloaded bodies and a refresh', async () => {
    const sessions = await testSessions({ env: { COLIBRI_TRUST_WORKSPACE: '1' } });
    const { skill, reload, open, runtime } = sessions;
    skill('alpha', { body: bodyOf(100) });
    skill('beta', { body: 'Beta.' });
    await reload();
    const session = await open({ preload: { floor: 120, ceiling: 200 } });
    expect(await session.events('skill.loaded')).toHaveLength(1);
    await session.load('alpha');
    await session.load('beta');
    skill('alpha', { body: 'New alpha.' });
    skill('beta', { body: 'New beta.' });
    await reload();
    await runtime.sessions.refresh(session.id);
    await session.call('skill_search', { query: '' });
    await session.load('alpha');
    await session.load('beta');
    await session.load('beta');
    skill('alpha', { body: 'Later alpha.' });
    await reload();
    await expectEqual(sessions, session.id);
  });

  test('with files that changed between two loads of one name', async () => {
    const sessions = await testSessions();
    const { skill, file, reload, open, runtime } = sessions;
    skill('one', { body: 'First.' });
    file('one', 'a.md', 'a');
    await reload();
    const session = await open({ budget: { max_loads: 9 } });
    await session.load('one');
    await session.read('one', 'a.md');
    for (const body of ['Second.', 'First.']) {
      skill('one', { body });
      file('one', 'a.md', `a of ${body}`);
      await reload();
      await runtime.sessions.refresh(session.id);
      expect(codeOf(await session.read('one', 'a.md'))).toBe('FILE_CHANGED');
      await session.load('one');
      expect(textOf(await session.read('one', 'a.md'))).toBe(`a of ${body}`);
    }
    await expectEqual(sessions, session.id);
  });

  test(req('O-replay-4', 'when its calls overlapped, whichever came first'), async () => {
    const sessions = await testSessions();
    const { skill, file, reload, open } = sessions;
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      skill(name, { body: `Body of ${name}.` });
      file(name, 'f.md', name);
    }
    await reload();
    for (let round = 0; round < 5; round++) {
      const session = await open();
      const calls = ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [
        () => session.read(name, 'f.md'),
        () => session.load(name),
        () => session.read(name, 'f.md'),
        () => session.call('skill_search', { query: name }),
        () => session.load(name),
      ]);
      await Promise.all(calls.slice(round).map((make) => make()));
      await expectEqual(sessions, session.id);
    }
  });

  test('when it was closed under a call that was under way', async () => {
    const sessions = await testSessions();
    sessions.skill('a');
    await sessions.reload();
    const session = await sessions.open();
    const answers = await Promise.all([session.load('a'), session.call('session_close'), session.load('a')]);
    expect(answers.map((answer) => answer.ok)).toContain(true);
    const { equal, difference } = await sessions.runtime.replay(session.id, RECORDED);
    expect([equal, difference]).toEqual([true, null]);
  });
});

describe('a call that was cut off by kill -9 after its load was recorded', () => {
  async function cutOff(): Promise<TestSessions & { session: TestSession }> {
    const place = temporaryDirectory();
    const workspace = path.join(place, 'work');
    const dbPath = path.join(place, 'colibri.db');
    const root = path.join(workspace, '.agents', 'skills');
    for (const name of ['one', 'two', 'three', 'four']) writeSkill(root, name, { body: `Body of ${name}.` });
    const child = fork(CUT_OFF, [workspace, dbPath, 'one'], { execArgv: ['--import', 'tsx'] });
    const [id] = await once(child, 'message');
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    const sessions = await testSessions({ workspace, dbPath });
    return { ...sessions, session: testSession(sessions.runtime, String(id)) };
  }

  test(
    req(
      'O-replay-4',
      'is replayed equal; the session goes on, and the body that never arrived is given again, once',
    ),
    async () => {
      const sessions = await cutOff();
      const { session, runtime } = sessions;
      expect((await session.events()).map(({ type }) => type)).toEqual([
        'session.opened',
        'tool.started',
        'skill.loaded',
      ]);
      await expectEqual(sessions, session.id, ['skill_load']);
      await runtime.sessions.resume(session.id);
      const again = await session.load('one');
      expect(textOf(again)).toMatch(/^# Skill: one .*\n\nBody of one\./);
      expect(dataOf(again)['already_loaded']).toBeUndefined();
      expect(dataOf(await session.load('one'))['already_loaded']).toBe(true);
      expect(await session.events('skill.loaded')).toHaveLength(1);
      // Counted once: two more fit, a third does not.
      const codes: string[] = [];
      for (const name of ['two', 'three', 'four']) codes.push(codeOf(await session.load(name)));
      expect(codes).toEqual(['ok', 'ok', 'BUDGET_EXHAUSTED']);
      await runtime.sessions.close(session.id);
      await expectEqual(sessions, session.id, ['skill_load']);
    },
  );
});

describe('a replay that is not equal says where', () => {
  test(req('O-replay-3', 'any one byte of any one artifact'), async () => {
    const { session, runtime } = await eventful();
    const artifacts = await runtime.events.artifactsOf(session.id);
    expect(artifacts.length).toBeGreaterThan(8);
    const set = runtime.db.prepare('UPDATE artifacts SET bytes = ? WHERE digest = ?');
    for (const { digest, bytes } of artifacts) {
      const spoiled = Buffer.from(bytes);
      spoiled[spoiled.length >> 1] = (spoiled[spoiled.length >> 1] ?? 0) ^ 1;
      set.run(spoiled, digest);
      expect(await runtime.replay(session.id, RECORDED)).toMatchObject({
        equal: false,
        difference: { type: 'artifact', where: digest, recorded: digest },
      });
      set.run(bytes, digest);
    }
    expect((await runtime.replay(session.id, RECORDED)).equal).toBe(true);
  });

  test('an artifact that is gone', async () => {
    const { session, runtime } = await eventful();
    const { loaded } = await runtime.sessions.get(session.id);
    const digest = loaded[0]?.body ?? '';
    runtime.db.prepare('DELETE FROM artifact_refs WHERE digest = ?').run(digest);
    expect(await runtime.replay(session.id, RECORDED)).toMatchObject({
      equal: false,
      difference: { where: digest, replayed: '(gone)' },
    });
  });

  test.each([
    ['its payload', `payload = replace(payload, 'alpha', 'alphb')`],
    ['its time', `at = '2020-01-01T00:00:00.000Z'`],
    ['its actor', `actor = 'x'`],
    ['its type', `type = 'skill.warning'`],
  ])('an event with %s changed', async (_, change) => {
    const { session, runtime } = await eventful();
    const rows = await runtime.events.ofSession(session.id);
    const index = rows.findIndex(({ type }) => type === 'skill.loaded');
    const seq = rows[index]?.seq ?? 0;
    runtime.db.exec(`DROP TRIGGER events_no_update; UPDATE events SET ${change} WHERE seq = ${seq}`);
    const { equal, difference } = await runtime.replay(session.id, RECORDED);
    expect([equal, difference]).toEqual([
      false,
      {
        event: index + 1,
        type: change.startsWith('type') ? 'skill.warning' : 'skill.loaded',
        where: 'chain',
        recorded: `event ${seq} of the log`,
        replayed: 'its content does not match its hash',
      },
    ]);
  });

  test('an event that was removed', async () => {
    const { session, runtime } = await eventful();
    const [, second] = await session.events();
    runtime.db.exec(`DROP TRIGGER events_no_delete; DELETE FROM events WHERE seq = ${second?.seq}`);
    expect(await runtime.replay(session.id, RECORDED)).toMatchObject({
      equal: false,
      difference: { event: 2, where: 'chain', replayed: expect.stringMatching(/does not follow/) },
    });
  });

  test('two streams are compared member by member', () => {
    const event = (payload: object) => ({ type: 't', payload: { ...payload } });
    expect(firstDifference([event({ a: 1 })], [event({ a: 1 })])).toBeNull();
    expect(firstDifference([event({ a: { b: [1], c: 2 } })], [event({ a: { b: [2], c: 2 } })])).toEqual({
      index: 0,
      where: 'payload.a.b',
      recorded: '[1]',
      replayed: '[2]',
    });
    expect(firstDifference([], [event({})])).toMatchObject({
      where: 'event',
      recorded: '(none)',
      replayed: 't',
    });
    expect(firstDifferentLine({ text: 'a\nb' }, { text: 'a\nb\nc' })).toEqual({
      where: 'answer, line 3',
      recorded: '(none)',
      replayed: 'c',
    });
    expect(firstDifferentLine({ text: 'a', data: { x: 1 } }, { text: 'a', data: { x: 2 } })).toEqual({
      where: 'data, line 2',
      recorded: '  "x": 1',
      replayed: '  "x": 2',
    });
    expect(firstDifferentLine({ text: 'a' }, { text: 'a' })).toBeNull();
  });
});

describe('against the skills of today', () => {
  async function recorded(): Promise<TestSessions & { session: TestSession }> {
    const sessions = await testSessions();
    sessions.skill('alpha', { body: 'Line one.\nLine two.\n' });
    sessions.file('alpha', 'a.md', 'First.\nSecond.\n');
    await sessions.reload();
    const session = await sessions.open();
    await session.call('skill_search', { query: 'alpha' });
    await session.load('alpha');
    await session.read('alpha', 'a.md');
    return { ...sessions, session };
  }

  test('nothing changed: equal', async () => {
    const { session, runtime } = await recorded();
    expect(await runtime.replay(session.id, { live: true })).toMatchObject({ mode: 'live', equal: true });
  });

  test(req('O-replay-3', 'the first line of the answer that differs is shown'), async () => {
    const { session, runtime, skill, file, reload } = await recorded();
    const live = async () => (await runtime.replay(session.id, { live: true })).difference;
    file('alpha', 'a.md', 'First.\nThird..\n');
    expect(await live()).toMatchObject({ where: 'answer, line 2', recorded: 'Second.', replayed: 'Third..' });
    skill('alpha', { body: 'Line one.\nLine 2.\n' });
    await reload();
    expect(await live()).toMatchObject({
      type: 'skill.loaded',
      where: 'answer, line 4',
      recorded: 'Line two.',
      replayed: 'Line 2.',
    });
    skill('alpha', { description: 'New words for alpha.', body: 'Line one.\nLine 2.\n' });
    await reload();
    expect(await live()).toMatchObject({
      event: 3,
      where: 'answer, line 2',
      recorded: '- alpha [workspace] — About alpha. [untrusted]',
      replayed: '- alpha [workspace] — New words for alpha. [untrusted]',
    });
    expect((await runtime.replay(session.id, RECORDED)).equal).toBe(true);
  });

  test('a skill that is gone is named', async () => {
    const { session, runtime, root, skill, reload } = await recorded();
    rmSync(path.join(root, 'alpha'), { recursive: true });
    skill('beta', { description: 'About alpha.' });
    await reload();
    const { difference } = await runtime.replay(session.id, { live: true });
    expect(difference).toMatchObject({ where: 'answer, line 2' });
    const opened = payloadOf((await session.events())[0] as never);
    expect(opened['skills']).toBe(1);
  });
});
