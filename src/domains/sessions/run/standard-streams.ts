/**
 * Stdin, stdout and stderr of a script: a file and two real pipes. Node's own are sockets, and a script that opens
 * /dev/stdin or /dev/stderr by name cannot open a socket.
 */
import { execFile } from 'node:child_process';
import { chownSync, closeSync, constants, openSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

import { ColibriError } from '../../../lib/errors.ts';
import { findProgram } from './host.ts';

export interface StandardStreams {
  readonly stdout: net.Socket;
  readonly stderr: net.Socket;
  /** Descriptors for the script, in order; to be closed here once it has them. */
  readonly given: readonly [stdin: number, stdout: number, stderr: number];
  closeGiven(): void;
}

export interface StreamOptions {
  /** Only needed for a moment: nothing keeps its name once it is open. */
  readonly folder: string;
  /** Who else must be able to open them by /proc. */
  readonly owner: number | null;
  readonly stdin: Uint8Array | undefined;
}

export async function openStandardStreams({ folder, owner, stdin }: StreamOptions): Promise<StandardStreams> {
  const program = findProgram('mkfifo');
  if (program === null) {
    throw new ColibriError('INTERPRETER_MISSING', 'mkfifo is not installed; install the package coreutils');
  }
  const [outName, errName] = [path.join(folder, 'stdout'), path.join(folder, 'stderr')];
  await promisify(execFile)(program, ['-m', '600', '--', outName, errName], { env: {} });
  const out = openPipe(outName, owner);
  const err = openPipe(errName, owner);
  const given = [openInput(path.join(folder, 'stdin'), owner, { stdin }), out.writer, err.writer] as const;
  return { stdout: out.reader, stderr: err.reader, given, closeGiven: () => given.forEach(closeSync) };
}

function openPipe(
  name: string,
  owner: number | null,
): { readonly reader: net.Socket; readonly writer: number } {
  if (owner !== null) chownSync(name, owner, owner);
  // The reader first and without waiting, or each side would wait for the other.
  const readFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(name, constants.O_WRONLY);
  rmSync(name);
  return { reader: new net.Socket({ fd: readFd, readable: true, writable: false }), writer };
}

function openInput(
  name: string,
  owner: number | null,
  { stdin }: { readonly stdin: Uint8Array | undefined },
): number {
  if (stdin === undefined) return openSync('/dev/null', 'r');
  writeFileSync(name, stdin, { flag: 'wx', mode: 0o400 });
  if (owner !== null) chownSync(name, owner, owner);
  const fd = openSync(name, 'r');
  rmSync(name);
  return fd;
}
