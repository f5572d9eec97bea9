import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { SyncRequest } from '../../../src/domains/integrity/sync-service.ts';
import { skillText } from '../../support/skill-files.ts';
import { type MirrorWorld, mirrorWorld } from './mirror-world.ts';

async function synced(): Promise<MirrorWorld> {
  const world = await mirrorWorld();
  world.skill('canonical', 'one');
  world.write('.agents/skills/one/scripts/run.sh', 'echo one\n', 0o755);
  world.skill('canonical', 'two');
  await world.runtime.sync.sync();
  expect(await world.drift()).toEqual([]);
  return world;
}

/** `action skill` for everything that is not simply in step. */
async function sync(world: MirrorWorld, request: SyncRequest = {}): Promise<readonly string[]> {
  const { mirrors } = await world.runtime.sync.sync(request);
  return mirrors.flatMap(({ skills }) =>
    skills.flatMap(({ action, skill, error }) =>
      action === 'none' ? [] : [`${action} ${skill}${error ?? ''}`],
    ),
  );
}

const read = (folder: string, file: string) => readFileSync(path.join(folder, file), 'utf8');

test('a mirror that is not there is made, with content and modes', async () => {
  const world = await mirrorWorld();
  rmSync(path.join(world.workspace, '.claude'), { recursive: true });
  world.skill('canonical', 'one');
  world.write('.agents/skills/one/scripts/run.sh', 'echo one\n', 0o755);
  chmodSync(path.join(world.canonical, 'one/SKILL.md'), 0o640);
  expect(await sync(world, { dryRun: true })).toEqual(['copy one']);
  expect(await sync(world)).toEqual(['copy one']);
  expect(statSync(path.join(world.mirror, 'one/scripts/run.sh')).mode & 0o777).toBe(0o755);
  expect(statSync(path.join(world.mirror, 'one/SKILL.md')).mode & 0o777).toBe(0o640);
  expect(readdirSync(world.mirror)).toEqual(['one']);
  expect(await world.drift()).toEqual([]);
  expect(await sync(world)).toEqual([]);
});

test('a dry run changes nothing', async () => {
  const world = await synced();
  world.write('.agents/skills/one/SKILL.md', skillText('one', { body: 'new\n' }));
  rmSync(path.join(world.canonical, 'two'), { recursive: true });
  const before = read(world.mirror, 'one/SKILL.md');
  expect(await sync(world, { dryRun: true })).toEqual(['update one', 'remove two']);
  expect(read(world.mirror, 'one/SKILL.md')).toBe(before);
  expect(readdirSync(world.mirror).sort()).toEqual(['one', 'two']);
});

test('canonical changes, deletions and deleted copies are carried over', async () => {
  const world = await synced();
  world.skill('canonical', 'three');
  await sync(world);
  world.write('.agents/skills/one/SKILL.md', skillText('one', { body: 'new\n' }));
  rmSync(path.join(world.canonical, 'one/scripts'), { recursive: true });
  rmSync(path.join(world.canonical, 'two'), { recursive: true });
  rmSync(path.join(world.mirror, 'three'), { recursive: true });
  expect(await sync(world)).toEqual(['update one', 'copy three', 'remove two']);
  expect(readdirSync(path.join(world.mirror, 'one'))).toEqual(['SKILL.md']);
  expect(await world.drift()).toEqual([]);
});

test('an edit of the mirror is kept, collected, or dropped by force', async () => {
  const world = await synced();
  world.write('.claude/skills/one/scripts/run.sh', 'echo better\n', 0o755);
  expect(await sync(world)).toEqual(['keep one']);
  expect(read(world.mirror, 'one/scripts/run.sh')).toBe('echo better\n');
  expect(await sync(world, { collect: true })).toEqual(['collect one']);
  expect(read(world.canonical, 'one/scripts/run.sh')).toBe('echo better\n');
  expect(await world.drift()).toEqual([]);
  world.write('.claude/skills/one/scripts/run.sh', 'echo worse\n', 0o755);
  expect(await sync(world, { force: true })).toEqual(['update one']);
  expect(read(world.mirror, 'one/scripts/run.sh')).toBe('echo better\n');
  expect(await world.drift()).toEqual([]);
});

