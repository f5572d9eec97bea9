import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { replaceFile } from '../../src/lib/durable-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/** Where the new content waits for its name. */
function waiting(file: string): string {
  return `${file}.${process.pid}.new`;
}

test.each(['the file', 'the place where its content waits'])(
  'a link in the place of %s is not written through',
  (place) => {
    const folder = temporaryDirectory();
    const [file, mine] = [path.join(folder, 'file'), path.join(folder, 'mine')];
    writeFileSync(mine, 'mine');
    symlinkSync(mine, place === 'the file' ? file : waiting(file));
    replaceFile(file, 'new');
    expect(readFileSync(mine, 'utf8')).toBe('mine');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(folder).sort()).toEqual(['file', 'mine']);
  },
);

test('what somebody has left there is no hindrance', () => {
  const file = path.join(temporaryDirectory(), 'file');
  mkdirSync(path.join(waiting(file), 'full'), { recursive: true });
  replaceFile(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
});

test('a file that cannot be replaced stays, and nothing else is left', () => {
  const file = path.join(temporaryDirectory(), 'file');
  mkdirSync(path.join(file, 'full'), { recursive: true });
  expect(() => replaceFile(file, 'new')).toThrow(/EISDIR|ENOTEMPTY|EEXIST|EPERM/);
  expect(existsSync(waiting(file))).toBe(false);
  expect(readdirSync(file)).toEqual(['full']);
});
