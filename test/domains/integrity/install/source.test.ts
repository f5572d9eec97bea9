import { describe, expect, test } from 'vitest';

import { isPrivateAddress, namesPrivateHost } from '../../../../src/domains/integrity/install/address.ts';
import { parseSource } from '../../../../src/domains/integrity/install/source.ts';

const HERE = { cwd: '/work', home: '/home/ada' };

describe('what a user types becomes one kind of source', () => {
  test.each([
    [
      'our-team/skills',
      'git',
      'https://github.com/our-team/skills.git',
      'https://github.com/our-team/skills',
    ],
    ['https://github.com/o/r', 'git', 'https://github.com/o/r.git', 'https://github.com/o/r'],
    [
      'https://git.example.org/o/r.git',
      'git',
      'https://git.example.org/o/r.git',
      'https://git.example.org/o/r',
    ],
    ['git+https://git.example.org/r', 'git', 'https://git.example.org/r', 'https://git.example.org/r'],
    ['HTTPS://GitHub.com/o/r/', 'git', 'https://github.com/o/r.git', 'https://github.com/o/r'],
    ['git@host.org:o/r.git', 'git', 'git@host.org:o/r.git', 'ssh://git@host.org/o/r'],
    ['ssh://git@host.org/o/r', 'git', 'ssh://git@host.org/o/r', 'ssh://git@host.org/o/r'],
    ['file:///srv/repo', 'git', 'file:///srv/repo', 'file:///srv/repo'],
    ['./skills', 'path', '/work/skills', 'file:///work/skills'],
    ['.', 'path', '/work', 'file:///work'],
    ['~/skills', 'path', '/home/ada/skills', 'file:///home/ada/skills'],
    ['/srv/../srv/x', 'path', '/srv/x', 'file:///srv/x'],
    ['./a.skill', 'archive', '/work/a.skill', 'file:///work/a.skill'],
    [
      'https://example.org/a.tar.gz',
      'archive',
      'https://example.org/a.tar.gz',
      'https://example.org/a.tar.gz',
    ],
    [
      'https://example.org',
      'well-known',
      'https://example.org/.well-known/agent-skills/index.json',
      'https://example.org/.well-known/agent-skills/index.json',
    ],
    [
      'https://example.org/x/index.json',
      'well-known',
      'https://example.org/x/index.json',
      'https://example.org/x/index.json',
    ],
  ])('%s', (text, kind, location, identity) => {
    expect(parseSource(text, HERE)).toMatchObject({ kind, location, identity, credentials: null });
  });

  test('the address of a folder on a forge names ref and folder', () => {
    expect(parseSource('https://github.com/o/r/tree/v1/skills/pdf', HERE)).toMatchObject({
      kind: 'git',
      location: 'https://github.com/o/r.git',
      ref: 'v1',
      subpath: 'skills/pdf',
    });
    expect(parseSource('https://gitlab.com/g/s/r/-/tree/main/a', HERE)).toMatchObject({
      location: 'https://gitlab.com/g/s/r.git',
      ref: 'main',
      subpath: 'a',
    });
  });

  test('a folder at a ref is a repository', () => {
    expect(parseSource('./repo', { ...HERE, ref: 'main', subpath: 'skills/' })).toMatchObject({
      kind: 'git',
      location: '/work/repo',
      ref: 'main',
      subpath: 'skills',
    });
  });

  test('credentials are taken out of the address', () => {
    const { location, identity, credentials } = parseSource('https://ada:s%20x@example.org/a.zip', HERE);
    expect({ location, identity, credentials }).toEqual({
      location: 'https://example.org/a.zip',
      identity: 'https://example.org/a.zip',
      credentials: 'ada:s x',
    });
  });

  test.each([
    ['ext::sh -c id'],
    ['ftp://example.org/x'],
    ['git://example.org/x'],
    ['javascript:alert(1)'],
    [''],
    ['a b'],
    ['skills'],
    ['--upload-pack=id'],
    ['-oProxyCommand=id:x'],
    ['https://github.com/our-team/%2e%2e%2fevil/r'],
    ['https://github.com/our-team/..%5cevil'],
    ['https://'],
    ['owner/repo\u202e'],
  ])('is no source: %j', (text) => {
    expect(() => parseSource(text, HERE)).toThrow(expect.objectContaining({ code: 'SOURCE_INVALID' }));
  });

  test.each(['--output=x', 'a..b', '@{u}', 'a b', ''])('is no ref: %j', (ref) => {
    expect(() => parseSource('o/r', { ...HERE, ref })).toThrow(
      expect.objectContaining({ code: 'SOURCE_INVALID' }),
    );
  });

  test.each(['../x', '/etc', 'a/../../b'])('is no folder inside: %j', (subpath) => {
    expect(() => parseSource('o/r', { ...HERE, subpath })).toThrow(
      expect.objectContaining({ code: 'SOURCE_INVALID' }),
    );
  });

  test('a password is not part of the message', () => {
    expect(() => parseSource('ftp://ada:secret@example.org/x', HERE)).not.toThrow(/secret/);
  });
});

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '192.168.0.1',
    '172.31.0.1',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '100.64.0.1',
  ])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));
  test.each(['1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])('%s is not', (address) =>
    expect(isPrivateAddress(address)).toBe(false),
  );
  test('a name says by itself whether it means this machine', () => {
    expect(['localhost', 'x.localhost', '[::1]', '127.0.0.1'].map(namesPrivateHost)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['example.org', 'localhost.example.org'].map(namesPrivateHost)).toEqual([false, false]);
  });
});
