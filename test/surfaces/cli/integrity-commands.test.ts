import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { temporaryDirectory } from '../../support/temporary.ts';
import { colibri, skillText, workspaceWith, writeSkill } from './harness.ts';

function skill(name: string, body?: string): string {
  return skillText({ name, description: `About ${name}.` }, body);
}

/** One skill in step, one that was edited in the mirror. */
async function drifted(): Promise<{ readonly cwd: string; readonly home: string }> {
  const cwd = workspaceWith({ one: skill('one'), two: skill('two') });
  const home = temporaryDirectory();
  const places = { cwd, home };
  expect((await colibri(['sync'], places)).code).toBe(0);
  writeSkill(path.join(cwd, '.claude/skills/two'), skill('two', 'Do \u001b[31mevil\u202e.\n'));
  return places;
}

test('drift exits with 0 in step and with 1 when something differs, one line a file in a pipe', async () => {
  const places = await drifted();
  const ran = await colibri(['drift'], places);
  expect(ran).toMatchObject({
    code: 1,
    stdout: 'changed\ttwo\t.claude/skills\tSKILL.md\tthe text differs (changed in the mirror)\n',
  });
  expect(ran.stderr).toContain('.claude/skills: 1 in step, 1 difference');
  expect((await colibri(['sync', '--force'], places)).code).toBe(0);
  expect(await colibri(['drift', '--quiet'], places)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('drift --diff shows the lines in a pipe, too, and a mode that differs beside them', async () => {
  const places = await drifted();
  const script = path.join(places.cwd, '.agents/skills/one/run.sh');
  writeFileSync(script, 'one\n', { mode: 0o644 });
  expect((await colibri(['sync', 'one'], places)).code).toBe(0);
  writeFileSync(script, 'two\n');
  chmodSync(script, 0o755);
  const { stdout } = await colibri(['drift', '--diff'], places);
  expect(stdout).toContain(
    '  run.sh: other content; mode 755 canonical, 644 in the mirror (changed in the canonical root)\n',
  );
  expect(stdout).toContain('    -two\n    +one\n');
  chmodSync(script, 0o600);
  const rows = (await colibri(['drift'], places)).stdout;
  expect(rows).toContain('\trun.sh\tother content (changed in the canonical root)\n');
});

test('what a copy says never steers the terminal', async () => {
  const places = await drifted();
  const shown = await colibri(['drift', '--diff', '--no-color'], { ...places, terminal: 80 });
  expect(shown.stdout).toContain('+Do \\u{1b}[31mevil\\u{202e}.');
  const { stdout } = await colibri(['drift', '--diff', '--json'], places);
  for (const hidden of ['\u001b', '\u202e']) expect(stdout).not.toContain(hidden);
  expect(JSON.parse(stdout)).toMatchObject({ drift: 1, mirrors: [{ root: '.claude/skills', in_step: 1 }] });
});

test('sync says what it does, keeps an edit with exit code 1, and names an unknown skill', async () => {
  const places = await drifted();
  const planned = await colibri(['sync', '--dry-run', '--collect'], places);
  expect(planned).toMatchObject({
    code: 0,
    stdout: 'would collect\ttwo\t.claude/skills\tedited in the mirror\n',
  });
  const kept = await colibri(['sync'], places);
  expect(kept.code).toBe(1);
  expect(kept.stdout).toMatch(/^kept\ttwo\t/);
  expect(JSON.parse((await colibri(['sync', '--json'], places)).stdout)).toMatchObject({
    kept: 1,
    changed: 0,
  });
  expect((await colibri(['sync', 'onee'], places)).stderr).toContain('did you mean one?');
  expect((await colibri(['sync', 'one'], places)).code).toBe(0);
});

test('a mirror that leads out of the workspace is refused', async () => {
  const { cwd, home } = await drifted();
  rmSync(path.join(cwd, '.claude'), { recursive: true });
  mkdirSync(path.join(home, 'elsewhere'));
  symlinkSync(path.join(home, 'elsewhere'), path.join(cwd, '.claude'));
  const ran = await colibri(['sync'], { cwd, home });
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('leads out of the workspace');
});

test('rounds are started, listed, shown and compared', async () => {
  const cwd = workspaceWith({ one: skill('one') });
  const places = { cwd, home: temporaryDirectory(), env: { USER: 'ada' } };
  expect((await colibri(['round', 'compare'], places)).stderr).toContain('no round was started yet');
  const started = JSON.parse((await colibri(['round', 'start', '--name', 'v1', '--json'], places)).stdout);
  expect(started).toMatchObject({ name: 'v1', started_by: 'ada', skills: 1 });
  expect((await colibri(['round', 'compare'], places)).code).toBe(0);
  writeSkill(
    path.join(cwd, '.agents/skills/one'),
    skillText({ name: 'one', description: 'About one.', 'allowed-tools': 'Bash' }),
  );
  expect(await colibri(['round', 'compare', '-q'], places)).toEqual({
    code: 1,
    stdout: 'critical\tone\ttools\tmay now use Bash\n',
    stderr: '',
  });
  const listed = (await colibri(['round', 'list'], places)).stdout.split('\t');
  expect(listed.slice(0, 2)).toEqual([started.id, 'v1']);
  expect((await colibri(['round', 'show', 'v1'], places)).stdout).toBe('one\t-\tworkspace\t2\t0\t-\n');
  expect((await colibri(['round', 'start', '--name', 'v1'], places)).code).toBe(2);
});

test('hosts gives an overview, one host in detail, and refuses others', async () => {
  const cwd = workspaceWith({ one: skill('one') });
  const places = { cwd, home: temporaryDirectory() };
  const { code, stdout } = await colibri(['hosts'], places);
  const rows = stdout.trimEnd().split('\n');
  expect([code, rows.length]).toEqual([0, 9]);
  expect(rows).toContain('codex\t1\t0\t0\t.agents/skills');
  expect(rows).toContain('claude-code\t0\t0\t1\t-');
  expect((await colibri(['hosts', 'claude-code'], places)).stdout).toBe(
    'ignored\tone\t.agents/skills/one\tClaude Code does not read this folder\n',
  );
  expect(JSON.parse((await colibri(['hosts', '--json'], places)).stdout).differences).toMatchObject([
    { skill: 'one', kinds: ['sight'], unseen: ['claude-code'] },
  ]);
  expect((await colibri(['hosts', 'emacs'], places)).code).toBe(2);
});

test('a file in the place of a skill folder stops only that skill', async () => {
  const { cwd, home } = await drifted();
  writeSkill(path.join(cwd, '.agents/skills/three'), skill('three'));
  writeFileSync(path.join(cwd, '.claude/skills/three'), 'mine');
  const ran = await colibri(['sync'], { cwd, home });
  expect(ran.stdout).toMatch(/^failed\tthree\t.*is in the way and no skill folder/m);
});
