/** `kill -9` in the middle of an install or an update leaves, after the next command, all of it or nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { installPlace } from '../../src/domains/integrity/install/place.ts';
import { createInstallService } from '../../src/domains/integrity/install/service.ts';
import { SKILL, snapshot, writeFiles } from '../domains/integrity/install/world.ts';
import { randomFrom } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const CHILD = fileURLToPath(new URL('./install-child.mjs', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const SKILLS = 3;
const FILES = 3;
const KILLS = 50;
const AT_ONCE = 4;
const TIMEOUT_MS = 240_000;

/** Another one at each run; the message of a failure names it. */
const seed = Number(process.env['COLIBRI_CRASH_SEED'] ?? Date.now() % 1_000_000);

type Verb = 'add' | 'update';

/** Some files change, some go, some come. */
function writeSource(folder: string, set: 'A' | 'B'): string {
  rmSync(folder, { recursive: true, force: true });
  const first = set === 'A' ? 0 : 1;
  for (let skill = 0; skill < SKILLS; skill++) {
    const files: Record<string, string> = { [`s${skill}/SKILL.md`]: SKILL(`s${skill}`, `${set}\n`) };
    for (let file = first; file < first + FILES; file++)
      files[`s${skill}/references/${file}.md`] = `${file % 2 === 0 ? set : 'same'} ${skill} ${file}\n`;
    writeFiles(folder, files);
  }
  return folder;
}

/** Its steps when it may run to its end; null when it was killed before the given one. */
async function runChild(
  place: { workspace: string; source: string },
  verb: Verb,
  killAt = 0,
): Promise<readonly string[] | null> {
  const words = [CHILD, DIST, place.workspace, place.source, verb, String(killAt)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  const [code, signal] = await once(child, 'close');
  expect(killAt === 0 ? code : signal).toBe(killAt === 0 ? 0 : 'SIGKILL');
  return killAt === 0 ? JSON.parse(told) : null;
}

/** What the next command of the installer finds; `verify` is one that changes nothing by itself. */
async function afterNextCommand(workspace: string): Promise<string> {
  const place = installPlace(workspace, path.join(workspace, '.agents/skills'));
  const unused = () => Promise.reject(new Error('not used here'));
  const install = createInstallService({
    places: { workspace: place, global: place },
    cwd: workspace,
    home: workspace,
    git: unused,
    decide: unused,
    scan: () => ({ findings: [], unread: [] }),
    reload: unused,
  });
  // The copies are what the lock pins; the source may have moved on to what an update was to bring.
  const { skills } = await install.verify();
  expect(skills.filter(({ state }) => state === 'changed' || state === 'missing')).toEqual([]);
  const left = readdirSync(place.state).filter((name) => !['.gitignore', 'busy', 'pristine'].includes(name));
  expect(left).toEqual([]);
  return JSON.stringify(snapshot(workspace));
}

/** Every step from the one that puts the journal in place, and as many random ones before it as make up the number. */
function killPoints(steps: readonly string[], random: () => number): readonly number[] {
  const journal = steps.findIndex((step) => /^renameSync .*journal\.json$/.test(step));
  expect(journal).toBeGreaterThan(0);
  const after = steps.map((_, at) => at + 1).slice(journal);
  const before = Array.from(
    { length: Math.max(5, KILLS / 2 - after.length) },
    () => 1 + Math.floor(random() * journal),
  );
  return [...before, ...after];
}

test(`${KILLS} kills leave all of the previous state or all of the new one`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const base = temporaryDirectory();
  const random = randomFrom(seed);
  const source = path.join(base, 'source');
  const saved = path.join(base, 'saved');
  const workspaceFor = (verb: Verb, name: string): string => {
    const workspace = path.join(base, name);
    if (verb === 'update') cpSync(saved, workspace, { recursive: true });
    else mkdirSync(workspace);
    return workspace;
  };
  let kills = 0;
  let before = '{}';
  for (const [verb, set] of [
    ['add', 'A'],
    ['update', 'B'],
  ] as const) {
    writeSource(source, set);
    const whole = workspaceFor(verb, verb);
    const steps = (await runChild({ workspace: whole, source }, verb)) ?? [];
    const after = await afterNextCommand(whole);
    expect(after).not.toBe(before);
    const seen = new Set<string>();
    const killed = async (point: number, at: number): Promise<void> => {
      const workspace = workspaceFor(verb, `${verb}-${at}`);
      await runChild({ workspace, source }, verb, point);
      const state = await afterNextCommand(workspace);
      const step = `${verb} killed before step ${point}, ${steps[point - 1]}; seed ${seed}`;
      expect([before, after].includes(state), `neither state: ${step}`).toBe(true);
      seen.add(state);
      kills++;
    };
    await inTurns(killPoints(steps, random), killed);
    expect([...seen].sort()).toEqual([before, after].sort());
    if (verb === 'add') cpSync(whole, saved, { recursive: true });
    before = after;
  }
  expect(kills).toBeGreaterThanOrEqual(KILLS);
});

/** A few at a time: most of the time they wait for Node to start. */
async function inTurns<T>(items: readonly T[], work: (item: T, at: number) => Promise<void>): Promise<void> {
  const queue = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
