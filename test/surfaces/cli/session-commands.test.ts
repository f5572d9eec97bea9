/** `session list`, `session show`, `session close` and `replay`. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';

import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, skillText } from './harness.ts';
import { openAnother, recordedSession } from './recorded-session.ts';

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

describe('session list', () => {
  test('a pipe gets the newest first, with - for what is not there', async () => {
    const recorded = await recordedSession();
    const open = await openAnother(recorded);
    const { stdout, stderr } = await colibri(['session', 'list'], recorded);
    expect(stderr).toBe('');
    expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual([
      [open, expect.stringMatching(TIME), '-', 'T3', '-'],
      [recorded.id, expect.stringMatching(TIME), expect.stringMatching(TIME), 'T3', 'ada'],
      [''],
    ]);
    const cut = await colibri(['session', 'list', '--limit', '1', '--json'], recorded);
    expect(JSON.parse(cut.stdout)).toMatchObject({ sessions: [{ id: open, closed_at: null }], more: true });
    expect(cut.stderr).toBe('there are more than these 1; --limit shows them\n');
  });

  test('without any it says how they come about', async () => {
    expect(await colibri(['session', 'list'], { cwd: temporaryDirectory() })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'no session is recorded yet; `colibri serve` or the library opens them\n',
    });
  });

  test('the name of an agent cannot steer the terminal', async () => {
    const recorded = await recordedSession();
    const db = new Database(path.join(recorded.cwd, 'data/colibri.db'));
    db.prepare('UPDATE sessions SET agent_id = ?').run('\u001b[2Jada\nnobody');
    db.close();
    const { stdout } = await colibri(['session', 'list', '--no-color'], { ...recorded, terminal: 120 });
    expect(stdout).toContain('\\u{1b}[2Jada nobody');
    expect(stdout.split('\n')).toHaveLength(3);
  });
});

describe('session show', () => {
  test('tells the options, what was used and what was loaded', async () => {
    const recorded = await recordedSession();
    const { stdout, code } = await colibri(['session', 'show', recorded.id], recorded);
    expect(code).toBe(0);
    const facts = stdout.split('\n').map((line) => line.split('\t'));
    expect(facts).toEqual([
      ['session', recorded.id],
      ['opened', expect.stringMatching(TIME)],
      ['closed', expect.stringMatching(TIME)],
      ['tier', 'T3'],
      ['agent', 'ada'],
      ['catalog', 'generation 1, at most 8000 tokens'],
      ['used', '1 of 3 loads, 8 of 30000 tokens'],
      ['loaded', expect.stringMatching(/^pdf-tools \(on_demand, 8 tokens, sha256:[0-9a-f]{64}\)$/)],
      [''],
    ]);
  });

  test('an unknown id names the nearest, or says where the ids are', async () => {
    const recorded = await recordedSession();
    const typo = `${recorded.id.slice(0, -1)}${recorded.id.endsWith('0') ? '1' : '0'}`;
    const near = await colibri(['session', 'show', typo], recorded);
    expect(near).toMatchObject({ code: 3, stdout: '' });
    expect(near.stderr).toBe(
      `error: no session "${typo}"; did you mean ${recorded.id}? (SESSION_NOT_FOUND)\n`,
    );
    const far = await colibri(['session', 'show', '\u001b[2Jnobody'], recorded);
    expect(far.stderr).toBe(
      'error: no session "\\u001b[2Jnobody"; `colibri session list` shows them (SESSION_NOT_FOUND)\n',
    );
  });

  test('`last` without any session is told as such', async () => {
    const { code, stderr } = await colibri(['session', 'show', 'last'], { cwd: temporaryDirectory() });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/^error: no session is recorded yet; /),
    });
  });
});

describe('session close', () => {
  test('closes, and says so when it was closed before', async () => {
    const recorded = await recordedSession(undefined, { close: false });
    const first = await colibri(['session', 'close', 'last'], recorded);
    expect(first).toEqual({ code: 0, stdout: '', stderr: `closed ${recorded.id}; its records stay\n` });
    const second = await colibri(['session', 'close', recorded.id, '--json'], recorded);
    expect(JSON.parse(second.stdout)).toEqual({
      id: recorded.id,
      closed_at: expect.stringMatching(TIME),
      was_open: false,
    });
    const replayed = await colibri(['replay', 'last'], recorded);
    expect(replayed.code).toBe(0);
  });
});

describe('replay', () => {
  test('from the records is equal although the disk has changed', async () => {
    const recorded = await recordedSession();
    rmSync(path.join(recorded.cwd, '.agents'), { recursive: true });
    const { stdout, code } = await colibri(['replay', recorded.id], recorded);
    expect({ stdout, code }).toEqual({
      stdout: `session\t${recorded.id}\nagainst\tits own records\nresult\tequal, 7 events\n`,
      code: 0,
    });
  });

  test('against today exits with 1 and shows the first line that differs', async () => {
    const recorded = await recordedSession();
    const changed = skillText(
      { name: 'pdf-tools', description: 'Fill in and merge PDF files.' },
      '# PDF tools\n\nSplit them.\u001b[2J\n',
    );
    writeFileSync(path.join(recorded.cwd, '.agents/skills/pdf-tools/SKILL.md'), changed);
    const options = { ...recorded, terminal: 100, env: { NO_COLOR: '1' } };
    const { stdout, code } = await colibri(['replay', 'last', '--live'], options);
    expect(code).toBe(1);
    expect(stdout).not.toContain('\u001b');
    expect(stdout.split('\n').slice(1)).toEqual([
      'against   the skills of today',
      'result    different',
      'first at  event 5 of 7, skill.loaded',
      'where     answer, line 5',
      'recorded  Merge them in order.',
      'replayed  Split them.\\u{1b}[2J',
      '',
    ]);
    const json = await colibri(['replay', 'last', '--live', '--json'], recorded);
    expect(JSON.parse(json.stdout)).toMatchObject({ equal: false, mode: 'live', difference: { event: 5 } });
    expect(json.code).toBe(1);
  });

  test('two long texts that begin alike are shown where they part, and cannot steer the terminal', async () => {
    const start = 'word '.repeat(30);
    const skills = (end: string) => ({ long: skillText({ name: 'long', description: `"${start}${end}"` }) });
    const recorded = await recordedSession(
      (session) => session.handleToolCall({ name: 'skill_search', input: { query: 'word' } }),
      { skills: skills('old') },
    );
    const file = path.join(recorded.cwd, '.agents/skills/long/SKILL.md');
    writeFileSync(file, skills('\\e[2Jnew').long);
    const { stdout, code } = await colibri(['replay', 'last', '--live'], recorded);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^where\tanswer, line \d+$/m);
    expect(stdout).toMatch(/^recorded\t….{20}old \[untrusted\]$/m);
    expect(stdout).toMatch(/^replayed\t….{20}\\u\{1b\}\[2Jnew \[untrusted\]$/m);
  });

  test('stored content that was tampered with is a difference, not a crash', async () => {
    const recorded = await recordedSession();
    const db = new Database(path.join(recorded.cwd, 'data/colibri.db'));
    db.prepare("UPDATE artifacts SET bytes = CAST('\u001b[2J' AS BLOB)").run();
    db.close();
    const { stdout, stderr, code } = await colibri(['replay', 'last'], recorded);
    expect({ stderr, code }).toEqual({ stderr: '', code: 1 });
    expect(stdout).toMatch(/^first at\tartifact\nwhere\t[0-9a-f]{64}\n/m);
  });

  test('an unknown session exits with 3, unlike a difference', async () => {
    const { code, stderr } = await colibri(['replay', 'nobody'], { cwd: temporaryDirectory() });
    expect(code).toBe(3);
    expect(stderr).toContain('no session "nobody"; `colibri session list` shows them (SESSION_NOT_FOUND)');
  });

  test('says which calls were not run again', async () => {
    // An input of this size is recorded by its digest only.
    const query = 'word '.repeat(20_000);
    const recorded = await recordedSession((session) =>
      session.handleToolCall({ name: 'skill_search', input: { query } }),
    );
    const { stderr, code } = await colibri(['replay', 'last'], recorded);
    expect({ stderr, code }).toEqual({
      stderr: 'not run again, taken as recorded: skill_search\n',
      code: 0,
    });
  });
});
