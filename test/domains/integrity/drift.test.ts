import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { unifiedDiff } from '../../../src/domains/integrity/drift-diff.ts';
import { createTreeReader } from '../../../src/domains/integrity/drift-reader.ts';
import { LATER } from '../../support/registry.ts';
import { skillText } from '../../support/skill-files.ts';
import { type MirrorWorld, mirrorWorld } from './mirror-world.ts';

/** Two skills, each with a script, and a mirror in step. */
async function inStep(): Promise<MirrorWorld> {
  const world = await mirrorWorld();
  for (const name of ['one', 'two']) {
    world.skill('canonical', name);
    world.write(`.agents/skills/${name}/scripts/run.sh`, `echo ${name}\n`, 0o755);
  }
  cpSync(world.canonical, world.mirror, { recursive: true });
  expect(await world.drift()).toEqual([]);
  return world;
}

test('a skill of one side alone is named with its side', async () => {
  const world = await inStep();
  world.skill('canonical', 'fresh');
  world.skill('mirror', 'stray');
  expect(await world.drift()).toEqual(['canonical-only fresh', 'mirror-only stray']);
});

test('a changed SKILL.md is told by fields and text', async () => {
  const world = await inStep();
  const lines = ['allowed-tools: Bash'];
  world.write(
    '.claude/skills/one/SKILL.md',
    skillText('one', { description: 'Other.', body: '# x\n', lines }),
  );
  const { mirrors, drift } = await world.runtime.drift.check({ diff: true });
  expect(drift).toBe(1);
  const [file] = mirrors[0]?.findings[0]?.files ?? [];
  expect(file).toMatchObject({
    path: 'SKILL.md',
    change: 'content',
    changed_by: null,
    fields: [
      { field: 'allowed-tools', mirror: 'Bash' },
      { field: 'description', canonical: 'About one.', mirror: 'Other.' },
    ],
    body: true,
  });
  expect(file?.diff).toMatchObject({ shown: true });
  expect(file?.diff?.shown === true && file.diff.text).toContain('+allowed-tools: Bash');
});

test('other files, missing files and modes are told one by one', async () => {
  const world = await inStep();
  world.write('.claude/skills/one/scripts/run.sh', 'echo evil\n');
  world.write('.claude/skills/one/extra.txt', 'x');
  world.write('.agents/skills/one/references/new.md', 'x');
  chmodSync(path.join(world.mirror, 'two/scripts/run.sh'), 0o644);
  const { mirrors } = await world.runtime.drift.check();
  const told = mirrors[0]?.findings.map(({ skill, files }) => [
    skill,
    files.map(({ path: file, change }) => `${change} ${file}`),
  ]);
  expect(told).toEqual([
    ['one', ['mirror-only extra.txt', 'canonical-only references/new.md', 'content scripts/run.sh']],
    ['two', ['mode scripts/run.sh']],
  ]);
});

test('after a sync, a file that was tampered with is named with the side that changed', async () => {
  const world = await inStep();
  await world.runtime.sync.sync();
  world.write('.claude/skills/one/scripts/run.sh', 'echo evil\n', 0o755);
  world.write('.agents/skills/two/scripts/run.sh', 'echo newer\n', 0o755);
  const { mirrors } = await world.runtime.drift.check();
  const sides = mirrors[0]?.findings.map(({ skill, files }) => `${skill} ${files[0]?.changed_by}`);
  expect(sides).toEqual(['one mirror', 'two canonical']);
});

test('links to the canonical skills are no drift: the root, a skill, a folder, a file, a hard link', async () => {
  const world = await inStep();
  const own = (relative: string) => path.join(world.mirror, relative);
  const theirs = (relative: string) => path.join(world.canonical, relative);
  // The same content would hide what is tested, so the mirror's copies differ until they are linked.
  world.write('.agents/skills/one/SKILL.md', skillText('one', { body: 'new\n' }));
  world.write('.agents/skills/one/scripts/run.sh', 'new\n', 0o755);
  expect(await world.drift()).toEqual(['changed one']);
  rmSync(own('one/scripts'), { recursive: true });
  symlinkSync(theirs('one/scripts'), own('one/scripts'));
  unlinkSync(own('one/SKILL.md'));
  symlinkSync('../../../.agents/skills/one/SKILL.md', own('one/SKILL.md'));
  expect(await world.drift()).toEqual([]);
  unlinkSync(own('one/SKILL.md'));
  linkSync(theirs('one/SKILL.md'), own('one/SKILL.md'));
  expect(await world.drift()).toEqual([]);
  rmSync(own('one'), { recursive: true });
  symlinkSync(theirs('one'), own('one'));
  expect((await world.runtime.drift.check()).mirrors[0]).toMatchObject({ links: 1, findings: [] });
  rmSync(world.mirror, { recursive: true });
  symlinkSync(world.canonical, world.mirror);
  expect((await world.runtime.drift.check()).mirrors[0]).toMatchObject({ linked: true, findings: [] });
});

