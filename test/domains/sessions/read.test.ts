import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { checkFilePath } from '../../../src/domains/sessions/file-path.ts';
import { sha256Hex } from '../../../src/lib/digest.ts';
import { req } from '../../requirements.ts';
import { callTool } from '../../support/kernel.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { codeOf, dataOf, type TestSession, type TestSessions, testSessions, textOf } from './harness.ts';

const LIMIT = 1024 * 1024;

/** A session that has loaded `one`, whose files the test has prepared before. */
async function loaded(
  prepare: (sessions: TestSessions) => void,
): Promise<TestSessions & { session: TestSession }> {
  const sessions = await testSessions();
  sessions.skill('one');
  prepare(sessions);
  await sessions.reload();
  const session = await sessions.open();
  expect(codeOf(await session.load('one'))).toBe('ok');
  return { ...sessions, session };
}

describe('skill_read', () => {
  test(
    req('O-contract-4', 'gives a text file as it is, with size and digest, and keeps its content'),
    async () => {
      const content = 'Grüße\r\n\ttab\n';
      const { session, runtime } = await loaded(({ file }) => file('one', 'references/guide.md', content));
      const answer = await session.read('one', 'references/guide.md');
      const digest = sha256Hex(content);
      expect(textOf(answer)).toBe(content);
      expect(dataOf(answer)).toEqual({
        name: 'one',
        path: 'references/guide.md',
        size: Buffer.byteLength(content),
        digest: `sha256:${digest}`,
        encoding: 'utf-8',
      });
      const kept = (await runtime.events.artifactsOf(session.id)).find(
        (artifact) => artifact.digest === digest,
      );
      expect(Buffer.from(kept?.bytes ?? []).toString()).toBe(content);
    },
  );

  test.each([
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0x41])],
    ['a NUL in plain text', Buffer.from('a\0b')],
    ['half a character', Buffer.from('é').subarray(0, 1)],
  ])('%s come as base64', async (_, content) => {
    const { session } = await loaded(({ file }) => file('one', 'assets/data.bin', content));
    const answer = await session.read('one', 'assets/data.bin');
    expect(Buffer.from(textOf(answer), 'base64')).toEqual(content);
    expect(dataOf(answer)).toMatchObject({ encoding: 'base64', size: content.length });
  });

  test('an empty file and one of exactly the limit are read', async () => {
    const { session } = await loaded(({ file }) => {
      file('one', 'empty', '');
      file('one', 'full', 'x'.repeat(LIMIT));
    });
    expect(dataOf(await session.read('one', 'empty'))).toMatchObject({ size: 0 });
    expect(dataOf(await session.read('one', 'full'))).toMatchObject({ size: LIMIT });
  });

  test('a skill must have been loaded in the session; without a session it need not', async () => {
    const { session, runtime } = await loaded(({ skill, file }) => {
      skill('two');
      file('two', 'a', 'x');
    });
    expect(textOf(await session.read('two', 'a'))).toBe(
      'SKILL_NOT_LOADED: load two with skill_load before reading its files',
    );
    expect(textOf(await callTool(runtime.ctx, 'skill_read', { name: 'two', path: 'a' }))).toBe('x');
  });
});

describe('paths that are refused', () => {
  const cases = {
    PATH_OUTSIDE: ['..', '../two/SKILL.md', 'a/../../x', 'references/..'],
    PATH_ABSOLUTE: ['/etc/passwd', '//etc/passwd', '~/x', 'C:/x', 'c:x'],
    PATH_INVALID: [
      '%2e%2e/x',
      '..%2Fx',
      '%2E%2e%2fx',
      'a%00',
      'a%5cb',
      '‥/x',
      '．．/x',
      '..／x',
      '．．／x',
      'a\0b',
      'a\nb',
      'a\u200bb',
      'a\u202eb',
      '\ud800',
      'a\\b',
      '..\\x',
      '\\\\server\\share',
      './a',
      'a//b',
      'a/',
      'a/./b',
      'x'.repeat(1_025),
    ],
    FILE_NOT_FOUND: ['a', 'SKILL.md', 'skill.md', '.env', 'references', 'a∕b', 'A.TXT'],
  } as const;

  test.each(Object.entries(cases).flatMap(([code, paths]) => paths.map((one) => [one, code] as const)))(
    '%j: %s',
    async (wanted, code) => {
      const { session } = await loaded(({ file }) => {
        file('one', '.env', 'SECRET=1');
        file('one', 'a.txt', 'x');
        file('one', 'references/guide.md', 'x');
        file('two', 'SKILL.md', 'x');
      });
      const answer = await session.read('one', wanted);
      expect(codeOf(answer)).toBe(code);
      expect(JSON.stringify(answer)).not.toContain('SECRET');
    },
  );

  test('an empty path does not even fit the schema, and the check refuses it too', async () => {
    const { session } = await loaded(() => undefined);
    expect(codeOf(await session.read('one', ''))).toBe('INVALID_PARAMS');
    expect(checkFilePath('')).toMatchObject({ ok: false, code: 'PATH_INVALID' });
    expect(checkFilePath('a b/ü.md')).toEqual({ ok: true, path: 'a b/ü.md' });
  });

  test('SKILL.md is named with the tool that gives it; a misspelt path with the nearest file', async () => {
    const { session } = await loaded(({ file }) => file('one', 'references/guide.md', 'x'));
    expect(textOf(await session.read('one', 'SKILL.md'))).toContain('skill_load gives its text');
    expect(textOf(await session.read('one', 'references/giude.md'))).toContain(
      'did you mean references/guide.md?',
    );
  });
});

