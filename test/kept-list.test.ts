/** The last list is printed again only when a new one would be the same. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { compiledFiles, copyBuild, type Installed, workIn } from './support/installed.ts';
import { writeSkill } from './support/skill-files.ts';
import { makeTemporaryDirectory, removeTree, temporaryDirectory } from './support/temporary.ts';

interface World extends Installed {
  readonly root: string;
  readonly database: string;
  readonly kept: string;
}

/** How a list that was kept tells itself apart: the real one says `About one.` */
const MARKED = 'ABOUT ONE.';

const installation = makeTemporaryDirectory();
let shared: string;
beforeAll(() => {
  shared = copyBuild(installation);
});
afterAll(() => removeTree(installation));

/** A workspace whose list is kept, and marked. */
function keptWorld(): World {
  const installed = workIn(temporaryDirectory(), shared);
  const database = path.join(installed.workspace, 'data', 'colibri.db');
  const kept = `${database}-list`;
  // The first one fills the index; a database that was written a moment ago is not relied on.
  for (let lists = 0; !existsSync(kept) && lists < 5; lists++) installed.run('bin.cjs', 'list');
  mark(kept);
  return { ...installed, database, kept, root: path.join(installed.workspace, '.agents', 'skills') };
}

function mark(kept: string): void {
  writeFileSync(kept, readFileSync(kept, 'latin1').replace('About one.', MARKED), 'latin1');
}

test('a list that would be the same is printed again, with what was said beside it', () => {
  const { run, root, kept } = keptWorld();
  expect(run('bin.cjs', 'list')).toMatchObject({
    status: 0,
    stdout: `one\t-\tworkspace\t${MARKED}\n`,
    stderr: '',
  });
  expect(compiledFiles(shared)).toContainEqual(expect.stringMatching(/kept\.cjs-list$/));
  writeSkill(root, 'broken', { lines: ['metadata: [1'] });
  for (let lists = 0; lists < 3; lists++) run('bin.cjs', 'list');
  mark(kept);
  const said = { status: 0, stdout: expect.stringContaining(MARKED), stderr: run('cli.js', 'list').stderr };
  expect(said.stderr).toContain('1 rejected');
  expect(run('bin.cjs', 'list')).toMatchObject(said);
  expect(run('bin.cjs', 'list', '--no-color', '--workspace', '.')).toMatchObject(said);
  expect(run('bin.cjs', 'list', '--quiet')).toMatchObject({ ...said, stderr: '' });
});

const QUESTIONS: readonly (readonly string[])[] = [
  ['list', '--json', '--search', 'one'],
  ['list', '--search', 'one'],
  ['list', '--search=nothing'],
  ['list', '--capability', 'x'],
  ['list', '--all'],
  ['list', '--db'],
  ['list', '--db', '-q'],
  ['list', '--db=data/colibri.db'],
  ['list', 'one'],
  ['list', '--help'],
  ['list', '--version'],
  ['list', '--workspace', 'missing'],
  ['list', '--db', 'data/other.db'],
  ['--quiet', 'list'],
];

test('other questions have their own answers', () => {
  const { run } = keptWorld();
  for (const words of QUESTIONS) {
    const { status, stdout, stderr } = run('cli.js', ...words);
    expect({ words, ...run('bin.cjs', ...words) }).toMatchObject({ words, status, stdout, stderr });
  }
});

/** The times of a file as they were, where the system lets them be set. */
function withTimesOf(file: string, change: () => void): void {
  const { atime, mtime } = statSync(file);
  change();
  utimesSync(file, atime, mtime);
}

const CHANGES: Readonly<Record<string, (world: World) => void>> = {
  'a text of the same length and time': ({ root }) => {
    const file = path.join(root, 'one', 'SKILL.md');
    withTimesOf(file, () => writeFileSync(file, readFileSync(file, 'utf8').replace('About', 'Abuot')));
  },
  'a new skill': ({ root }) => writeSkill(root, 'two'),
  'a skill that went': ({ root }) => rmSync(path.join(root, 'one'), { recursive: true }),
  'a skill in the mirror': ({ workspace }) => writeSkill(path.join(workspace, '.claude', 'skills'), 'two'),
  'a skill that is switched off': ({ run }) => void run('bin.cjs', 'disable', 'one'),
  'a file of switches that is none': ({ workspace }) =>
    writeFileSync(path.join(workspace, 'colibri.skills.json'), '{'),
  'a configuration': ({ workspace }) =>
    writeFileSync(
      path.join(workspace, 'colibri.config.json'),
      '{ "roots": { "workspace": { "path": "other" } } }',
    ),
  'a configuration that is none': ({ workspace }) =>
    writeFileSync(path.join(workspace, 'colibri.config.json'), '{'),
  'a row that somebody changed': ({ database }) => {
    const db = new Database(database);
    db.prepare("UPDATE skills SET description = 'Another.' WHERE name = 'one'").run();
    db.close();
  },
  'a database that went': ({ database }) => rmSync(database),
  'a database that came back': ({ database }) => {
    renameSync(database, `${database}.old`);
    copyFileSync(`${database}.old`, database);
  },
  'a database of the same size and time that is damaged': ({ database }) =>
    withTimesOf(database, () => writeFileSync(database, Buffer.alloc(statSync(database).size, 'x'))),
  'a recovery that was interrupted': ({ database }) => copyFileSync(database, `${database}.recovered`),
  'a list that lost its end': ({ kept }) => truncateSync(kept, statSync(kept).size - 1),
  'a list that grew': ({ kept }) => appendFileSync(kept, 'more\n'),
  'a list that lost its beginning': ({ kept }) => writeFileSync(kept, readFileSync(kept).subarray(9)),
  'a list without anything in it': ({ kept }) => truncateSync(kept),
  'a list of zeros': ({ kept }) => writeFileSync(kept, Buffer.alloc(statSync(kept).size)),
  'a list behind a link': ({ kept }) => {
    renameSync(kept, `${kept}.moved`);
    symlinkSync(`${kept}.moved`, kept);
  },
  'a folder in its place': ({ kept }) => {
    rmSync(kept);
    mkdirSync(kept);
  },
};

