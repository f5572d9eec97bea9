/** The place of the database in a workspace that came from anybody. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { foreignRoots, loadConfig } from '../src/config.ts';
import { temporaryDirectory } from './support/temporary.ts';
import { colibri, skillText, workspaceWith } from './surfaces/cli/harness.ts';

function hostile(link: string, target: (victim: string) => string): { cwd: string; victim: string } {
  const cwd = workspaceWith({ tools: skillText({ name: 'tools', description: 'Tools.' }) });
  const victim = temporaryDirectory();
  mkdirSync(path.dirname(path.join(cwd, link)), { recursive: true });
  symlinkSync(target(victim), path.join(cwd, link));
  return { cwd, victim };
}

test.each([['list'], ['doctor'], ['sync'], ['db', 'recover']])(
  '`colibri %s` makes no database where a link of the workspace leads',
  async (...command) => {
    for (const { cwd, victim } of [
      hostile('data', (folder) => folder),
      hostile('data/colibri.db', (folder) => path.join(folder, 'made.db')),
    ]) {
      const ran = await colibri(command, { cwd });
      expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('LINK_OUTSIDE') });
      expect(readdirSync(victim)).toEqual([]);
    }
  },
);

test('a link that stays in the workspace, and a place that the user names, are used', async () => {
  const { cwd } = hostile('data', () => 'kept');
  mkdirSync(path.join(cwd, 'kept'));
  expect(await colibri(['list'], { cwd })).toMatchObject({ code: 0 });
  expect(readdirSync(path.join(cwd, 'kept'))).toContain('colibri.db');
  const elsewhere = hostile('data', (folder) => folder);
  const named = await colibri(['list', '--db', path.join(elsewhere.victim, 'mine.db')], elsewhere);
  expect(named).toMatchObject({ code: 0 });
});

test('roots elsewhere are foreign when only the file in the workspace names them', async () => {
  const cwd = temporaryDirectory();
  const home = temporaryDirectory();
  const roots = { mirror: { path: '~/theirs' }, extra: [{ path: '../more' }, { path: 'inside' }] };
  writeFileSync(path.join(cwd, 'colibri.config.json'), JSON.stringify({ roots }));
  const foreign = async (sources: object) =>
    foreignRoots(await loadConfig({ cwd, home, env: {}, ...sources }));
  expect(await foreign({})).toEqual([path.join(home, 'theirs'), path.resolve(cwd, '../more')]);
  expect(await foreign({ flags: { 'roots.mirror.path': '~/theirs' } })).toEqual([
    path.resolve(cwd, '../more'),
  ]);
  expect(await foreign({ flags: { config: 'colibri.config.json' } })).toEqual([]);
});
