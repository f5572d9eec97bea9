/** Real scripts that take too much: time, output, processes, memory, disk. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

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

describe('time', () => {
  it('ends a script that never ends, with all it printed so far', async () => {
    const result = await world.run('loop.sh', 'echo begun; while :; do :; done', { limits: { timeMs: 400 } });
    expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL', stopped: 'time', timedOut: true });
    expect(textOf(result).stdout).toBe('begun\n');
    expect(result.durationMs).toBeLessThan(3_000);
  });

  it('ends a script that ignores every signal it can', async () => {
    const script = `import signal, time
for s in signal.valid_signals():
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: time.sleep(1)`;
    const result = await world.run('deaf.py', script, { limits: { timeMs: 500 } });
    expect(result).toMatchObject({ stopped: 'time', signal: 'SIGKILL' });
  });

  it('ends daemons that left their session and their parent, with the script and with the time', async () => {
    const daemon = (end: string) => `import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv('/bin/sleep', ['sleep', '100'])
    os._exit(0)
time.sleep(0.2)
${end}`;
    expect(await world.run('daemon.py', daemon('print("done")'))).toMatchObject({
      exitCode: 0,
      stopped: null,
    });
    expect(world.leftovers().processes).toEqual([]);
    const late = await world.run('late.py', daemon('time.sleep(100)'), { limits: { timeMs: 600 } });
    expect(late.stopped).toBe('time');
  });

  it('is not used up by a grandchild that keeps the output open', async () => {
    const result = await world.run('hold.sh', 'sleep 100 & echo done; exit 5');
    expect(result).toMatchObject({ exitCode: 5, stopped: null });
    expect(textOf(result).stdout).toBe('done\n');
    expect(result.durationMs).toBeLessThan(3_000);
  });

  it('can be cut short by the caller', async () => {
    const result = await world.run('wait.sh', 'sleep 100', { signal: AbortSignal.timeout(300) });
    expect(result).toMatchObject({ stopped: 'aborted', exitCode: null, timedOut: false });
    const early = await world.run('wait.sh', 'echo x >started', { signal: AbortSignal.abort() });
    expect(early.stopped).toBe('aborted');
  });
});

describe('output', () => {
  it('is kept at both ends, with the size of the gap', async () => {
    const result = await world.run(
      'long.sh',
      'echo first; head -c 100000 /dev/zero | tr "\\0" x; echo; echo last',
      {
        limits: { outputBytesMax: 1_024 },
      },
    );
    const { stdout } = textOf(result);
    expect(result).toMatchObject({
      exitCode: 0,
      truncated: true,
      stdout: { total: 100_012, truncated: true },
    });
    expect(stdout).toMatch(/^first\nx{506}\n\[98988 bytes left out\]\nx+\nlast\n$/);
  });

  it('ends a script that floods, in bounded memory', async () => {
    const before = process.memoryUsage.rss();
    const result = await world.run('flood.sh', 'head -c 1073741824 /dev/zero', {
      limits: { floodBytesMax: 4 * MIB },
    });
    expect(result).toMatchObject({ stopped: 'output', exitCode: null, truncated: true });
    expect(result.stdout.total).toBeLessThan(64 * MIB);
    expect(process.memoryUsage.rss() - before).toBeLessThan(256 * MIB);
  });

  it('and input have names that can be opened', async () => {
    const script = 'cat /dev/stdin >/dev/stdout; cat; echo err >/dev/stderr';
    const results = await Promise.all([
      world.run('names.sh', script, { stdin: Buffer.from('twice ') }),
      world.run('names.sh', script),
      world.run('unread.sh', 'echo not read', { stdin: Buffer.alloc(10_000_000) }),
    ]);
    expect(results.map(textOf)).toEqual([
      { stdout: 'twice twice ', stderr: 'err\n' },
      { stdout: '', stderr: 'err\n' },
      { stdout: 'not read\n', stderr: '' },
    ]);
  });

  it('counts both streams, and shows them apart', async () => {
    const result = await world.run('both.sh', 'echo out >/dev/stdout; echo err >/dev/stderr; exit 3');
    expect([textOf(result), result.exitCode]).toEqual([{ stdout: 'out\n', stderr: 'err\n' }, 3]);
  });
});

describe('processes', () => {
  it('cannot be forked without end', async () => {
    const script = `import os, time
made = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(100); os._exit(0)
        made += 1
except OSError as e:
    print(e.strerror)
print(20 < made < 40)`;
    const result = await world.run('fork.py', script, { limits: { processesMax: 40 } });
    expect(linesOf(result)).toEqual(['Resource temporarily unavailable', 'True']);
  });

  it('of a fork bomb are all gone in the end', async () => {
    const result = await world.run('bomb.sh', 'b() { b | b & }; b; sleep 100', { limits: { timeMs: 1_000 } });
    expect(result.timedOut || result.exitCode !== 0).toBe(true);
  });
});

describe('memory', () => {
  it('of one process ends at the limit', async () => {
    const script = 'try:\n  x = bytearray(1 << 30)\n  print("got it")\nexcept MemoryError: print("refused")';
    const result = await world.run('huge.py', script, { limits: { memoryBytesMax: 128 * MIB } });
    expect(linesOf(result)).toEqual(['refused']);
  });

  it('of many processes together ends at the limit', async () => {
    const script = `import os, time
for _ in range(8):
    if os.fork() == 0:
        x = bytearray(os.urandom(1 << 20)) * 60
        time.sleep(100)
time.sleep(100)`;
    const result = await world.run('many.py', script, {
      limits: { memoryBytesMax: 128 * MIB, timeMs: 20_000 },
    });
    expect(result.stopped).toBe('memory');
  });

  it('that is shared, and so belongs to no process alone, ends at the limit', async () => {
    const script = `import mmap, time
m = mmap.mmap(-1, 400 << 20)
for i in range(0, 400 << 20, 4096): m[i] = 1
time.sleep(100)`;
    const result = await world.run('shared.py', script, {
      limits: { memoryBytesMax: 128 * MIB, timeMs: 20_000 },
    });
    expect(result.stopped).toBe('memory');
  });
});

describe('disk', () => {
  it('ends with the size of the working folder, in one file and in many', async () => {
    const script = `import os
def fill(folder):
    total = 0
    try:
        for i in range(64):
            with open(f'{folder}/{i}', 'wb', buffering=0) as f: total += f.write(bytes(1 << 20))
    except OSError as e: print(e.strerror, total <= 4 << 20)
fill('/work'); fill('/tmp'); fill('/dev/shm')
try: open('/tmp/one', 'wb', buffering=0).truncate(100 << 20)
except OSError as e: print(e.strerror)`;
    const result = await world.run('fill.py', script, {
      limits: { workBytesMax: 4 * MIB, resultFilesMax: 2 },
    });
    const full = 'No space left on device True';
    expect(linesOf(result)).toEqual([full, full, full, 'File too large']);
    expect(result.files).toHaveLength(2);
    expect(result.skipped.map(({ reason }) => reason)).toContain('too-many');
  });

  it('results beyond their limit are named, not handed out', async () => {
    const result = await world.run('big.sh', 'head -c 3000000 /dev/zero >big; echo x >small', {
      limits: { resultBytesMax: 1_000 },
    });
    expect(result.files.map((file) => file.path)).toEqual(['small']);
    expect(result.skipped).toEqual([{ path: 'big', reason: 'too-large' }]);
  });
});