test('a canonical skill that is a link into the mirror is no drift', async () => {
  const world = await inStep();
  renameSync(path.join(world.canonical, 'one'), path.join(world.mirror, 'moved'));
  rmSync(path.join(world.mirror, 'one'), { recursive: true });
  renameSync(path.join(world.mirror, 'moved'), path.join(world.mirror, 'one'));
  symlinkSync(path.join(world.mirror, 'one'), path.join(world.canonical, 'one'));
  expect(await world.drift()).toEqual([]);
});

test('a link out of the roots is told and not followed', async () => {
  const world = await inStep();
  rmSync(path.join(world.mirror, 'one'), { recursive: true });
  mkdirSync(path.join(world.home, 'elsewhere'));
  cpSync(path.join(world.canonical, 'one'), path.join(world.home, 'elsewhere'), { recursive: true });
  symlinkSync(path.join(world.home, 'elsewhere'), path.join(world.mirror, 'one'));
  const { mirrors } = await world.runtime.drift.check();
  expect(mirrors[0]?.findings).toMatchObject([
    { kind: 'unreadable', skill: 'one', reason: expect.stringContaining('outside the skill roots') },
  ]);
});

test('litter of systems and interpreters is no drift', async () => {
  const world = await inStep();
  world.write('.claude/skills/one/.DS_Store', 'x');
  world.write('.claude/skills/one/scripts/__pycache__/run.pyc', 'x');
  expect(await world.drift()).toEqual([]);
  world.write('.claude/skills/one/.hidden', 'x');
  expect(await world.drift()).toEqual(['changed one']);
});

test('a mirror that does not exist cannot drift', async () => {
  const world = await mirrorWorld();
  world.skill('canonical', 'one');
  rmSync(world.mirror, { recursive: true });
  expect((await world.runtime.drift.check()).mirrors).toMatchObject([{ exists: false, findings: [] }]);
});

test('a finding is told by one event, again when its content changes or it comes back', async () => {
  const world = await inStep();
  const warnings = async () =>
    (await world.events('skill.warning')).filter(({ kind }) => kind === 'drift').length;
  world.write('.claude/skills/one/scripts/run.sh', 'echo evil\n', 0o755);
  for (let check = 0; check < 3; check++) await world.drift();
  expect(await warnings()).toBe(1);
  world.write('.claude/skills/one/scripts/run.sh', 'echo worse\n', 0o755);
  for (let check = 0; check < 2; check++) await world.drift();
  expect(await warnings()).toBe(2);
  world.write('.claude/skills/one/scripts/run.sh', 'echo one\n', 0o755);
  await world.drift();
  world.write('.claude/skills/one/scripts/run.sh', 'echo worse\n', 0o755);
  await world.drift();
  expect(await warnings()).toBe(3);
  const [first] = await world.events('skill.warning');
  expect(first).toMatchObject({
    kind: 'drift',
    name: 'one',
    detail: { mirror: '.claude/skills', change: 'changed', files: ['scripts/run.sh'] },
  });
});

test('a second look at files that have kept their times reads the same values, and an edit is seen', async () => {
  const world = await inStep();
  const reader = createTreeReader(LATER);
  const folder = path.join(world.canonical, 'one');
  const file = path.join(folder, 'scripts/run.sh');
  const time = new Date(1_700_000_000_000);
  utimesSync(file, time, time);
  const first = reader.readTree(folder);
  expect(reader.readTree(folder)).toBe(first);
  // As long as before, and with its time set back: only the time of the change itself tells.
  writeFileSync(file, 'echo two\n');
  utimesSync(file, time, time);
  expect(reader.readTree(folder)).not.toEqual(first);
});

test('what is no text or too large is named and not compared by lines', () => {
  const side = (bytes: Uint8Array) => ({ path: 'x', bytes });
  const text = Buffer.from('a\n');
  expect(unifiedDiff(side(text), side(Buffer.from([0, 1])))).toEqual({ shown: false, why: 'no text' });
  expect(unifiedDiff(side(text), side(Buffer.alloc(300 * 1024, 'x')))).toEqual({
    shown: false,
    why: 'larger than 256 KiB',
  });
  const lines = (word: string) =>
    Buffer.from(Array.from({ length: 9000 }, (_, at) => `${word} ${at}\n`).join(''));
  expect(unifiedDiff(side(lines('a')), side(lines('b')))).toMatchObject({ shown: false });
});
