import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { readArchive } from '../../../../src/domains/integrity/install/archive.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';
import { paxName, type TarEntry, tar, tarGz, type ZipEntry, zip } from './archives.ts';
import { installWorld, SKILL, snapshot } from './world.ts';

const GOOD = { name: 'notes/SKILL.md', content: SKILL('notes') };

interface Hostile {
  readonly what: string;
  readonly bytes: Buffer;
  readonly says: RegExp;
}

function hostileTar(what: string, entries: readonly TarEntry[], says: RegExp): Hostile {
  return { what: `tar: ${what}`, bytes: tarGz([GOOD, ...entries]), says };
}

function hostileZip(what: string, entries: readonly ZipEntry[], says: RegExp): Hostile {
  return { what: `zip: ${what}`, bytes: zip([GOOD, ...entries]), says };
}

const BAD_NAMES: readonly (readonly [string, string, RegExp])[] = [
  ['a way out', '../evil', /leads out|invalid relative path/],
  ['a way out further in', 'notes/../../evil', /leads out|invalid relative path/],
  ['an absolute name', '/etc/evil', /absolute/],
  ['a drive', 'C:/evil', /absolute/],
  ['a backslash', 'notes\\evil', /backslash|invalid characters in fileName/],
  ['a control character', 'notes/e\u0007vil', /cannot be seen/],
  ['a line break', 'notes/e\nvil', /cannot be seen/],
  ['a direction mark', 'notes/e\u202evil', /cannot be seen/],
  ['a dot segment', 'notes/./evil', /empty segment/],
  ['an empty segment', 'notes//evil', /empty segment/],
  ['a trailing dot', 'notes/evil.', /ends with a dot or a blank/],
  ['a trailing blank', 'notes/evil /x', /ends with a dot or a blank/],
  ['a duplicate', 'notes/SKILL.md', /is there twice/],
  ['the same but for case', 'notes/skill.md', /collides with notes\/SKILL\.md/],
  ['a folder in another case', 'Notes/other.md', /collides with notes/],
  ['a file that is a folder', 'notes/SKILL.md/x', /collides with notes\/SKILL\.md/],
  ['a folder that is a file', 'notes', /collides with notes/],
];

const HOSTILE: readonly Hostile[] = [
  ...BAD_NAMES.flatMap(([what, name, says]) => [
    hostileTar(what, [{ name, content: 'x' }], says),
    hostileZip(what, [{ name, content: 'x' }], says),
  ]),
  hostileTar('the same in another Unicode form', [{ name: 'n/\u00e9' }, { name: 'n/e\u0301' }], /collides/),
  hostileZip('the same in another Unicode form', [{ name: 'n/\u00e9' }, { name: 'n/e\u0301' }], /collides/),
  hostileTar('a NUL in an extended name', [paxName('notes/e\0vil'), { name: 'x' }], /cannot be seen|Invalid/),
  hostileZip('a NUL', [{ name: 'notes/e\0vil' }], /cannot be seen/),
  hostileTar('a way out in an extended name', [paxName('../evil'), { name: 'x' }], /leads out/),
  hostileTar('a link', [{ name: 'notes/l', type: '2', link: '/etc/passwd' }], /is no file but a symlink/),
  hostileZip('a link', [{ name: 'notes/l', content: '/etc/passwd', mode: 0o120777 }], /but a symlink/),
  hostileTar('a hard link', [{ name: 'notes/l', type: '1', link: '/etc/passwd' }], /is no file but a link/),
  hostileTar('a device', [{ name: 'notes/d', type: '3' }], /character-device/),
  hostileZip('a device', [{ name: 'notes/d', mode: 0o060644 }], /block-device/),
  hostileTar('a pipe', [{ name: 'notes/p', type: '6' }], /fifo/),
  hostileTar('a set-user bit', [{ name: 'notes/s', mode: 0o4755 }], /set-user/),
  hostileZip('a set-user bit', [{ name: 'notes/s', mode: 0o104755 }], /set-user/),
  hostileZip('encryption', [{ name: 'notes/secret', content: 'x', flags: 1 }], /encrypted/),
  hostileZip('a wrong checksum', [{ name: 'notes/x', content: 'x', crc: 1 }], /damaged/),
  hostileZip(
    'a smaller size than there is',
    [{ name: 'notes/x', content: 'xxxx', size: 2 }],
    /too many bytes/,
  ),
  hostileTar('more than it says at the end', [{ name: 'notes/x', content: 'x', size: 4096 }], /end of data/),
  {
    what: 'tar: cut off',
    bytes: tarGz([GOOD, { name: 'notes/x', content: 'x'.repeat(5000) }]).subarray(0, 150),
    says: /unexpected end/,
  },
  {
    what: 'tar: a tar that is none',
    bytes: gzipSync('no tar at all'.repeat(100)),
    says: /Invalid tar header|end of data/,
  },
  { what: 'zip: cut off', bytes: zip([GOOD]).subarray(0, 100), says: /end of central directory/i },
  { what: 'no archive', bytes: Buffer.from('hello'), says: /neither a zip nor/ },
  {
    what: 'tar: a bomb',
    bytes: gzipSync(tar([GOOD, { name: 'notes/zeros', content: Buffer.alloc(30 * 1024 * 1024) }]), {
      level: 9,
    }),
    says: /unpacks to more than/,
  },
  {
    what: 'zip: a bomb',
    bytes: zip([GOOD, { name: 'notes/zeros', content: Buffer.alloc(30 * 1024 * 1024) }]),
    says: /unpacks to more than/,
  },
  {
    what: 'tar: too many files',
    bytes: tarGz(Array.from({ length: 10_001 }, (_, at) => ({ name: `notes/f${at}` }))),
    says: /unpacks to more than|more than 10000 entries/,
  },
  {
    what: 'zip: too many files',
    bytes: zip(Array.from({ length: 10_001 }, (_, at) => ({ name: `notes/f${at}` }))),
    says: /more than 10000 entries/,
  },
];

