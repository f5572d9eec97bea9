/** `events` and `events verify`. */
import path from 'node:path';

import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { hasHiddenCharacters } from '../../../src/lib/text.ts';
import { openColibri } from '../../../src/library.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, type Ran, recordedStream, runHost } from './harness.ts';
import { openAnother, type Recorded, recordedSession } from './recorded-session.ts';

const typesOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[2]);
const documents = ({ stdout }: Ran) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Changes the log as only somebody with the file in hand can. */
function tamper({ cwd }: Recorded, sql: string): void {
  const db = new Database(path.join(cwd, 'data/colibri.db'));
  db.exec(`DROP TRIGGER events_no_update; DROP TRIGGER events_no_delete; ${sql}`);
  db.close();
}

describe('events', () => {
  test('a pipe gets every event that may be seen, oldest first', async () => {
    const recorded = await recordedSession();
    const { stdout, stderr, code } = await colibri(['events'], recorded);
    expect(code).toBe(0);
    expect(typesOf(stdout)).toEqual([
      'skill.catalog_updated',
      'session.opened',
      'tool.finished',
      'skill.loaded',
      'tool.finished',
      'session.closed',
    ]);
    expect(stderr).toBe('2 events above --level pseudonymous not shown\n');
    const [seq, at, type, stream, actor, payload] = stdout.split('\n')[3]?.split('\t') ?? [];
    expect({ seq, type, stream, actor }).toEqual({
      seq: '6',
      type: 'skill.loaded',
      stream: `session:${recorded.id}`,
      actor: 'ada',
    });
    expect(at).toMatch(/^\d{4}-/);
    expect(Object.keys(JSON.parse(payload ?? ''))).not.toContain('frontmatter');
  });

  test.each([
    ['public', 0, false],
    ['pseudonymous', 1, false],
    ['private', 1, true],
  ])('--level %s shows %i loads, and their path: %s', async (level, count, path) => {
    const recorded = await recordedSession();
    const words = ['events', '--level', level, '--type', 'skill.loaded', '--json'];
    const { events } = JSON.parse((await colibri(words, recorded)).stdout);
    expect(events).toHaveLength(count);
    if (count > 0) expect('path' in events[0].payload).toBe(path);
  });

  test('by session, by type in both spellings, and by number', async () => {
    const recorded = await recordedSession();
    const other = await openAnother(recorded);
    const types = async (...words: string[]) =>
      typesOf((await colibri(['events', ...words], recorded)).stdout);
    expect(await types('--session', other)).toEqual(['session.opened']);
    expect(await types('--session', 'last')).toEqual(['session.opened']);
    expect(await types('--type', 'skill_loaded,session.closed')).toEqual(['skill.loaded', 'session.closed']);
    expect(await types('--limit', '1')).toEqual(['session.opened']);
    expect(await types('--after', '0', '--limit', '2')).toEqual(['skill.catalog_updated', 'session.opened']);
    expect(await types('--after', '7')).toEqual(['session.closed', 'session.opened']);
    expect(await types('--limit', '0')).toEqual([]);
  });

  test('an unknown type or session is told with the nearest', async () => {
    const recorded = await recordedSession();
    const type = await colibri(['events', '--type', 'skill.loadde'], recorded);
    expect(type).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean skill.loaded?') });
    const session = await colibri(['events', '--session', 'nobody'], recorded);
    expect(session).toMatchObject({ code: 3, stderr: expect.stringContaining('(SESSION_NOT_FOUND)') });
    const verb = await colibri(['events', 'verfy'], recorded);
    expect(verb).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean `events verify`?') });
  });

  test('a terminal gets a table within its width', async () => {
    const recorded = await recordedSession();
    const options = { ...recorded, terminal: 90, env: { NO_COLOR: '1' } };
    const { stdout } = await colibri(['events', '--session', 'last', '--level', 'private'], options);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('   SEQ  TIME                 TYPE                   STREAM   DETAILS');
    expect(lines[1]).toMatch(
      new RegExp(
        `^ {5}2 {2}\\d{4}-\\d\\d-\\d\\d [\\d:]{8} {2}session.opened {9}…${recorded.id.slice(-6)}  generation=1`,
      ),
    );
    expect(lines.filter((line) => line.length > 90)).toEqual([]);
    expect(lines).toHaveLength(8);
  });

  test('frames have the names with underscores, one a line', async () => {
    const recorded = await recordedSession();
    const words = ['events', '--format', 'frames', '--level', 'private', '--type', 'skill.loaded'];
    expect(documents(await colibri(words, recorded))).toEqual([
      {
        type: 'skill_loaded',
        seq: 6,
        at: expect.any(String),
        session_id: recorded.id,
        actor: 'ada',
        payload: expect.objectContaining({
          name: 'pdf-tools',
          path: '.agents/skills/pdf-tools/SKILL.md',
          digest: expect.any(String),
          frontmatter: { name: 'pdf-tools', description: 'Fill in and merge PDF files.' },
          warnings: [],
        }),
      },
    ]);
  });

  test('what a model wrote into a call leaves the terminal alone, in every format', async () => {
    const recorded = await recordedSession((session) =>
      session.handleToolCall({ name: 'skill_search', input: { query: '\u001b[2J\u202e\n' } }),
    );
    for (const words of [[], ['--format', 'json'], ['--format', 'frames']]) {
      const line = ['events', '--level', 'private', '--no-color', ...words];
      for (const terminal of [undefined, 200]) {
        const { stdout } = await colibri(line, {
          ...recorded,
          ...(terminal === undefined ? {} : { terminal }),
        });
        expect(stdout).toContain('u001b[2J');
        expect(hasHiddenCharacters(stdout)).toBe(false);
      }
    }
  });

  test('a payload that is no JSON any more is shown to nobody below private, and stops nothing', async () => {
    const recorded = await recordedSession();
    tamper(recorded, "UPDATE events SET payload = 'gone\u001b[2J' WHERE seq = 6");
    const seen = await colibri(['events'], recorded);
    expect({ code: seen.code, types: typesOf(seen.stdout).length }).toEqual({ code: 0, types: 5 });
    const all = await colibri(['events', '--level', 'private'], recorded);
    expect(all.stdout.split('\n')[5]).toMatch(/\t"gone\\u001b\[2J"$/);
  });

  test('--follow prints what is there, then what comes, as JSON lines, until it is stopped', async () => {
    const recorded = await recordedSession();
    let stop = (): void => undefined;
    const stdout = recordedStream();
    const words = ['events', '--follow', '--format', 'json', '--limit', '1', '--type', 'session.opened'];
    const ended = runHost(words, { ...recorded, stdout, onStopSignal: (ask) => (stop = ask) });
    await expect.poll(() => stdout.text().split('\n').length).toBe(2);
    const other = await openAnother(recorded);
    await expect.poll(() => stdout.text().split('\n').length, { timeout: 5000 }).toBe(3);
    stop();
    expect(await ended).toBe(0);
    const sessions = documents({ stdout: stdout.text(), stderr: '', code: 0 }).map((row) => row.session_id);
    expect(sessions).toEqual([recorded.id, other]);
  });

  test('--follow ends with 0 when the reader of the pipe leaves', async () => {
    const recorded = await recordedSession();
    const stdout = recordedStream();
    const ended = runHost(['events', '--follow'], { ...recorded, stdout });
    await expect.poll(() => stdout.text()).not.toBe('');
    stdout.break(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await openAnother(recorded);
    expect(await ended).toBe(0);
  });
});

describe('events verify', () => {
  test('counts what is whole', async () => {
    const recorded = await recordedSession();
    expect(await colibri(['events', 'verify'], recorded)).toEqual({ code: 0, stdout: 'ok\t8\n', stderr: '' });
    const terminal = await colibri(['events', 'verify'], { ...recorded, terminal: 80 });
    expect(terminal.stdout).toBe('ok: 8 events, every chain is whole\n');
  });

  test.each([
    ["UPDATE events SET actor = 'eve' WHERE seq = 4", 4, 'its content does not match its hash'],
    ['DELETE FROM events WHERE seq = 3', 4, 'event 3 is missing'],
    ["UPDATE events SET stream = 'session:\u001b[2J' WHERE seq = 4", 4, 'it does not follow'],
  ])('%j exits with 1 and says which event, which stream and why', async (sql, seq, problem) => {
    const recorded = await recordedSession();
    tamper(recorded, sql);
    const { stdout, code } = await colibri(['events', 'verify'], recorded);
    expect(code).toBe(1);
    const [state, at, stream, why] = stdout.trimEnd().split('\t');
    expect({ state, at }).toEqual({ state: 'broken', at: String(seq) });
    expect(stream).toMatch(/^session:/);
    expect(why).toContain(problem);
    expect(stdout).not.toContain('\u001b');
    const json = JSON.parse((await colibri(['events', 'verify', '--json'], recorded)).stdout);
    expect(json.broken).toMatchObject({ seq });
  });

  test('an empty log is whole', async () => {
    const cwd = temporaryDirectory();
    const opened = await openColibri({ workspace: cwd, home: cwd });
    await opened.close();
    expect((await colibri(['events', 'verify'], { cwd })).stdout).toBe('ok\t0\n');
  });
});
