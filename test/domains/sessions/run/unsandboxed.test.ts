/** Runs that the policy allowed without a sandbox: the same limits, and nothing left behind. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { RunRequest, RunResult } from '../../../../src/domains/sessions/run/run-script.ts';
import { createWorld, linesOf, NOTHING, type ScriptWorld, textOf } from './script-world.ts';

let world: ScriptWorld;
const MIB = 1_024 * 1_024;

beforeAll(() => {
  world = createWorld();
});
afterEach(() => {
  expect(world.leftovers()).toEqual(NOTHING);
});
afterAll(() => world.remove());

function run(name: string, content: string, more: Partial<RunRequest> = {}): Promise<RunResult> {
  return world.run(name, content, { ...more, sandbox: 'none' });
}

describe('a run without sandbox', () => {
  it('has a folder, a bare environment and its input, and gives its files back', async () => {
    const result = await run(
      'a.sh',
      'env | cut -d= -f1 | sort | tr "\\n" " "; cat >copy; [ "$PWD" = "$HOME" ]',
      {
        stdin: Buffer.from('input'),
      },
    );
    expect(textOf(result)).toEqual({ stdout: 'COLIBRI_RUN HOME LANG PATH PWD TEST_MARK ', stderr: '' });
    expect(result).toMatchObject({ sandbox: 'none', exitCode: 0, stopped: null });
    expect(result.files.map((file) => [file.path, file.bytes.toString()])).toEqual([['copy', 'input']]);
  });

  it('reports the signal that a script died of', async () => {
    expect(await run('die.sh', 'kill -SEGV $$')).toMatchObject({
      exitCode: null,
      signal: 'SIGSEGV',
      stopped: null,
    });
  });

  it('ends in time, with children that left the group, the session and the family', async () => {
    const script = `import os, time
for kind in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve('/bin/sleep', ['sleep', '100'], os.environ if kind else {})
        if kind: os._exit(0)
        time.sleep(100)
time.sleep(100)`;
    const result = await run('escape.py', script, { limits: { timeMs: 600 } });
    expect(result).toMatchObject({ stopped: 'time', signal: 'SIGKILL' });
  });

  it('takes its daemons with it when it ends by itself', async () => {
    const result = await run('daemon.sh', 'setsid sleep 100 >/dev/null 2>&1 & sleep 100 & echo done');
    expect([linesOf(result), result.exitCode]).toEqual([['done'], 0]);
    expect(result.durationMs).toBeLessThan(3_000);
  });

  it.each([
    ['output', 'head -c 1073741824 /dev/zero', { floodBytesMax: 2 * MIB }],
    ['processes', 'i=0; while [ $i -lt 200 ]; do sleep 100 & i=$((i+1)); done; wait', { processesMax: 40 }],
    [
      'disk',
      'i=0; while :; do head -c 1000000 /dev/zero >f$i; i=$((i+1)); sleep 0.01; done',
      { workBytesMax: 8 * MIB },
    ],
  ] as const)('is ended for too much %s', async (reason, script, limits) => {
    const result = await run('greedy.sh', script, { limits: { timeMs: 10_000, ...limits } });
    expect(result).toMatchObject({ stopped: reason, exitCode: null });
  });

  it('has limits on single files and on memory', async () => {
    const script = `import os
try: open('f', 'wb').truncate(100 << 20)
except OSError as e: print(e.strerror)
try: bytearray(1 << 30)
except MemoryError: print('no memory')`;
    const result = await run('limits.py', script, { limits: { memoryBytesMax: 128 * MIB } });
    expect(linesOf(result)).toEqual(['File too large', 'no memory']);
  });
});
