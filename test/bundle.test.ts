/** The bundle that users start is the same program as the modules it is made of. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { compiledFiles, install } from './support/installed.ts';
import { sendInitialize, spawnRpc } from './support/rpc-process.ts';
import { writeSkill } from './support/skill-files.ts';

test('the bundle and the modules answer alike, with and without compiled code', () => {
  const { dist, run } = install();
  const plain = run('cli.js', 'list', '--json');
  expect(run('bin.cjs', 'list', '--json')).toMatchObject({ status: 0, stdout: plain.stdout, stderr: '' });
  expect(compiledFiles(dist)).toEqual([expect.stringMatching(/-list$/)]);
  expect(run('bin.cjs', 'list', '--json')).toMatchObject({ status: 0, stdout: plain.stdout, stderr: '' });
  expect(run('bin.cjs', '--version').stdout).toBe(run('cli.js', '--version').stdout);
});

test('damaged compiled code is replaced and does no harm', () => {
  const { dist, run } = install();
  const { stdout } = run('bin.cjs', 'show', 'one');
  const [file = ''] = compiledFiles(dist);
  const place = path.join(dist, 'compiled', file);
  const good = readFileSync(place);
  const bad = Buffer.from(good);
  bad.fill(0x61, 200, 4000);
  writeFileSync(place, bad);
  expect(run('bin.cjs', 'show', 'one')).toMatchObject({ status: 0, stdout, stderr: '' });
  expect(readFileSync(place).equals(bad)).toBe(false);
});

test('where nothing can be kept, everything works as well', () => {
  const { dist, run } = install();
  writeFileSync(path.join(dist, 'compiled'), 'in the way');
  expect(run('bin.cjs', 'list')).toMatchObject({ status: 0, stderr: '' });
});

test('an error names the function and the place in the bundle', () => {
  const { workspace, dist } = install();
  const debug = { PATH: process.env['PATH'], HOME: workspace, COLIBRI_DEBUG: '1' };
  const { stderr } = spawnSync(process.execPath, [path.join(dist, 'bin.cjs'), 'show', 'nothing'], {
    cwd: workspace,
    encoding: 'utf8',
    env: debug,
  });
  expect(stderr).toMatch(/at unknownSkill \(.*bundle\.cjs:\d+:\d+\)/);
});

test('the launcher starts by itself', () => {
  const { dist, workspace } = install();
  expect(
    execFileSync(path.join(dist, 'bin.cjs'), ['--version'], { cwd: workspace, encoding: 'utf8' }),
  ).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('the quick list shows hostile texts like that of the whole program', () => {
  const { dist, run, workspace } = install();
  const root = path.join(workspace, '.agents', 'skills');
  writeSkill(root, 'breaks', { description: 'one\ttwo\nthree\r\nfour\r', lines: ['version: "1\\t2"'] });
  writeSkill(root, 'hidden', { description: 'a\u202eb\u0007c\u001b[31md\u200b' });
  writeSkill(root, 'letters', { description: 'Größe, 数据, 🐦' });
  const full = run('bin.cjs', 'list');
  expect(full.stdout.split('\n')).toHaveLength(5);
  for (const words of [['list'], ['list', '--search', 'größe'], ['list', '--search', 'nothing at all']]) {
    expect(run('bin.cjs', ...words)).toMatchObject({ status: 0, stderr: full.stderr });
  }
  expect(run('bin.cjs', 'list').stdout).toBe(full.stdout);
  expect(run('bin.cjs', 'list', '--search', 'größe').stdout).toMatch(/^letters\t[^\n]*\n$/);
  expect(compiledFiles(dist)).toContainEqual(expect.stringMatching(/quick\.cjs-list$/));
});

test('a server keeps its compiled code once it serves, and takes it the next time', async () => {
  const { dist, workspace } = install();
  const kept = () =>
    compiledFiles(dist).map((file) => [file, statSync(path.join(dist, 'compiled', file)).ino]);
  const start = async () => {
    const server = spawnRpc([path.join(dist, 'bin.cjs'), 'serve'], { cwd: workspace });
    sendInitialize(server);
    while (!server.stderr().includes('serving')) await setTimeout(20);
    server.send({ id: 1, method: 'ping' });
    await server.answer(1);
    return server;
  };
  // Without a chance to do anything at its end.
  (await start()).child.kill('SIGKILL');
  const first = kept();
  expect(first.map(([file]) => file)).toEqual([
    expect.stringMatching(/bundle\.cjs-serve$/),
    expect.stringMatching(/quick\.cjs-serve$/),
  ]);
  const second = await start();
  second.child.stdin.end();
  expect(await second.ended).toBe(0);
  // Code that V8 refused would have been written anew.
  expect(kept()).toEqual(first);
});

test('a configuration file, which the quick bundle cannot read, is read by the whole program', () => {
  const { run, workspace } = install();
  writeFileSync(path.join(workspace, 'colibri.config.json'), '{ "database": "data/other.db" }');
  for (const words of [['list'], ['list', '--json']]) {
    const plain = run('cli.js', ...words);
    expect(run('bin.cjs', ...words)).toMatchObject({ status: 0, stdout: plain.stdout, stderr: '' });
  }
  writeFileSync(path.join(workspace, 'colibri.config.json'), '{ "database": 7 }');
  expect(run('bin.cjs', 'list')).toMatchObject({ status: 3, stderr: run('cli.js', 'list').stderr });
});

test('the first list of a folder indexes it without the whole program, and like it', () => {
  const { dist, run, workspace } = install();
  writeSkill(path.join(workspace, '.agents', 'skills'), 'broken', { lines: ['metadata: [1'] });
  const first = run('bin.cjs', 'list', '--json');
  // Nothing is kept: a later list takes less.
  expect(readdirSync(dist)).not.toContain('compiled');
  rmSync(path.join(workspace, 'data'), { recursive: true });
  expect(first).toEqual({ ...run('cli.js', 'list', '--json'), pid: expect.any(Number) });
  expect(JSON.parse(first.stdout)).toMatchObject({ skills: [{ name: 'one' }], rejected: 1 });
  expect(run('bin.cjs', 'events', 'verify').status).toBe(0);
});

test('a list that nothing has changed for is answered by the quick bundle, like that of the whole program', () => {
  const { dist, run, workspace } = install();
  const full = run('cli.js', 'list');
  expect(run('bin.cjs', 'list')).toEqual({ ...full, pid: expect.any(Number) });
  expect(compiledFiles(dist)).toEqual([expect.stringMatching(/quick\.cjs-list$/)]);
  writeSkill(path.join(workspace, '.agents', 'skills'), 'two');
  expect(run('bin.cjs', 'list').stdout.split('\n')).toHaveLength(3);
  expect(run('bin.cjs', 'list', '--nonsense')).toMatchObject({ status: 2, stdout: '' });
  expect(run('bin.cjs', 'list', '--all')).toMatchObject({ status: 0 });
});
