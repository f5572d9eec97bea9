/** `kill -9` in the middle of a load leaves the previous index or the new one, never a mix. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { initDb } from '../../src/db/open.ts';
import { loadSkillsFromDisk } from '../../src/domains/skills/repository.ts';
import { sha256Hex } from '../../src/lib/digest.ts';
import { randomFrom } from '../support/random.ts';
import { writeSkill } from '../support/skill-files.ts';
import { makeTemporaryDirectory, removeTree } from '../support/temporary.ts';

const CHILD = fileURLToPath(new URL('./load-child.mjs', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const SKILLS = 10_000;
/** Names that only one of the two sets has, so that a load also prunes. */
const MOVED = 100;
const KILLS = 50;
/** A little beyond the measured time, so that some loads are cut off in their commit and some just after. */
const SPREAD = 1.1;
const TIMEOUT_MS = 240_000;

const seed = Number(process.env['COLIBRI_CRASH_SEED'] ?? Date.now() % 1_000_000);

let folder: string;
let root: string;
let database: string;
let previous: string;
let setA: string;

beforeAll(() => {
  folder = makeTemporaryDirectory();
  root = path.join(folder, 'skills');
  database = path.join(folder, 'colibri.db');
  previous = path.join(folder, 'previous.db');
  writeSet('A', 0);
  const db = initDb(previous);
  loadSkillsFromDisk(db, root, () => undefined, { workspace: root });
  db.close();
  setA = readIndex(previous);
  for (let number = 0; number < MOVED; number++) removeTree(path.join(root, skillName(number)));
  writeSet('B', MOVED);
}, TIMEOUT_MS);

afterAll(() => removeTree(folder), TIMEOUT_MS);

function writeSet(marker: 'A' | 'B', first: number): void {
  for (let number = first; number < first + SKILLS; number++) {
    writeSkill(root, skillName(number), { description: `${marker} describes skill ${number}.` });
  }
}

function skillName(number: number): string {
  return `skill-${String(number).padStart(5, '0')}`;
}

function restorePrevious(): void {
  for (const suffix of ['-wal', '-shm']) rmSync(database + suffix, { force: true });
  copyFileSync(previous, database);
}

/** Opens as a start would, checks the file, and gives one word for everything in the index. */
function readIndex(file: string): string {
  const db = initDb(file, { check: 'none' });
  try {
    expect(db.pragma('quick_check', { simple: true })).toBe('ok');
    const rows = db
      .prepare<[], { name: string; marker: string }>(
        'SELECT name, substr(description, 1, 1) AS marker FROM skills ORDER BY name',
      )
      .all();
    const marks = new Set(rows.map(({ marker }) => marker));
    return `${[...marks].join('+')} ${rows.length} ${sha256Hex(rows.map(({ name }) => name).join())}`;
  } finally {
    db.close();
  }
}

/** Started ahead of time, so that the moments of the kills fall into the load and not into Node's own start. */
async function startChild(): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, [CHILD, DIST, database, root], { stdio: 'pipe' });
  await once(child.stdout, 'data');
  return child;
}

/** Lets one load run to its end and says how long it took. */
async function measureLoad(): Promise<number> {
  restorePrevious();
  const child = await startChild();
  const started = performance.now();
  child.stdin.write('go\n');
  const [text] = await once(child.stdout, 'data');
  const elapsed = performance.now() - started;
  expect(String(text)).toBe(`loaded ${SKILLS}\n`);
  await once(child, 'exit');
  return elapsed;
}

async function killAfter(child: ChildProcessWithoutNullStreams, ms: number): Promise<void> {
  const gone = once(child, 'exit');
  child.stdin.on('error', () => undefined);
  child.stdin.write('go\n');
  await Promise.race([sleep(ms), gone]);
  child.kill('SIGKILL');
  await gone;
}

test(
  `${KILLS} kills at random moments leave all of A or all of B (COLIBRI_CRASH_SEED=${seed})`,
  async () => {
    const loadMs = await measureLoad();
    const setB = readIndex(database);
    expect([setA, setB].map((set) => set.slice(0, 7))).toEqual([`A ${SKILLS}`, `B ${SKILLS}`]);
    const random = randomFrom(seed);
    // One kill per slice of the load, in a random place of it: random, and yet everywhere.
    const moments = Array.from(
      { length: KILLS },
      (_, slice) => ((slice + random()) / KILLS) * loadMs * SPREAD,
    );
    const seen = { A: 0, B: 0 };
    restorePrevious();
    let next = startChild();
    for (const [kill, ms] of moments.entries()) {
      const child = await next;
      await killAfter(child, ms);
      next = kill + 1 < KILLS ? startChild() : next;
      const state = readIndex(database);
      expect([setA, setB], `seed ${seed}, kill ${kill} after ${ms.toFixed(0)} ms`).toContain(state);
      seen[state === setA ? 'A' : 'B']++;
      if (state === setB) restorePrevious();
    }
    process.stderr.write(
      `crash seed ${seed}: load ${loadMs.toFixed(0)} ms, after the kills ${JSON.stringify(seen)}\n`,
    );
    expect(seen.A).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
