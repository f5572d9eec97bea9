/** `kill -9` in the middle of a sync leaves every skill of the mirror whole, and the next sync finishes the work. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { startup } from '../../src/startup.ts';
import { writeSkill, writeSkillFile } from '../support/skill-files.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const CHILD = fileURLToPath(new URL('./sync-child.ts', import.meta.url));
const SKILLS = 40;
const FILES = 4;
const KILLS = 4;
const LOOK_MS = 2;
const TIMEOUT_MS = 120_000;

/** Every file of a skill holds the same word, so that a mixture shows. */
function writeSet(root: string, word: string): void {
  for (let number = 0; number < SKILLS; number++) {
    const name = `skill-${number}`;
    writeSkill(root, name, { body: `${word}\n` });
    for (let file = 0; file < FILES; file++)
      writeSkillFile(path.join(root, name), `part-${file}`, `${word}\n`);
  }
}

function wordsOf(folder: string): ReadonlySet<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('SKILL.md'),
  );
  const words = files.map(
    (file) => readFileSync(path.join(folder, file), 'utf8').trim().split('\n').at(-1) ?? '',
  );
  expect(files.length).toBe(FILES + 1);
  return new Set(words);
}

/** Empty while the skill is out of its place. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function startChild(workspace: string, database: string): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, workspace, database], { stdio: 'pipe' });
  child.stdin.on('error', () => undefined);
  await once(child.stdout, 'data');
  return child;
}

test(`${KILLS} kills leave whole skills only`, { timeout: TIMEOUT_MS }, async () => {
  const directory = temporaryDirectory();
  const workspace = path.join(directory, 'work');
  const database = path.join(directory, 'colibri.db');
  const canonical = path.join(workspace, '.agents/skills');
  const mirror = path.join(workspace, '.claude/skills');
  writeSet(canonical, 'word-0');
  const first = await startChild(workspace, database);
  first.stdin.write('go\n');
  await once(first, 'exit');
  let cutOff = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    writeSet(canonical, `word-${kill}`);
    const child = await startChild(workspace, database);
    const gone = once(child, 'exit');
    child.stdin.write('go\n');
    // Skills are copied in order of their names; when this one is there, the others are on their way.
    const order = Array.from({ length: SKILLS }, (_, number) => `skill-${number}`).sort();
    const seen = path.join(mirror, order[Math.floor((kill / (KILLS + 1)) * SKILLS)] ?? '', 'SKILL.md');
    while (!readText(seen).includes(`word-${kill}`)) await sleep(LOOK_MS);
    child.kill('SIGKILL');
    await gone;
    const there = readdirSync(mirror).filter((name) => !name.startsWith('.'));
    // The one that was being replaced at that moment may be out of its place, never in two halves.
    expect(there.length).toBeGreaterThanOrEqual(SKILLS - 1);
    const words = there.map((name) => [...wordsOf(path.join(mirror, name))]);
    for (const found of words) expect(found, 'a skill of two halves').toHaveLength(1);
    if (new Set(words.flat()).size > 1) cutOff++;
    const home = path.join(directory, 'home');
    const runtime = await startup({ workspace, dbPath: database, home, env: {}, logger: () => undefined });
    const { kept } = await runtime.sync.sync();
    const { drift } = await runtime.drift.check();
    await runtime.close();
    expect({ kept, drift, staging: readdirSync(mirror).filter((name) => name.startsWith('.')) }).toEqual({
      kept: 0,
      drift: 0,
      staging: [],
    });
  }
  expect(cutOff).toBeGreaterThan(0);
});
