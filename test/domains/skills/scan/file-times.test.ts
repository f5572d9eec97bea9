import { type Stats, statSync } from 'node:fs';

import { expect, test } from 'vitest';

import { isSameListing, listingMark } from '../../../../src/domains/skills/scan/file-times.ts';
import { NEVER_LISTED } from '../../../../src/domains/skills/scan/root-snapshot.ts';
import { isRacy } from '../../../../src/lib/file-mark.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';

/** What a folder of this age looks like. */
function changedAt(ctimeMs: number): Stats {
  return Object.assign(Object.create(statSync('/')) as Stats, { ctimeMs });
}

test('times of the last 20 ms tell nothing, and on file systems that count seconds those of the last two', () => {
  const now = 1_700_000_010_000;
  expect(isRacy(changedAt(now - 19.5), now)).toBe(true);
  expect(isRacy(changedAt(now - 20.5), now)).toBe(false);
  expect(isRacy(changedAt(now + 5000.5), now)).toBe(true);
  expect(isRacy(changedAt(now - 1000), now)).toBe(true);
  expect(isRacy(changedAt(now - 2000), now)).toBe(false);
});

test('a listing is remembered by the times, the inode and the device of its folder', () => {
  const folder = temporaryDirectory();
  const stats = statSync(folder);
  const mark = listingMark(folder, stats, stats.ctimeMs + 5000);
  // Elsewhere than on Linux nothing is remembered.
  expect(isSameListing(mark, stats)).toBe(process.platform === 'linux');
  for (const other of ['mtimeMs', 'ctimeMs', 'ino', 'dev'] as const) {
    expect(isSameListing(mark, Object.assign(Object.create(stats) as Stats, { [other]: 1 }))).toBe(false);
  }
});

test('a folder that is gone, or on a file system whose times say nothing of its names, is always listed', () => {
  const stats = statSync(temporaryDirectory());
  const later = stats.ctimeMs + 5000;
  // The kernel makes up what is in there whenever somebody looks.
  expect(listingMark('/proc', stats, later)).toEqual(NEVER_LISTED);
  expect(listingMark('/there/is/no/such/folder', stats, later)).toEqual(NEVER_LISTED);
  expect(isSameListing(NEVER_LISTED, stats)).toBe(false);
});