describe('things that are no plain file', () => {
  test('links, also on the way, are not followed, wherever they lead', async () => {
    const outside = temporaryDirectory();
    writeFileSync(path.join(outside, 'secret'), 'SECRET');
    const { session } = await loaded(({ file, root }) => {
      file('one', 'real.md', 'x');
      symlinkSync('real.md', path.join(root, 'one', 'inner'));
      symlinkSync(path.join(outside, 'secret'), path.join(root, 'one', 'out'));
      symlinkSync(outside, path.join(root, 'one', 'folder'));
      symlinkSync('nowhere', path.join(root, 'one', 'broken'));
    });
    for (const wanted of ['inner', 'out', 'folder', 'folder/secret', 'broken']) {
      const answer = await session.read('one', wanted);
      expect([wanted, codeOf(answer)]).toEqual([wanted, 'FILE_IS_LINK']);
    }
  });

  test('pipes and sockets are refused without waiting', async () => {
    const { session } = await loaded(({ root }) => {
      execFileSync('mkfifo', [path.join(root, 'one', 'pipe')]);
      const server = net.createServer().listen(path.join(root, 'one', 'socket'));
      onTestFinished(() => void server.close());
    });
    expect(codeOf(await session.read('one', 'pipe'))).toBe('FILE_NOT_REGULAR');
    expect(codeOf(await session.read('one', 'socket'))).toBe('FILE_NOT_REGULAR');
  });

  test('a file beyond the limit is refused', async () => {
    const { session } = await loaded(({ file }) => file('one', 'large', Buffer.alloc(LIMIT + 1)));
    expect(codeOf(await session.read('one', 'large'))).toBe('FILE_TOO_LARGE');
  });
});

describe('files that are not what they were at the load', () => {
  const changes: readonly (readonly [string, (file: string) => void])[] = [
    ['edited', (file) => writeFileSync(file, 'other')],
    ['one byte longer', (file) => writeFileSync(file, 'content.\n')],
    ['deleted', (file) => rmSync(file)],
    ['now too large', (file) => writeFileSync(file, Buffer.alloc(LIMIT + 1))],
    [
      'now a link to the same content',
      (file) => {
        renameSync(file, `${file}.moved`);
        symlinkSync(`${path.basename(file)}.moved`, file);
      },
    ],
    [
      'now a pipe',
      (file) => {
        rmSync(file);
        execFileSync('mkfifo', [file]);
      },
    ],
    [
      'now a directory',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ];

  test.each(changes)('%s: FILE_CHANGED, and nothing of it is given', async (_, change) => {
    const { session, root } = await loaded(({ file }) => file('one', 'a.md', 'content'));
    change(path.join(root, 'one', 'a.md'));
    const answer = await session.read('one', 'a.md');
    expect(textOf(answer)).toBe(
      'FILE_CHANGED: one/a.md has changed since the skill was loaded; open a new session to use the new file',
    );
  });

  test('a folder on the way that became a link gives nothing from beyond it', async () => {
    const outside = temporaryDirectory();
    writeFileSync(path.join(outside, 'guide.md'), 'SECRET');
    const { session, root } = await loaded(({ file }) => file('one', 'references/guide.md', 'content'));
    rmSync(path.join(root, 'one', 'references'), { recursive: true });
    symlinkSync(outside, path.join(root, 'one', 'references'));
    expect(codeOf(await session.read('one', 'references/guide.md'))).toBe('FILE_CHANGED');
  });

  test('a file that was added later is not there', async () => {
    const { session, file } = await loaded(() => undefined);
    file('one', 'late.md', 'x');
    expect(codeOf(await session.read('one', 'late.md'))).toBe('FILE_NOT_FOUND');
  });

  test('one that is as it was again is read again', async () => {
    const { session, file } = await loaded((sessions) => sessions.file('one', 'a.md', 'content'));
    file('one', 'a.md', 'other');
    expect(codeOf(await session.read('one', 'a.md'))).toBe('FILE_CHANGED');
    file('one', 'a.md', 'content');
    expect(textOf(await session.read('one', 'a.md'))).toBe('content');
  });
});