test.each(Object.entries(CHANGES))('%s is noticed', (_what, change) => {
  const world = keptWorld();
  expect(world.run('bin.cjs', 'list').stdout).toContain(MARKED);
  change(world);
  const { status, stdout, stderr } = world.run('bin.cjs', 'list');
  expect(stdout).not.toContain(MARKED);
  expect({ status, stdout, stderr }).toEqual({ ...plain(world) });
});

function plain({ run }: Installed) {
  const { status, stdout, stderr } = run('cli.js', 'list');
  return { status, stdout, stderr };
}

test('another build makes its own list', () => {
  const { run } = keptWorld();
  const launcher = readFileSync(path.join(shared, 'bin.cjs'), 'utf8');
  writeFileSync(
    path.join(shared, 'other.cjs'),
    launcher.replace(/const BUILD = '\w+'/, "const BUILD = 'other'"),
  );
  expect(run('bin.cjs', 'list').stdout).toContain(MARKED);
  expect(run('other.cjs', 'list').stdout).not.toContain(MARKED);
});

test('a list that is made although it was kept is not kept again', () => {
  const { run, kept } = keptWorld();
  const { ino } = statSync(kept);
  expect(run('bin.cjs', 'list', '--db=data/colibri.db').stdout).not.toContain(MARKED);
  expect(statSync(kept).ino).toBe(ino);
  expect(run('bin.cjs', 'list', '-q').stdout).toContain(MARKED);
});

test('a document is kept apart from the lines', () => {
  const { run, kept } = keptWorld();
  const { stdout } = run('cli.js', 'list', '--json');
  for (let lists = 0; lists < 2; lists++) expect(run('bin.cjs', 'list', '--json')).toMatchObject({ stdout });
  mark(`${kept}-json`);
  expect(run('bin.cjs', 'list', '--json').stdout).toBe(stdout.replace('About one.', MARKED));
  expect(run('bin.cjs', 'list').stdout).toContain(MARKED);
  rmSync(kept);
  expect(run('bin.cjs', 'list').stdout).not.toContain(MARKED);
});

test('while the log of another process holds something, the database is asked', () => {
  const { run, database, kept } = keptWorld();
  const other = new Database(database);
  other.pragma('wal_autocheckpoint = 0');
  other.prepare("UPDATE skills SET description = 'Another.' WHERE name = 'one'").run();
  expect(run('bin.cjs', 'list').stdout).toContain('Another.');
  // A list leaves the log empty behind it, so that the next ones are kept while the other process has nothing to write.
  for (let lists = 0; lists < 2; lists++) run('bin.cjs', 'list');
  writeFileSync(kept, readFileSync(kept, 'latin1').replace('Another.', 'ANOTHER.'), 'latin1');
  expect(run('bin.cjs', 'list').stdout).toContain('ANOTHER.');
  other.prepare("UPDATE skills SET description = 'Changed.' WHERE name = 'one'").run();
  expect(run('bin.cjs', 'list').stdout).toContain('Changed.');
  other.close();
});

test('two workspaces with one database have a list each', () => {
  const { run, workspace, database } = keptWorld();
  const second = path.join(workspace, 'second');
  writeSkill(path.join(second, '.agents', 'skills'), 'two');
  const list = () => run('bin.cjs', 'list', '--workspace', second, '--db', database).stdout;
  for (let lists = 0; lists < 3; lists++) expect(list()).toBe('two\t-\tworkspace\tAbout two.\n');
  expect(run('bin.cjs', 'list').stdout).toBe('one\t-\tworkspace\tAbout one.\n');
});

test('a database that is reached by a link has its list beside the file', () => {
  const { run, workspace, database } = keptWorld();
  const link = path.join(workspace, 'link.db');
  symlinkSync(database, link);
  expect(run('bin.cjs', 'list', '--db', link).stdout).toContain(MARKED);
  expect(existsSync(`${link}-list`)).toBe(false);
});
