/** Who may speak to the HTTP door: every decision, without a socket. */
import { describe, expect, test } from 'vitest';

import { type HttpAccess, refuseOpenDoor } from '../../../src/lib/http-access.ts';
import { refusalOf } from '../../../src/surfaces/mcp/http-guard.ts';

const LOCAL: HttpAccess = { host: '127.0.0.1', token: null };
const OPEN: HttpAccess = { host: '0.0.0.0', token: 'a-token-of-some-length' };
const KEY = { authorization: 'Bearer a-token-of-some-length' };

function statusOf(
  headers: Readonly<Record<string, string | string[]>>,
  access = LOCAL,
  url = '/mcp',
): number {
  const single: Record<string, string> = {};
  const distinct: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    const values = [value].flat();
    single[name] = values.join(', ');
    distinct[name] = values;
  }
  return (
    refusalOf({ method: 'POST', url, headers: single, headersDistinct: distinct }, access)?.status ?? 200
  );
}

describe('on loopback, the Host header', () => {
  test.each([
    'localhost',
    'localhost:4870',
    'LOCALHOST:4870',
    '127.0.0.1',
    '127.0.0.1:4870',
    '127.8.8.8:1',
    '[::1]',
    '[::1]:4870',
  ])('%s is this machine', (host) => {
    expect(statusOf({ host })).toBe(200);
  });

  test.each([
    '',
    'evil.example',
    'evil.example:4870',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example#localhost',
    'localhost@evil.example',
    'evil.example@localhost',
    'localhost:4870@evil.example',
    'localhost:4870:4870',
    'localhost:',
    'localhost:999999',
    'localhost.',
    ' localhost',
    '[::1',
    '::1',
    '::1]',
    '[::1]evil',
    '[::ffff:127.0.0.1]',
    '0.0.0.0:4870',
    '0x7f.1',
    '2130706433',
    '192.168.1.7:4870',
  ])('%j is not', (host) => {
    expect(statusOf({ host })).toBe(403);
  });

  test('is needed', () => {
    expect(statusOf({})).toBe(403);
  });
});

describe('the Origin header', () => {
  const host = '127.0.0.1:4870';

  test.each(['http://localhost:3000', 'http://127.0.0.1:4870', 'http://[::1]:9', 'https://localhost'])(
    '%s is a page of this machine',
    (origin) => {
      expect(statusOf({ host, origin })).toBe(200);
    },
  );

  test.each([
    'null',
    '',
    'localhost',
    'http://evil.example',
    'https://evil.example:4870',
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'http://evil.example@localhost',
    'http://localhost/',
    'http://localhost:3000/path',
    'http://localhost, http://evil.example',
    'http://0x7f.1',
    'http://0.0.0.0:4870',
    'file://localhost',
    'chrome-extension://localhost',
    'vscode-webview://localhost',
  ])('%j is not', (origin) => {
    expect(statusOf({ host, origin })).toBe(403);
  });

  test('beyond loopback, only pages of the very same host pass, and only with the token', () => {
    const there = { host: 'skills.example:4870', ...KEY };
    expect(statusOf({ ...there, origin: 'http://skills.example:4870' }, OPEN)).toBe(200);
    expect(statusOf({ ...there, origin: 'http://skills.example:81' }, OPEN)).toBe(403);
    expect(statusOf({ ...there, origin: 'http://evil.example' }, OPEN)).toBe(403);
    expect(statusOf({ ...there, origin: 'http://localhost:4870' }, OPEN)).toBe(403);
    expect(statusOf({ host: there.host, origin: 'http://skills.example:4870' }, OPEN)).toBe(401);
  });
});

describe('Sec-Fetch-Site, which pages cannot forge', () => {
  test.each([
    ['same-origin', 200],
    ['same-site', 200],
    ['none', 200],
    ['cross-site', 403],
    ['anything-else', 403],
  ])('%s → %i, with no Origin at all', (site, status) => {
    expect(statusOf({ host: 'localhost', 'sec-fetch-site': site })).toBe(status);
  });
});

describe('the bearer token', () => {
  const access: HttpAccess = { ...LOCAL, token: 'a-token-of-some-length' };

  test.each([
    [undefined, 401],
    ['', 401],
    ['Bearer', 401],
    ['Bearer ', 401],
    ['Bearer a-token-of-some-lengti', 401],
    ['Bearer a-token-of-some-lengt', 401],
    ['Bearer a-token-of-some-length-and-more', 401],
    ['Basic a-token-of-some-length', 401],
    ['a-token-of-some-length', 401],
    ['Bearer a-token-of-some-length', 200],
    ['bearer a-token-of-some-length', 200],
  ])('%j → %i, on loopback too once it is set', (authorization, status) => {
    const head = { host: 'localhost', ...(authorization === undefined ? {} : { authorization }) };
    expect(statusOf(head, access)).toBe(status);
  });

  test('counts in the header alone, never in the address', () => {
    expect(statusOf({ host: 'localhost' }, access, '/mcp?token=a-token-of-some-length')).toBe(401);
    expect(statusOf({ host: 'localhost' }, access, '/mcp?access_token=a-token-of-some-length')).toBe(401);
  });

  test('is asked for before a path is said not to exist', () => {
    expect(statusOf({ host: 'localhost' }, access, '/secret')).toBe(401);
    expect(statusOf({ host: 'localhost', ...KEY }, access, '/secret')).toBe(404);
  });

  test('is named in the answer as what is missing', () => {
    const answer = refusalOf(
      { method: 'POST', url: '/mcp', headers: { host: 'localhost' }, headersDistinct: {} },
      access,
    );
    expect(answer).toEqual({
      status: 401,
      message: 'bearer token missing or wrong',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  });
});

describe('the request target', () => {
  test.each([
    ['/mcp', 200],
    ['/mcp?x=1', 200],
    ['/', 404],
    ['/mcp/', 404],
    ['/MCP', 404],
    ['//mcp', 404],
    ['/x/../mcp', 404],
    ['/%6dcp', 404],
    ['http://127.0.0.1/mcp', 404],
    ['http://evil.example/mcp', 404],
    ['*', 404],
    ['', 404],
  ])('%s → %i', (url, status) => {
    expect(statusOf({ host: 'localhost' }, LOCAL, url)).toBe(status);
  });
});

describe('a header that decides, sent twice', () => {
  test.each(['host', 'origin', 'authorization', 'sec-fetch-site', 'content-type'])('%s → 400', (name) => {
    expect(statusOf({ host: 'localhost', [name]: ['localhost', 'localhost'] })).toBe(400);
  });
});

describe('an open door', () => {
  test.each(['0.0.0.0', '::', '192.168.1.7', 'skills.example', ''])(
    '%j is refused without a token',
    (host) => {
      expect(() => refuseOpenDoor({ host, token: null })).toThrow(
        'needs a bearer token; set COLIBRI_HTTP_TOKEN',
      );
      expect(() => refuseOpenDoor({ host, token: 'x' })).not.toThrow();
    },
  );

  test.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])('%s needs none', (host) => {
    expect(() => refuseOpenDoor({ host, token: null })).not.toThrow();
  });
});
