/** What is decided before a run, without a process. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { createCapture } from '../../../../src/domains/sessions/run/capture.ts';
import { chooseInterpreter } from '../../../../src/domains/sessions/run/interpreter.ts';
import { LIMIT_RANGES, resolveLimits, resourceLimits } from '../../../../src/domains/sessions/run/limits.ts';
import { gatedCommand, sandboxOptions } from '../../../../src/domains/sessions/run/sandbox.ts';
import { systemCallFilter } from '../../../../src/domains/sessions/run/system-calls.ts';

describe('the interpreter', () => {
  const choose = (script: string, content = '') => {
    const { name, flags } = chooseInterpreter(script, Buffer.from(content));
    return [name, ...flags].join(' ');
  };

  it.each([
    ['scripts/a.py', '', 'python3 -I -B'],
    ['scripts/a.PY', '', 'python3 -I -B'],
    ['scripts/a.js', '#!/usr/bin/env evil', 'node'],
    ['scripts/a.sh', '', 'sh'],
    ['scripts/a.sh', '#!/bin/bash -eu\n', 'bash --noprofile --norc -eu'],
    ['scripts/a.sh', '#!/usr/bin/env python3\n', 'sh'],
    ['scripts/a.sh', '#!/bin/sh -c evil\n', 'sh'],
    ['scripts/a.rb', '', 'ruby'],
    ['scripts/a.pl', '', 'perl'],
    ['scripts/a', '#!/work/python3\n', 'python3 -I -B'],
    ['scripts/a', '#! /usr/bin/env  node\n', 'node'],
    ['scripts.d/a.b/c', '#!/bin/sh', 'sh'],
  ])('of %s with %j is %s', (script, content, expected) => {
    expect(choose(script, content)).toBe(expected);
  });

  it.each([
    ['scripts/a.exe', ''],
    ['scripts/a', ''],
    ['scripts/a', '#!/usr/bin/env -S python3\n'],
    ['scripts/a', '#!/usr/bin/env LD_PRELOAD=x sh\n'],
    ['scripts/a', '#!/bin/sh\r\n'],
    ['scripts/a.sh', '#!/bin/sh\r\n'],
    ['scripts/a', '\ufeff#!/bin/sh\n'],
    ['scripts/a.pyc', ''],
  ])('of %s with %j does not exist', (script, content) => {
    expect(() => choose(script, content)).toThrow(expect.objectContaining({ code: 'SCRIPT_INVALID' }));
  });
});

describe('the sandbox', () => {
  const options = {
    layout: {
      folders: [
        { path: '/usr', link: null },
        { path: '/bin', link: 'usr/bin' },
      ],
      settings: ['/etc/ld.so.cache'],
      networkSettings: ['/etc/resolv.conf'],
    },
    skill: '/scratch/skill',
    network: false,
    limits: resolveLimits({ workBytesMax: 1_000_000 }),
    environment: { HOME: '/work', KEY: '--bind' },
    program: { from: '/home/me/node', to: '/opt/colibri/node' },
    disableUserNamespaces: true,
    infoFd: 4,
    filterFd: 5,
  };

  it('is told exactly this', () => {
    expect(sandboxOptions(options).join(' ')).toBe(
      [
        '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net',
        '--disable-userns --as-pid-1 --die-with-parent --new-session --clearenv --cap-drop ALL',
        '--uid 1000 --gid 1000 --hostname sandbox',
        '--ro-bind /usr /usr --symlink usr/bin /bin --ro-bind /etc/ld.so.cache /etc/ld.so.cache',
        '--ro-bind /home/me/node /opt/colibri/node --proc /proc --dev /dev',
        '--size 1000000 --tmpfs /dev/shm --size 1000000 --tmpfs /tmp --size 1000000 --tmpfs /work',
        '--ro-bind /scratch/skill /skill --remount-ro /dev --remount-ro / --chdir /work',
        '--setenv HOME /work --setenv KEY --bind --info-fd 4 --seccomp 5',
      ].join(' '),
    );
  });

  it('has the network, and what is needed to use it, only when granted', () => {
    const granted = sandboxOptions({ ...options, network: true }).join(' ');
    expect(granted).not.toContain('--unshare-net');
    expect(granted).toContain('--ro-bind /etc/resolv.conf /etc/resolv.conf');
  });

  it('starts the command without a shell reading it', () => {
    const command = gatedCommand(['/usr/bin/python3', '$(id)'], { gateFd: 6, limits: ['--core=0'] });
    expect(command.slice(3)).toEqual([
      'sh',
      '/usr/bin/prlimit',
      '--core=0',
      '--',
      '/usr/bin/python3',
      '$(id)',
    ]);
  });

  it('has a filter on the machines it knows, and a stricter one with the network', () => {
    const size = (arch: string, network: boolean) => systemCallFilter(arch, { network })?.length;
    expect(size('x64', false)).toBe(size('arm64', false));
    expect(size('x64', true)).toBe((size('x64', false) ?? 0) - 16);
    expect(systemCallFilter('riscv64', { network: false })).toBeNull();
  });
});

describe('limits', () => {
  it('have defaults, and become limits of the process', () => {
    const limits = resolveLimits({ timeMs: 1_500, processesMax: 20 });
    expect(resourceLimits(limits, 'namespace')).toEqual([
      '--nofile=256',
      '--fsize=67108864',
      '--cpu=3',
      '--core=0',
      '--data=536870912',
      '--nproc=20',
    ]);
    expect(resourceLimits(limits, 'user')).not.toContain('--nproc=20');
  });

  it('are documented with their defaults', () => {
    const page = readFileSync(
      path.resolve(import.meta.dirname, '../../../../docs/running-scripts.md'),
      'utf8',
    );
    const rows = [...page.matchAll(/^\| `(\w+)` \| ([\d ]+) \| ([\d ]+) \| ([\d ]+) \|/gm)].map((row) =>
      row.slice(1),
    );
    const number = (text: string | undefined) => Number(text?.replaceAll(' ', ''));
    const documented = rows.map(([name, least, fallback, most]) => [
      name,
      { least: number(least), fallback: number(fallback), most: number(most) },
    ]);
    expect(Object.fromEntries(documented)).toEqual(LIMIT_RANGES);
  });
});

describe('a capture', () => {
  const captured = (bytesMax: number, chunks: readonly string[]) => {
    const capture = createCapture(bytesMax);
    for (const chunk of chunks) capture.push(Buffer.from(chunk));
    const { bytes, total, truncated } = capture.result();
    return [bytes.toString(), total, truncated];
  };

  it('keeps everything up to its size, however it comes', () => {
    expect(captured(6, ['abcdef'])).toEqual(['abcdef', 6, false]);
    expect(captured(6, ['a', 'b', 'c', 'd', 'e', 'f'])).toEqual(['abcdef', 6, false]);
    expect(captured(6, [])).toEqual(['', 0, false]);
  });

  it('keeps both ends of more', () => {
    const kept = 'abc\n[2 bytes left out]\nfgh';
    expect(captured(6, ['abcdefgh'])).toEqual([kept, 8, true]);
    expect(captured(6, [...'abcdefgh'])).toEqual([kept, 8, true]);
    expect(captured(6, ['ab', 'cdef', 'gh'])).toEqual([kept, 8, true]);
  });
});