test('edits of both sides are left to a person; force picks a side', async () => {
  const edits = async (): Promise<MirrorWorld> => {
    const world = await synced();
    world.write('.agents/skills/one/scripts/run.sh', 'canonical\n', 0o755);
    world.write('.claude/skills/one/scripts/run.sh', 'mirror\n', 0o755);
    return world;
  };
  const world = await edits();
  expect(await sync(world)).toEqual(['keep one']);
  expect(await sync(world, { collect: true })).toEqual(['keep one']);
  expect(read(world.canonical, 'one/scripts/run.sh')).toBe('canonical\n');
  expect(await sync(world, { force: true })).toEqual(['update one']);
  expect(read(world.mirror, 'one/scripts/run.sh')).toBe('canonical\n');
  const other = await edits();
  expect(await sync(other, { force: true, collect: true })).toEqual(['collect one']);
  expect(read(other.canonical, 'one/scripts/run.sh')).toBe('mirror\n');
});

test('a skill that only the mirror has is kept, collected, or removed by force', async () => {
  const world = await synced();
  world.skill('mirror', 'stray');
  world.skill('mirror', 'other');
  expect(await sync(world)).toEqual(['keep other', 'keep stray']);
  expect(await sync(world, { collect: true, skills: ['stray'] })).toEqual(['collect stray']);
  expect(read(world.canonical, 'stray/SKILL.md')).toBe(read(world.mirror, 'stray/SKILL.md'));
  expect(await sync(world, { force: true, skills: ['other'] })).toEqual(['remove other']);
  expect(await world.drift()).toEqual([]);
  expect(world.runtime.skills.names()).toContain('stray');
});

test('a skill that is gone from the canonical root stays when it was edited in the mirror', async () => {
  const world = await synced();
  rmSync(path.join(world.canonical, 'one'), { recursive: true });
  world.write('.claude/skills/one/scripts/run.sh', 'edited\n', 0o755);
  expect(await sync(world)).toEqual(['keep one']);
  expect(await sync(world, { collect: true })).toEqual(['collect one']);
  expect(read(world.canonical, 'one/scripts/run.sh')).toBe('edited\n');
});

test('a copy that somebody else made is not overwritten while it differs, and taken on when it does not', async () => {
  const world = await mirrorWorld();
  world.skill('canonical', 'one', 'canonical\n');
  world.skill('mirror', 'one', 'foreign\n');
  expect(await sync(world)).toEqual(['keep one']);
  expect(await sync(world, { collect: true })).toEqual(['keep one']);
  world.skill('mirror', 'one', 'canonical\n');
  expect(await sync(world)).toEqual([]);
  world.skill('canonical', 'one', 'newer\n');
  expect(await sync(world)).toEqual(['update one']);
});

test('links are not followed out: neither the mirror, nor a skill, nor a file', async () => {
  const world = await synced();
  const secret = path.join(world.home, 'secret');
  mkdirSync(secret);
  symlinkSync('/etc/hostname', path.join(world.canonical, 'two/link.txt'));
  expect(await sync(world)).toEqual(['keep two']);
  rmSync(path.join(world.canonical, 'two/link.txt'));
  rmSync(path.join(world.mirror, 'two'), { recursive: true });
  symlinkSync(secret, path.join(world.mirror, 'two'));
  expect(await sync(world)).toEqual(['keep two']);
  expect(await sync(world, { force: true })).toEqual(['update two']);
  expect(statSync(path.join(world.mirror, 'two/SKILL.md')).isFile()).toBe(true);
  expect(readdirSync(secret)).toEqual([]);
  rmSync(world.mirror, { recursive: true });
  symlinkSync(secret, world.mirror);
  const { mirrors, kept } = await world.runtime.sync.sync({ force: true });
  expect(mirrors).toMatchObject([{ refused: expect.stringContaining('leads out of the workspace') }]);
  expect(kept).toBe(1);
  expect(readdirSync(secret)).toEqual([]);
});

