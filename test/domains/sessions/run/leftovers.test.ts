/** Runs side by side, runs of another user, and runs whose Colibri was killed in the middle. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { runScript } from '../../../../src/domains/sessions/run/run-script.ts';
import { cleanScratch } from '../../../../src/domains/sessions/run/scratch.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';
import type { ChildOrder } from './child-run.ts';
import { createWorld, linesOf, NOTHING, type ScriptWorld } from './script-world.ts';

let world: ScriptWorld;

beforeAll(() => {
  world = createWorld();
});
afterEach(() => {
  expect(world.leftovers()).toEqual(NOTHING);
});
afterAll(() => world.remove());

/** Its children go on in sessions of their own, as daemons do. */
const DAEMONS = `import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execv('/bin/sleep', ['sleep', '100'])
    time.sleep(100)
time.sleep(100)`;

function startChild(
  order: Omit<ChildOrder, 'user'> & { readonly user?: number },
  inherited: readonly (number | 'ignore')[] = [],
): ChildProcess {
  const program = path.join(import.meta.dirname, 'child-run.ts');
  const json = JSON.stringify({ user: null, ...order });
  const child = spawn(process.execPath, ['--import', 'tsx', program, json], {
    stdio: ['ignore', 'pipe', 'inherit', ...inherited],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function resultOf(child: ChildProcess): Promise<{ readonly stdout: string }> {
  let text = '';
  child.stdout?.on('data', (chunk) => (text += chunk));
  await once(child, 'close');
  return JSON.parse(text) as { stdout: string };
}

async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 200 && !condition(); round++) await delay(50);
  expect(condition()).toBe(true);
}

describe('many runs at once', () => {
  it('do not meet', async () => {
    const script = 'echo "$1" >mine; sleep 0.2; cat mine; ls | wc -l; exit "$1"';
    const skill = world.skill({ 'scripts/own.sh': script });
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        runScript(
          { skill, script: 'scripts/own.sh', args: [`${index}`], sandbox: 'bubblewrap' },
          world.runtime,
        ),
      ),
    );
    expect(results.map((result) => [result.exitCode, linesOf(result)])).toEqual(
      results.map((_, index) => [index, [`${index}`, '1']]),
    );
    expect(new Set(results.map(({ id }) => id)).size).toBe(12);
  });

  it('each count only their own processes', async () => {
    const script = 'i=0; while [ $i -lt 20 ]; do sleep 0.5 & i=$((i+1)); done; wait; echo all';
    const runs = Array.from({ length: 4 }, () =>
      world.run('count.sh', script, { limits: { processesMax: 30 } }),
    );
    expect((await Promise.all(runs)).map(linesOf)).toEqual(Array.from({ length: 4 }, () => ['all']));
  });
});

describe('when Colibri itself is killed', () => {
  for (const sandbox of ['bubblewrap', 'none'] as const) {
    it(`nothing of its run is left (${sandbox})`, async () => {
      const request = {
        skill: world.skill({ 'scripts/daemons.py': DAEMONS }),
        script: 'scripts/daemons.py',
        env: { TEST_MARK: world.mark },
        sandbox,
      };
      const child = startChild({ scratch: world.scratch, request });
      await until(() => world.leftovers().processes.filter((line) => line.includes('sleep')).length === 1);
      expect(cleanScratch(world.scratch)).toEqual([]);
      expect(world.leftovers().files).toHaveLength(1);
      child.kill('SIGKILL');
      await once(child, 'exit');
      // A sandbox dies with whoever started it; without one the next start has to see to it.
      if (sandbox === 'bubblewrap') await until(() => world.leftovers().processes.length === 0);
      else expect(world.leftovers().processes.length).toBeGreaterThan(0);
      expect(cleanScratch(world.scratch)).toHaveLength(1);
      await until(() => world.leftovers().processes.length === 0);
      expect(cleanScratch(world.scratch)).toEqual([]);
    });
  }
});

