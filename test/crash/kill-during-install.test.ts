/** `kill -9` in the middle of an install or an update leaves, after the next command, all of it or nothing. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
const FILES = 4;
const KILLS = 50;
/** Every other kill falls into the last part, where folders and the lock are moved, and a little beyond it. */
const LAST_PART = 0.6;
const SPREAD = 1.15;
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
      files[`s${skill}/references/${file}.md`] = `${file % 2 === 0 ? set : 'same'} ${skill} ${file}\n`.repeat(
        50,
      );
    writeFiles(folder, files);
  }
  return folder;
}

/** Started ahead of time, so that the kills fall into the work and not into Node's own start. */
async function startChild(
  workspace: string,
  source: string,
  verb: Verb,
): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, [CHILD, DIST, workspace, source, verb], { stdio: 'pipe' });
  child.stdin.on('error', () => undefined);
  await once(child.stdout, 'data');
  return child;
}

/** Milliseconds from the first step to the last. */
async function runToEnd(workspace: string, source: string, verb: Verb): Promise<number> {
  const child = await startChild(workspace, source, verb);
  const started = performance.now();
  child.stdin.write('go\n');
  await once(child.stdout, 'data');
  const elapsed = performance.now() - started;
  await once(child, 'exit');
  return elapsed;
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
  expect(await install.verify()).toMatchObject({ ok: true });
  const left = readdirSync(place.state).filter((name) => !['.gitignore', 'busy', 'pristine'].includes(name));
  expect(left).toEqual([]);
  return JSON.stringify(snapshot(workspace));
}

test(`${KILLS} kills leave all of the previous state or all of the new one`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const base = temporaryDirectory();
  const random = randomFrom(seed);
  const workspace = path.join(base, 'work');
  const source = path.join(base, 'source');
  const saved = (name: string): string => path.join(base, 'saved', name);
  const restore = (name: string): void => {
    rmSync(workspace, { recursive: true, force: true });
    if (existsSync(saved(name))) cpSync(saved(name), workspace, { recursive: true });
    else mkdirSync(workspace);
  };
  const cases: Record<Verb, { from: string; set: 'A' | 'B'; before: string; after: string; ms: number }> = {
    add: { from: 'empty', set: 'A', before: '{}', after: '', ms: 0 },
    update: { from: 'installed', set: 'B', before: '', after: '', ms: 0 },
  };
  restore('empty');
  cases.add.ms = await runToEnd(workspace, writeSource(source, 'A'), 'add');
  cases.add.after = cases.update.before = await afterNextCommand(workspace);
  cpSync(workspace, saved('installed'), { recursive: true });
  cases.update.ms = await runToEnd(workspace, writeSource(source, 'B'), 'update');
  cases.update.after = await afterNextCommand(workspace);
  expect(new Set([cases.add.before, cases.add.after, cases.update.after]).size).toBe(3);

  const seen = { before: 0, after: 0 };
  for (const verb of ['add', 'update'] as const) {
    const { from, set, before, after, ms } = cases[verb];
    writeSource(source, set);
    // One ahead: while the state that one has left is looked at, the next one starts.
    let next = startChild(workspace, source, verb);
    for (let kill = 0; kill < KILLS / 2; kill++) {
      const child = await next;
      next = startChild(workspace, source, verb);
      restore(from);
      const gone = once(child, 'exit');
      const part = kill % 2 === 0 ? random() * SPREAD : LAST_PART + random() * (SPREAD - LAST_PART);
      child.stdin.write('go\n');
      await sleep(part * ms);
      child.kill('SIGKILL');
      await gone;
      const state = await afterNextCommand(workspace);
      expect(
        [before, after].includes(state),
        `kill ${kill} of ${verb} left neither state, seed ${seed}`,
      ).toBe(true);
      seen[state === before ? 'before' : 'after']++;
    }
    (await next).kill('SIGKILL');
  }
  process.stderr.write(
    `add ${cases.add.ms.toFixed(0)} ms, update ${cases.update.ms.toFixed(0)} ms, ${JSON.stringify(seen)}\n`,
  );
  expect(seen.before).toBeGreaterThan(0);
  expect(seen.after).toBeGreaterThan(0);
});