test('what is no skill in a mirror is never touched', async () => {
  const world = await synced();
  world.write('.claude/skills/notes.txt', 'mine');
  world.write('.claude/skills/drafts/idea.md', 'mine');
  world.write('.claude/settings.json', '{}');
  await sync(world, { force: true });
  expect(read(world.mirror, 'notes.txt')).toBe('mine');
  expect(read(world.mirror, 'drafts/idea.md')).toBe('mine');
  expect(readdirSync(path.join(world.workspace, '.claude')).sort()).toEqual(['settings.json', 'skills']);
});

test('a canonical root that is gone empties no mirror, and is restored from it', async () => {
  const world = await synced();
  const before = read(world.canonical, 'one/scripts/run.sh');
  rmSync(world.canonical, { recursive: true });
  expect(await sync(world)).toEqual(['keep one', 'keep two']);
  expect(await sync(world, { collect: true })).toEqual(['collect one', 'collect two']);
  expect(read(world.canonical, 'one/scripts/run.sh')).toBe(before);
  expect(await world.drift()).toEqual([]);
});

test('an unknown name is an error that names the nearest', async () => {
  const world = await synced();
  await expect(sync(world, { skills: ['onne'] })).rejects.toThrow(/did you mean one/);
});

test('a second process that is at work is left alone', async () => {
  const world = await synced();
  world.skill('canonical', 'three');
  // The process above this one is alive as long as the test runs.
  world.write('.claude/skills/.colibri-sync/owner', String(process.ppid));
  await expect(sync(world)).rejects.toMatchObject({ code: 'SYNC_BUSY' });
});

test('what a dead process took out and did not replace goes back to its place', async () => {
  const world = await synced();
  const job = '.claude/skills/.colibri-sync/0';
  world.write('.claude/skills/.colibri-sync/owner', '999999999');
  world.write(`${job}/place`, 'gone');
  world.write(`${job}/old/SKILL.md`, skillText('gone'));
  world.write('.claude/skills/.colibri-sync/1/place', '../../escaped');
  world.write('.claude/skills/.colibri-sync/1/old/SKILL.md', 'x');
  world.skill('canonical', 'three');
  await sync(world);
  expect(readdirSync(world.mirror).sort()).toEqual(['gone', 'one', 'three', 'two']);
  expect(readdirSync(world.workspace).sort()).toEqual(['.agents', '.claude']);
});

test('a sync is on record', async () => {
  const world = await synced();
  expect(await world.events('mirror.synced')).toEqual([
    { mirror: '.claude/skills', copied: ['one', 'two'], removed: [], collected: [], kept: [] },
  ]);
});

test('several mirrors are brought in line each by its own state', async () => {
  const config = { roots: { extra: [{ path: '.other/skills', source: 'mirror' }] } };
  const world = await mirrorWorld({ config });
  world.skill('canonical', 'one');
  expect(await sync(world)).toEqual(['copy one', 'copy one']);
  world.write('.other/skills/one/SKILL.md', skillText('one', { body: 'edited\n' }));
  expect(await sync(world)).toEqual(['keep one']);
  expect(await world.drift()).toEqual(['changed one']);
});

const NAMES = ['a', 'b', 'c'];
const FILES = ['SKILL.md', 'scripts/run.sh', 'references/deep/er.md', '.hidden'];
const edit = fc.record({
  name: fc.constantFrom(...NAMES),
  file: fc.constantFrom(...FILES),
  text: fc.nat(3),
  mode: fc.constantFrom(0o644, 0o755),
  remove: fc.boolean(),
});

test('after a sync of a mirror that nobody edited there is no drift, whatever the canonical side became', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(edit, { maxLength: 6 }), { maxLength: 3 }), async (rounds) => {
      const world = await mirrorWorld();
      for (const edits of [[], ...rounds]) {
        for (const { name, file, text, mode, remove } of edits) {
          const place = path.join(world.canonical, name);
          if (remove && text === 0) rmSync(place, { recursive: true, force: true });
          else if (remove && file !== 'SKILL.md') rmSync(path.join(place, file), { force: true });
          else {
            world.skill('canonical', name, `Text ${text}.\n`);
            if (file !== 'SKILL.md') world.write(`.agents/skills/${name}/${file}`, String(text), mode);
          }
        }
        const { kept } = await world.runtime.sync.sync();
        expect(kept).toBe(0);
        expect(await world.drift()).toEqual([]);
      }
    }),
    { numRuns: 25 },
  );
});
