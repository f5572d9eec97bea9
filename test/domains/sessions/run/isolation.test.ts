/** Real scripts that try to reach what they must not; each tells what happened, and nothing may have worked. */
import { spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { createWorld, linesOf, NOTHING, type ScriptWorld, textOf } from './script-world.ts';

let world: ScriptWorld;

beforeAll(() => {
  world = createWorld();
});
afterEach(() => {
  expect(world.leftovers()).toEqual(NOTHING);
});
afterAll(() => world.remove());

/** Python that runs each attempt and prints the name of the error it met, or `worked`. */
function attempts(...lines: readonly string[]): string {
  const attempt = (line: string) =>
    `try:\n    ${line.replaceAll('\n', '\n    ')}\n    print('worked')\nexcept OSError as e:\n    print(errno.errorcode[e.errno])`;
  return `import ctypes, errno, os, socket, sys\nlibc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    if libc.syscall(*args) == -1: raise OSError(ctypes.get_errno(), 'refused')
${lines.map(attempt).join('\n')}\n`;
}

describe('files of the host', () => {
  it('are not there: homes, secrets, the database, other skills', async () => {
    const home = path.join(world.folder, 'home/.ssh');
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, 'id_ed25519'), 'SECRET');
    const wanted = [
      path.join(home, 'id_ed25519'),
      path.join(os.homedir(), '.bashrc'),
      '/etc/shadow',
      '/etc/passwd',
      '/proc/1/root/etc/shadow',
      process.cwd(),
      world.scratch,
    ];
    const result = await world.run(
      'read.py',
      attempts(...wanted.map((file) => `os.stat(${JSON.stringify(file)})`)),
    );
    expect(textOf(result).stderr).toBe('');
    expect(linesOf(result)).toEqual(wanted.map(() => 'ENOENT'));
  });

  it('are not there through the home folder of the environment', async () => {
    const result = await world.run(
      'home.sh',
      'echo "$HOME"; cat ~/.ssh/id_ed25519 /root/.ssh/id_ed25519; ls -A ~',
    );
    expect(linesOf(result)).toEqual(['/work']);
    expect(result.exitCode).toBe(0);
  });

  it('cannot be written, and neither can anything but the working folder and /tmp', async () => {
    const closed = [
      '/usr/x',
      '/bin/x',
      '/etc/x',
      '/skill/x',
      '/skill/scripts/write.py',
      '/x',
      '/dev/x',
      '/proc/x',
    ];
    const open = ['/work/x', '/tmp/x', '/dev/shm/x'];
    const lines = [...closed, ...open].map((file) => `open(${JSON.stringify(file)}, 'w').write('x')`);
    const result = await world.run('write.py', attempts(...lines));
    expect(linesOf(result)).toEqual([
      ...Array.from({ length: 7 }, () => 'EROFS'),
      'ENOENT',
      ...open.map(() => 'worked'),
    ]);
    expect(result.files.map((file) => file.path)).toEqual(['x']);
    expect(existsSync('/usr/x')).toBe(false);
  });
});

