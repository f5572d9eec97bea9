/** Commands of the user's own that run on events, while a server is up. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import { openDatabase } from '../../../src/db/database.ts';
import { matchesHook, parseHooks } from '../../../src/domains/events/hook.ts';
import type { EventRow } from '../../../src/domains/events/schema.ts';
import { readHooks } from '../../../src/domains/sessions/hook-file.ts';
import { takeEvent } from '../../../src/domains/sessions/hook-repository.ts';
import { type Runtime, startup } from '../../../src/startup.ts';
import { callTool } from '../../support/kernel.ts';
import { writeSkill } from '../../support/skill-files.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { payloadOf } from './harness.ts';

interface HookWorld {
  readonly runtime: Runtime;
  readonly workspace: string;
  readonly home: string;
  readonly scratchRoot: string;
  load(name: string): Promise<unknown>;
  /** The records of hooks, once there are so many. */
  ran(count: number): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

async function serving(hooks: string): Promise<HookWorld> {
  const base = temporaryDirectory();
  // As root, scripts run as another user, who has to get there.
  chmodSync(base, 0o755);
  const [workspace, home] = [path.join(base, 'work'), path.join(base, 'home')];
  const scratchRoot = path.join(base, 'scratch');
  for (const name of ['one', 'two']) writeSkill(path.join(workspace, '.agents', 'skills'), name);
  writeHooks(home, hooks);
  const runtime = await startup({
    ...{ workspace, home, scratchRoot, env: {}, transport: 'http', http: { port: '0' } },
    logger: () => undefined,
    exit: () => undefined,
  });
  onTestFinished(() => runtime.close());
  const ran = async (count: number) => {
    for (let round = 0; round < 200; round++) {
      const rows = await runtime.events.read({ types: ['hook.ran'] });
      if (rows.length >= count) return rows.map(payloadOf);
      await sleep(50);
    }
    throw new Error(`fewer than ${count} hooks ran`);
  };
  return { runtime, workspace, home, scratchRoot, ran, load: (name) => load(runtime, name) };
}

function writeHooks(home: string, text: string): string {
  mkdirSync(path.join(home, '.colibri'), { recursive: true });
  const file = path.join(home, '.colibri', 'hooks.yaml');
  writeFileSync(file, text);
  chmodSync(file, 0o600);
  return file;
}

async function load(runtime: Runtime, name: string): Promise<void> {
  const { id } = await runtime.sessions.open();
  await callTool(runtime.ctx, 'skill_load', { name, session_id: id }, { door: 'library' });
}

describe('a hook', () => {
  test('runs on the events that it names, with the event on its input, and is on the record', async () => {
    const out = path.join(temporaryDirectory(), 'heard');
    const world = await serving(
      `matching:\n  - { name: note, on: skill.loaded, when: { name: "t*" }, run: [sh, -c, 'cat >> "$0"; echo noted', ${out}] }\n`,
    );
    await world.load('one');
    await world.load('two');
    expect(await world.ran(1)).toEqual([
      {
        hook: 'note',
        seq: expect.any(Number),
        event_type: 'skill.loaded',
        exit_code: 0,
        stopped: null,
        output: 'noted\n',
      },
    ]);
    const heard = readFileSync(out, 'utf8').trim().split('\n');
    expect(heard.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'skill.loaded', payload: { name: 'two' } },
    ]);
    expect(readdirSync(world.scratchRoot)).toEqual([]);
  });

  test('that hangs, fails or does not exist is recorded and holds up nothing', async () => {
    const world = await serving(
      [
        'matching:',
        '  - { name: hang, on: skill.loaded, run: [sleep, "60"], timeout_seconds: 1 }',
        '  - { name: fail, on: skill.loaded, run: [sh, -c, "exit 3"] }',
        '  - { name: gone, on: skill.loaded, run: [no-such-program-at-all] }',
        '',
      ].join('\n'),
    );
    await world.load('one');
    expect(await world.ran(3)).toMatchObject([
      { hook: 'hang', exit_code: null, stopped: 'time' },
      { hook: 'fail', exit_code: 3, stopped: null },
      { hook: 'gone' },
    ]);
  });

  test('takes an event once, however many servers share the database', async () => {
    const db = openDatabase(':memory:');
    onTestFinished(() => db.close());
    const taken: boolean[] = [];
    for (const seq of [5, 5, 4, 6, 10, 9])
      taken.push(await db.transact((transaction) => takeEvent(transaction, seq, '2026-01-01T00:00:00.000Z')));
    expect(taken).toEqual([true, false, false, true, true, false]);
  });
});

describe('hooks come from the home alone', () => {
  test('not from a workspace, and not from a file that others can write', () => {
    const workspace = temporaryDirectory();
    const hooks = 'matching:\n  - { name: a, on: "*", run: [touch, planted] }\n';
    expect(readHooks(path.join(workspace, 'home'), workspace)).toEqual({ ok: true, hooks: [] });
    writeHooks(path.join(workspace, 'home'), hooks);
    expect(readHooks(path.join(workspace, 'home'), workspace)).toEqual({ ok: true, hooks: [] });
    const home = temporaryDirectory();
    const file = writeHooks(home, hooks);
    expect(readHooks(home, workspace)).toMatchObject({ ok: true, hooks: [{ name: 'a' }] });
    chmodSync(file, 0o666);
    expect(readHooks(home, workspace)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('chmod go-w'),
    });
    expect(existsSync(path.join(workspace, 'planted'))).toBe(false);
  });

  test.each([
    ['a: [', 'line 2'],
    ['matching:\n  - { name: a, on: x }\n', 'matching.0.run'],
    ['matching:\n  - { name: a, on: x, run: [y], shell: true }\n', 'shell'],
    ['hooks: []\n', 'matching'],
  ])('%j is refused with the place', (text, place) => {
    expect(parseHooks(text)).toMatchObject({ ok: false, problem: expect.stringContaining(place) });
  });
});

test.each([
  ['skill.*', {}, 'skill.loaded', true],
  ['*', {}, 'policy.decision', true],
  ['*', {}, 'hook.ran', false],
  ['skill.loaded', {}, 'skill.load', false],
  ['s*l*d', {}, 'skill.loaded', true],
  ['skill.loaded*loaded', {}, 'skill.loaded', false],
  ['*', { name: 'a*c' }, 'skill.loaded', true],
  ['*', { name: 'b*' }, 'skill.loaded', false],
  ['*', { count: '3' }, 'skill.loaded', true],
  ['*', { constructor: '*' }, 'skill.loaded', false],
])('on %s when %j matches %s: %s', (on, when, type, meant) => {
  const row = { type, payload: '{"name":"abc","count":3}' } as EventRow;
  const hook = { name: 'h', on, when: when as Record<string, string>, run: ['true'], timeout_seconds: 1 };
  expect(matchesHook(hook, row)).toBe(meant);
});