describe('another user than root', () => {
  it.runIf(process.getuid?.() === 0)('gets the same sandbox', async () => {
    const folder = temporaryDirectory();
    chmodSync(folder, 0o777);
    const script = `import os
open('/work/result', 'w').write('x')
os.mkdir('/work/shut', 0)
for target in ['/usr/x', '/skill/x', '/x']:
    try: open(target, 'w')
    except OSError as e: print(e.strerror)
made = 0
try:
    for _ in range(200):
        if os.fork() == 0: os.execv('/bin/sleep', ['sleep', '100'])
        made += 1
except OSError: print('forked', 20 < made < 40)
print(os.getuid())`;
    const skill = world.skill({ 'scripts/user.py': script });
    const request = {
      skill,
      script: 'scripts/user.py',
      env: { TEST_MARK: world.mark },
      limits: { processesMax: 40 },
      sandbox: 'bubblewrap' as const,
    };
    chmodSync(world.folder, 0o755);
    const child = startChild({ scratch: path.join(folder, 'scratch'), request, user: 4_711 });
    const readOnly = 'Read-only file system';
    expect(await resultOf(child)).toEqual({
      stdout: `${[readOnly, readOnly, readOnly, 'forked True', '1000'].join('\n')}\n`,
      stderr: '',
      files: ['result'],
      skipped: [{ path: 'shut', reason: 'unreadable' }],
      exitCode: 0,
      stopped: null,
      cleaned: [],
    });
    expect(readdirSync(path.join(folder, 'scratch'))).toEqual([]);
  });
});

describe('descriptors that Colibri got from its own parent', () => {
  for (const sandbox of ['bubblewrap', 'none'] as const) {
    it(`are no way out (${sandbox})`, async () => {
      const secret = temporaryDirectory();
      writeFileSync(path.join(secret, 'secret.txt'), 'SECRET');
      const script = `import os
for fd in sorted(map(int, os.listdir('/proc/self/fd'))):
    try: target = os.readlink(f'/proc/self/fd/{fd}')
    except OSError: continue
    print(fd, target.split('[')[0])
    try: print(os.listdir(f'/proc/self/fd/{fd}/'))
    except OSError: pass`;
      const skill = world.skill({ 'scripts/doors.py': script });
      const folder = openSync(secret, 'r');
      onTestFinished(() => closeSync(folder));
      // Node sees to the low numbers itself; one behind a gap is handed on.
      const child = startChild(
        { scratch: world.scratch, request: { skill, script: 'scripts/doors.py', sandbox } },
        [...Array.from({ length: 37 }, () => 'ignore' as const), folder],
      );
      const { stdout } = await resultOf(child);
      const lines = stdout.trim().split('\n');
      expect(lines.slice(0, 3)).toEqual([
        '0 /dev/null',
        expect.stringMatching(/^1 .*stdout \(deleted\)$/),
        expect.stringMatching(/^2 .*stderr \(deleted\)$/),
      ]);
      expect(lines).toContain('40 /dev/null');
      expect(new Set(lines.slice(3).map((line) => line.split(' ')[1]))).toEqual(new Set(['/dev/null']));
    });
  }
});

describe('the scratch folder', () => {
  it('is cleaned of runs only, and links in them are not followed', () => {
    const folder = temporaryDirectory();
    const precious = temporaryDirectory();
    writeFileSync(path.join(precious, 'kept'), 'x');
    const dead = path.join(folder, 'run-01ARZ3NDEKTSV4RRFFQ69G5FAV-4194304-1');
    mkdirSync(path.join(dead, 'skill/scripts'), { recursive: true });
    symlinkSync(precious, path.join(dead, 'skill/link'));
    chmodSync(path.join(dead, 'skill/scripts'), 0o555);
    chmodSync(path.join(dead, 'skill'), 0o555);
    chmodSync(precious, 0o755);
    symlinkSync(precious, path.join(folder, 'run-01BX5ZZKBKACTAV9WEVGEMMVRZ-4194304-1'));
    mkdirSync(path.join(folder, 'notes'));
    expect(cleanScratch(folder).toSorted()).toEqual([
      '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      '01BX5ZZKBKACTAV9WEVGEMMVRZ',
    ]);
    expect(statSync(precious).mode & 0o777).toBe(0o755);
    expect(readdirSync(folder)).toEqual(['notes']);
    expect(readdirSync(precious)).toEqual(['kept']);
    expect(cleanScratch(path.join(folder, 'missing'))).toEqual([]);
  });

  it('is refused when others can write it or when it is a link', async () => {
    const folder = temporaryDirectory();
    chmodSync(folder, 0o711);
    const open = path.join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    const link = path.join(folder, 'link');
    symlinkSync(world.folder, link);
    const skill = world.skill({ 'scripts/a.sh': 'echo x' });
    for (const scratchRoot of [open, link]) {
      const run = runScript(
        { skill, script: 'scripts/a.sh', sandbox: 'none' },
        { ...world.runtime, scratchRoot },
      );
      await expect(run).rejects.toMatchObject({ code: 'SCRATCH_UNUSABLE' });
    }
  });
});