describe('the environment', () => {
  it('holds three variables and what was granted', async () => {
    const result = await world.run('env.py', 'import os\nprint(sorted(os.environ.items()))', {
      env: { API_KEY: 'granted' },
    });
    expect(textOf(result).stdout.trim()).toBe(
      `[('API_KEY', 'granted'), ('HOME', '/work'), ('LANG', 'C.UTF-8'), ('PATH', '/usr/local/bin:/usr/bin:/bin'), ('PWD', '/work'), ('TEST_MARK', '${world.mark}')]`,
    );
  });

  it('of other processes cannot be read, nor can they be seen', async () => {
    const result = await world.run(
      'ps.py',
      `import os
pids = [p for p in os.listdir('/proc') if p.isdigit()]
print(len(pids) <= 3)
print(open('/proc/1/environ', 'rb').read().count(b'='))
print(os.path.exists('/proc/${process.pid}'))`,
    );
    expect(linesOf(result)).toEqual(['True', '5', 'False']);
  });

  it('does not stand in the command line that everybody on the host can read', async () => {
    const running = world.run('sleep.sh', 'sleep 2', {
      env: { API_KEY: 'hush-hush' },
      limits: { timeMs: 800 },
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const ps = spawn('ps', ['axww', '-o', 'args']);
    let text = '';
    ps.stdout.on('data', (chunk) => (text += chunk));
    await once(ps, 'close');
    expect(text).toContain('bwrap');
    expect(text).not.toContain('hush-hush');
    await running;
  });
});

describe('the network', () => {
  it('does not lead anywhere: no TCP, UDP or abstract socket of the host, no name', async () => {
    const tcp = net.createServer().listen(0, '127.0.0.1');
    const udp = dgram.createSocket('udp4').bind(0, '127.0.0.1');
    const abstract = net.createServer().listen(`\0colibri-${world.mark}`);
    let heard = 0;
    for (const server of [tcp, abstract]) server.on('connection', () => heard++);
    udp.on('message', () => heard++);
    onTestFinished(() => {
      tcp.close();
      abstract.close();
      udp.close();
    });
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
    const port = (server: net.Server | dgram.Socket) => (server.address() as net.AddressInfo).port;
    const lines = [
      `socket.create_connection(('127.0.0.1', ${port(tcp)}), 1)`,
      `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', ${port(udp)}))\nprint('sent')`,
      `socket.create_connection(('192.0.2.1', 80), 1)`,
      `socket.socket(socket.AF_UNIX).connect('\\0colibri-${world.mark}')`,
      `socket.socket(socket.AF_PACKET, socket.SOCK_RAW)`,
      `call(41 if os.uname().machine == 'x86_64' else 198, 40, 1, 0)`,
    ];
    const result = await world.run('net.py', attempts(...lines));
    // The loopback is the sandbox's own: a datagram leaves, and nobody is there.
    expect(linesOf(result)).toEqual([
      'ECONNREFUSED',
      'sent',
      'worked',
      'ENETUNREACH',
      'ECONNREFUSED',
      'EAFNOSUPPORT',
      'EAFNOSUPPORT',
    ]);
    expect(heard).toBe(0);
  });

  it('is there when it was granted, without the local sockets of services', async () => {
    const tcp = net.createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    const abstract = net.createServer().listen(`\0colibri-net-${world.mark}`);
    onTestFinished(() => {
      tcp.close();
      abstract.close();
    });
    await once(tcp, 'listening');
    const lines = [
      `print(socket.create_connection(('127.0.0.1', ${(tcp.address() as net.AddressInfo).port}), 1).recv(9))`,
      `socket.socket(socket.AF_UNIX).connect('\\0colibri-net-${world.mark}')`,
    ];
    const result = await world.run('net.py', attempts(...lines), { network: true });
    expect(linesOf(result)).toEqual(["b'hello'", 'worked', 'EAFNOSUPPORT']);
  });
});

describe('the kernel', () => {
  it('gives no new namespaces, mounts, traces, keys, modules or devices', async () => {
    const x64 = os.arch() === 'x64';
    const number = (onX64: number, onArm64: number) => (x64 ? onX64 : onArm64);
    const lines = [
      `call(${number(272, 97)}, 0x10000000)`, // unshare(CLONE_NEWUSER)
      `call(${number(56, 220)}, 0x10000000 | 17, 0, 0, 0, 0)`, // clone(CLONE_NEWUSER)
      `call(435, 0, 0)`, // clone3
      `call(${number(165, 40)}, b'none', b'/work', b'tmpfs', 0, 0)`, // mount
      `call(${number(101, 117)}, 16, 1, 0, 0)`, // ptrace(PTRACE_ATTACH, 1)
      `call(${number(310, 270)}, 1, 0, 0, 0, 0, 0)`, // process_vm_readv
      `call(${number(250, 219)}, 0, 0)`, // keyctl
      `call(${number(321, 280)}, 0, 0, 0)`, // bpf
      `call(425, 1, 0)`, // io_uring_setup
      `os.mknod('/work/disk', 0o60600, os.makedev(254, 0))`,
      `os.chroot('/work')`,
      `os.setuid(0)`,
      `os.kill(${process.pid}, 9)`,
    ];
    const result = await world.run('kernel.py', attempts(...lines));
    expect(linesOf(result)).toEqual([
      'EPERM',
      'EPERM',
      'ENOSYS',
      ...Array.from({ length: 5 }, () => 'EPERM'),
      'ENOSYS',
      'EPERM',
      'EPERM',
      'EINVAL',
      'ESRCH',
    ]);
  });

  it('gives nothing through programs that are set-uid on the host', async () => {
    const result = await world.run(
      'suid.sh',
      'su -c id 2>/dev/null; unshare -Ur id; mount -t tmpfs x /work; id -u',
    );
    expect(linesOf(result)).toEqual(['1000']);
  });
});

describe('what a script leaves', () => {
  it('is handed out when it is a regular file, and only named when it is not', async () => {
    const secret = path.join(world.folder, 'secret');
    writeFileSync(secret, 'SECRET');
    const result = await world.run(
      'leave.py',
      `import os
os.makedirs('/work/deep/er')
open('/work/deep/er/result.txt', 'w').write('fine')
os.symlink('${secret}', '/work/link')
os.symlink('/etc', '/work/folder')
os.mkfifo('/work/pipe')
open(b'/work/bad\\xff', 'w')
open('/work/new\\nline', 'w')
os.mkdir('/work/closed', 0)
open('/work/unreadable', 'w').write('x'); os.chmod('/work/unreadable', 0)`,
    );
    expect(textOf(result).stderr).toBe('');
    const names = result.files.map((file) => [file.path, file.bytes.toString()]);
    const isRoot = process.getuid?.() === 0;
    expect(names).toEqual([['deep/er/result.txt', 'fine'], ...(isRoot ? [['unreadable', 'x']] : [])]);
    expect(new Set(result.skipped.map((file) => `${file.path} ${file.reason}`))).toEqual(
      new Set([
        'link link',
        'folder link',
        'pipe special',
        'bad\ufffd name',
        'new line name',
        ...(isRoot ? [] : ['closed unreadable', 'unreadable unreadable']),
      ]),
    );
  });

  it('is gone afterwards, and nothing on the host belongs to the run', async () => {
    await world.run('fill.sh', 'mkdir -p a/b; chmod 0 a; echo x >/tmp/x; echo y >/dev/shm/y');
    expect(world.leftovers()).toEqual(NOTHING);
    expect(existsSync('/dev/shm/y')).toBe(false);
  });
});

it('reads a file planted in the home folder of root as little as any other', async () => {
  const planted = path.join(os.homedir(), `.colibri-planted-${world.mark}`);
  writeFileSync(planted, 'SECRET');
  onTestFinished(() => rmSync(planted));
  const result = await world.run('cat.sh', `cat ${planted} || ls ${os.homedir()}`);
  expect(textOf(result).stdout).toBe('');
  expect(readFileSync(planted, 'utf8')).toBe('SECRET');
});
