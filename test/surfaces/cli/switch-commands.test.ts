import path from 'node:path';

import { expect, test } from 'vitest';

import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, skillText, writeSkill } from './harness.ts';

function workspace(): string {
  const cwd = temporaryDirectory();
  for (const name of ['alpha', 'beta'])
    writeSkill(path.join(cwd, '.agents/skills', name), skillText({ name, description: 'Does one thing.' }));
  return cwd;
}

test('disable and enable show what is off, and list says so', async () => {
  const cwd = workspace();
  expect((await colibri(['disable', 'beta'], { cwd })).stdout).toBe('beta\tdisabled here by `beta`\n');
  const listed = await colibri(['list'], { cwd });
  expect(listed.stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(['alpha', '']);
  expect(listed.stderr).toBe('1 disabled (`colibri list --all` shows them)\n');
  expect((await colibri(['list', '--all'], { cwd })).stdout).toContain(
    'disabled\tbeta\tworkspace\t.agents/skills/beta/SKILL.md\tdisabled here by `beta`\n',
  );
  expect((await colibri(['doctor'], { cwd })).stdout).toContain(
    'info\tdisabled\t.agents/skills/beta/SKILL.md\tdisabled\t',
  );
  expect((await colibri(['search', 'beta'], { cwd })).stdout).not.toContain('beta\t');
  expect((await colibri(['load', 'beta'], { cwd })).code).not.toBe(0);
  expect((await colibri(['enable', 'beta'], { cwd })).stdout).toBe('');
  expect((await colibri(['load', 'beta'], { cwd })).code).toBe(0);
});

test('a profile is made, shown, used and deleted', async () => {
  const cwd = workspace();
  expect(
    (await colibri(['profile', 'create', 'narrow', '--enable', 'al*', '--disable', 'x,y'], { cwd })).code,
  ).toBe(0);
  expect((await colibri(['profile', 'list'], { cwd })).stdout).toBe('narrow\t-\tal*\tx y\n');
  expect((await colibri(['profile', 'show', 'narrow'], { cwd })).stdout).toBe(
    'on\talpha\t\noff\tbeta\tnot in the profile narrow\n',
  );
  const shown = await colibri(['profile', 'show', 'narrow', '--no-color'], { cwd, terminal: 80 });
  expect(shown.stdout).toMatch(
    /^STATE {2}NAME {3}WHY\non {5}alpha *\noff {4}beta {3}not in the profile narrow$/m,
  );
  await colibri(['profile', 'use', 'narrow'], { cwd });
  expect((await colibri(['list'], { cwd })).stdout).not.toContain('beta');
  await colibri(['profile', 'use', '--none'], { cwd });
  expect((await colibri(['list'], { cwd })).stdout).toContain('beta');
  expect((await colibri(['profile', 'use'], { cwd })).code).toBe(2);
  expect((await colibri(['profile', 'delete', 'narrow'], { cwd })).code).toBe(0);
  expect((await colibri(['profile', 'show', 'narrow'], { cwd })).stderr).toContain('no profile of skills');
});