describe('a hostile archive is refused as a whole', () => {
  test.each(HOSTILE)('$what', async ({ bytes, says }) => {
    const refused = readArchive(bytes, 'evil').then(
      () => null,
      (error: unknown) => error,
    );
    expect(await refused).toMatchObject({ code: 'ARCHIVE_REFUSED', message: expect.stringMatching(says) });
  });

  test('and nothing of it is left on the disk', async () => {
    const { install, workspace } = await installWorld();
    const before = snapshot(workspace);
    const archive = path.join(temporaryDirectory(), 'evil.zip');
    for (const { bytes } of HOSTILE) {
      writeFileSync(archive, bytes);
      await expect(install.add({ source: archive, yes: true })).rejects.toMatchObject({
        code: 'ARCHIVE_REFUSED',
      });
    }
    expect(snapshot(workspace)).toEqual(before);
  });
});

describe('an honest archive', () => {
  const entries = [
    GOOD,
    { name: 'notes/scripts/' },
    { name: 'notes/scripts/run.sh', content: '#!/bin/sh\n' },
  ];

  test.each([
    ['zip', zip(entries.map((entry) => ({ ...entry, ...zipMode(entry.name) })))],
    ['tar', tarGz(entries.map((entry) => ({ ...entry, ...tarMode(entry.name) })))],
    [
      'tar of a folder itself',
      tarGz([
        { name: './', type: '5' },
        { ...GOOD, name: './notes/SKILL.md' },
        { name: './notes/scripts/run.sh', content: '#!/bin/sh\n', mode: 0o755 },
      ]),
    ],
  ])('gives its files and their modes: %s', async (_, bytes) => {
    expect(await readArchive(bytes, 'good')).toEqual([
      { path: 'notes/SKILL.md', bytes: Buffer.from(GOOD.content), executable: false },
      { path: 'notes/scripts/run.sh', bytes: Buffer.from('#!/bin/sh\n'), executable: true },
    ]);
  });

  test('may be small and dense', async () => {
    const bytes = tarGz([{ name: 'zeros', content: Buffer.alloc(600_000) }]);
    expect(bytes.length).toBeLessThan(6_000);
    expect(await readArchive(bytes, 'dense')).toHaveLength(1);
  });
});

function zipMode(name: string): { readonly mode: number } {
  if (name.endsWith('/')) return { mode: 0o040755 };
  return { mode: name.endsWith('.sh') ? 0o100755 : 0o100644 };
}

function tarMode(name: string): Pick<TarEntry, 'mode' | 'type'> {
  if (name.endsWith('/')) return { mode: 0o755, type: '5' };
  return { mode: name.endsWith('.sh') ? 0o755 : 0o644 };
}
