/** A sandbox that is missing or leaks is found out, and then nothing runs. */
import { chmodSync, existsSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { resolveLimits } from '../../../../src/domains/sessions/run/limits.ts';
import { createScriptRuntime, type SandboxState } from '../../../../src/domains/sessions/run/probe.ts';
import { judgeProbe } from '../../../../src/domains/sessions/run/probe-script.ts';
import { runScript } from '../../../../src/domains/sessions/run/run-script.ts';
import { startSandboxed } from '../../../../src/domains/sessions/run/start-sandboxed.ts';
import { supervise } from '../../../../src/domains/sessions/run/supervise.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createIds } from '../../../../src/lib/ids.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';

const ids = createIds(systemClock);

/** A folder for programs and scratch that the user of the sandbox can reach. */
function openFolder(): string {
  const folder = temporaryDirectory();
  chmodSync(folder, 0o755);
  return folder;
}

/** A bubblewrap that is told less than we think: it changes the options on their way to the real one. */
function crookedBubblewrap(change: string): string {
  const folder = openFolder();
  const program = path.join(folder, 'bwrap');
  const source = `#!/usr/bin/python3 -I
import os, sys
if '--args' in sys.argv:
    with os.fdopen(3, 'rb', closefd=False) as f: options = f.read().decode().split('\\0')[:-1]
    def drop(name, words=0):
        while name in options:
            at = options.index(name)
            del options[at:at + words + 1]
    ${change}
    r, w = os.pipe()
    os.write(w, ''.join(o + '\\0' for o in options).encode()); os.close(w)
    os.dup2(r, 3)
os.execv('/usr/bin/bwrap', ['/usr/bin/bwrap', *sys.argv[1:]])
`;
  writeFileSync(program, source);
  chmodSync(program, 0o755);
  return folder;
}

function stateWith(programFolders: readonly string[]): Promise<SandboxState> {
  const host = { scratchRoot: path.join(openFolder(), 'scratch'), clock: systemClock, ids };
  return createScriptRuntime(host, { programFolders }).sandbox();
}

describe('the probe', () => {
  it('finds the sandbox of this machine', async () => {
    expect(await stateWith(['/usr/bin'])).toMatchObject({
      usable: true,
      bubblewrap: { path: '/usr/bin/bwrap' },
    });
  });

  it('sees through the harness of this test: an honest wrapper is taken', async () => {
    expect(await stateWith([crookedBubblewrap('pass')])).toMatchObject({ usable: true });
  });

  it.each([
    ['the network', `drop('--unshare-net')`, 'route_lines'],
    ['the processes', `drop('--unshare-pid'); drop('--as-pid-1')`, 'first_process'],
    ['the root', `drop('--remount-ro', 1)`, 'root_writable'],
    ['the devices', `at = options.index('--remount-ro'); del options[at:at + 2]`, 'devices_writable'],
    ['the filter', `drop('--seccomp', 1)`, 'system_call_filter'],
    ['namespaces', `drop('--disable-userns'); drop('--seccomp', 1)`, 'new_namespaces'],
    [
      'more of the host',
      `at = options.index('--proc'); options[at:at] = ['--ro-bind', '/var', '/var']`,
      '/var can be seen',
    ],
    ['a writable skill', `at = options.index('/skill'); options[at - 2] = '--bind'`, 'skill_writable'],
    ['a writable system', `at = options.index('/usr'); options[at - 1] = '--bind'`, 'system_writable'],
    ['wrong options', `options.append('--no-such-option')`, 'Unknown option --no-such-option'],
  ])('refuses a sandbox that is open for %s', async (_, change, reason) => {
    const state = await stateWith([crookedBubblewrap(change)]);
    expect(state).toEqual({ usable: false, reason: expect.stringContaining(reason) });
  });

  it('says what is missing', async () => {
    const folder = openFolder();
    expect(await stateWith([folder])).toEqual({
      usable: false,
      reason: `bubblewrap is not installed in ${folder}; install the package bubblewrap`,
    });
    writeFileSync(path.join(folder, 'bwrap'), '#!/bin/sh\necho "bubblewrap 0.1"\n', { mode: 0o755 });
    expect(await stateWith([folder])).toMatchObject({ reason: expect.stringContaining('too old') });
    writeFileSync(path.join(folder, 'bwrap'), '#!/bin/sh\nexit 1\n');
    expect(await stateWith([folder])).toMatchObject({ reason: expect.stringContaining('does not start') });
  });

  it('is asked once while all is well, and again later when it was not', async () => {
    const folder = openFolder();
    let now = 0;
    const clock = { now: () => now, monotonic: () => now };
    const scratchRoot = path.join(openFolder(), 'scratch');
    const runtime = createScriptRuntime({ scratchRoot, clock, ids }, { programFolders: [folder] });
    const first = runtime.sandbox();
    expect(await first).toMatchObject({ usable: false });
    expect(runtime.sandbox()).toBe(first);
    now += 10_000;
    const second = runtime.sandbox();
    expect(second).not.toBe(first);
    await second;
  });
});

describe('without a sandbox', () => {
  it('no script runs, unless the caller says that the policy allowed it', async () => {
    const folder = openFolder();
    const scratchRoot = path.join(folder, 'scratch');
    const runtime = createScriptRuntime(
      { scratchRoot, clock: systemClock, ids },
      { programFolders: [folder] },
    );
    const request = { skill: { directory: folder, files: [] }, script: 'scripts/a.sh' };
    const files = [{ path: 'scripts/a.sh', size: 1, digest: 'x' }];
    const run = runScript(
      { ...request, skill: { directory: folder, files }, sandbox: 'bubblewrap' },
      runtime,
    );
    await expect(run).rejects.toMatchObject({
      code: 'SANDBOX_MISSING',
      message: expect.stringContaining('install the package bubblewrap'),
    });
    expect(existsSync(scratchRoot)).toBe(false);
  });
});

describe('a program outside the system folders', () => {
  it('is shown to the sandbox alone, and runs', async () => {
    const folder = openFolder();
    const state = await stateWith(['/usr/bin']);
    if (!state.usable) throw new Error(state.reason);
    const limits = resolveLimits({});
    const run = await startSandboxed({
      bubblewrap: state.bubblewrap,
      interpreter: { path: realpathSync(process.execPath), inside: '/opt/colibri/node' },
      command: ['/opt/colibri/node', '-p', 'process.execPath'],
      skill: folder,
      folder,
      environment: {},
      network: false,
      limits,
      stdin: undefined,
    });
    const { stdout } = await supervise(run, { limits, clock: systemClock });
    run.release();
    expect(stdout.bytes.toString()).toBe('/opt/colibri/node\n');
  });
});

describe('the verdict', () => {
  it('is never good on missing facts', () => {
    expect(judgeProbe('', { filtered: true })).toBe('first_process is unknown instead of ours');
  });
});
