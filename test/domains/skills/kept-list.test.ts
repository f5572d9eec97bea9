import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { readKeptList, writeKeptList } from '../../../src/domains/skills/kept-list.ts';
import { EMPTY_SNAPSHOT } from '../../../src/domains/skills/scan/root-snapshot.ts';
import { encodeSnapshot } from '../../../src/domains/skills/scan/snapshot-bytes.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const TEXT = 'größe\t1\tworkspace\tText.\n';
const STATE = 'build\n/work "space"\n1 2 3 4';

function kept(text = TEXT): string {
  const file = path.join(temporaryDirectory(), 'some.db-list');
  const roots = ['/a', '/b "c"'].map((root) => ({
    path: root,
    key: 'workspace strict 1 x',
    snapshot: encodeSnapshot(EMPTY_SNAPSHOT),
  }));
  writeKeptList(file, { text, note: '1 rejected' }, { state: STATE, roots });
  return file;
}

test('a list comes back as it was, in the state that it was kept in', () => {
  const file = kept();
  const found = readKeptList(file, STATE);
  expect(Buffer.from(found?.text ?? []).toString()).toBe(TEXT);
  expect(found).toMatchObject({ note: '1 rejected', seen: [{ path: '/a' }, { path: '/b "c"' }] });
  expect(readKeptList(file, `${STATE}0`)).toBeNull();
  expect(readKeptList(`${file}.none`, STATE)).toBeNull();
});

test('it is for its owner alone, and nothing else is left', () => {
  const file = kept();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(path.dirname(file))).toEqual(['some.db-list']);
});

test('a file of any other length is none', () => {
  const file = kept();
  const bytes = readFileSync(file);
  for (let length = 0; length < bytes.length; length++) {
    writeFileSync(file, bytes.subarray(0, length));
    expect(readKeptList(file, STATE)).toBeNull();
  }
  writeFileSync(file, Buffer.concat([bytes, Buffer.from('x')]));
  expect(readKeptList(file, STATE)).toBeNull();
});

test('what is too large, and what cannot be written, is not kept', () => {
  expect(readdirSync(path.dirname(kept('x'.repeat(16 * 1024 * 1024))))).toEqual([]);
  const folder = temporaryDirectory();
  const list = { text: TEXT, note: null };
  writeKeptList(path.join(folder, 'none', 'some.db-list'), list, { state: STATE, roots: [] });
  expect(readdirSync(folder)).toEqual([]);
});
