/** `kill -9` in the middle of a registry scan leaves the previous index or the new one, in every table. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { initDb } from '../../src/db/open.ts';
import { indexContent, type TestRegistry, testRegistry } from '../support/registry.ts';
import { writeSkill, writeSkillFile } from '../support/skill-files.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const CHILD = fileURLToPath(new URL('./scan-child.ts', import.meta.url));
const SKILLS = 1500;
const KILLS = 10;
/** A little beyond the measured time, so that some scans are cut off in their commit and some just after. */
const SPREAD = 1.1;
const TIMEOUT_MS = 240_000;

/** Winners, copies in the shadow and rejected ones; some names are in one set only. */
function writeSet({ roots, workspace }: TestRegistry, set: 'A' | 'B'): void {
  const first = set === 'A' ? 0 : 100;
  rmSync(workspace, { recursive: true, force: true });
  for (let number = first; number < first + SKILLS; number++) {
    const name = `skill-${number}`;
    writeSkill(roots.workspace.path, name, { description: set, lines: [`capabilities: [x${number % 9}]`] });
    if (number % 10 === 0) writeSkill(roots.mirror.path, name, { description: set });
    if (number % 50 === 0) writeSkillFile(roots.workspace.path, `bad-${number}`, set);
  }
}

function readIndex(file: string): string {
  const db = initDb(file, { check: 'none' });
  try {
    expect(db.pragma('quick_check', { simple: true })).toBe('ok');
    // The first event makes the chain; a scan that was cut off has left none.
    const events = db
      .prepare('SELECT count(*) FROM events WHERE type = ?')
      .pluck()
      .get('skill.catalog_updated');
    return JSON.stringify({ content: indexContent(db), events });
  } finally {
    db.close();
  }
}

/** Started ahead of time, so that the kills fall into the scan and not into Node's own start. */
async function startChild(registry: TestRegistry, file: string): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, registry.workspace, file], {
    stdio: 'pipe',
  });
  child.stdin.on('error', () => undefined);
  await once(child.stdout, 'data');
  return child;
}

test(`${KILLS} kills leave all of the previous index or all of the new one`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const directory = temporaryDirectory();
  const registry = testRegistry({ workspace: path.join(directory, 'work') });
  const previous = path.join(directory, 'previous.db');
  const file = path.join(directory, 'colibri.db');
  const restore = () => {
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    copyFileSync(previous, file);
  };
  const runToEnd = async (database: string): Promise<number> => {
    const child = await startChild(registry, database);
    const started = performance.now();
    child.stdin.write('go\n');
    await once(child.stdout, 'data');
    const elapsed = performance.now() - started;
    await once(child, 'exit');
    return elapsed;
  };
  writeSet(registry, 'A');
  await runToEnd(previous);
  const before = readIndex(previous);
  writeSet(registry, 'B');
  restore();
  const scanMs = await runToEnd(file);
  const after = readIndex(file);
  const seen = { before: 0, after: 0 };
  for (let kill = 0; kill < KILLS; kill++) {
    restore();
    const child = await startChild(registry, file);
    const gone = once(child, 'exit');
    child.stdin.write('go\n');
    await sleep(((kill + 0.5) / KILLS) * scanMs * SPREAD);
    child.kill('SIGKILL');
    await gone;
    const state = readIndex(file);
    expect([before, after].includes(state), `kill ${kill} left neither state`).toBe(true);
    seen[state === before ? 'before' : 'after']++;
  }
  process.stderr.write(`scan ${scanMs.toFixed(0)} ms, after the kills ${JSON.stringify(seen)}\n`);
  expect(seen.before).toBeGreaterThan(0);
});
