import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';

import { initDb } from '../../src/db/open.ts';
import { sha256Hex } from '../../src/lib/digest.ts';
import { ColibriError } from '../../src/lib/errors.ts';
import { fill } from './temporary-database-rows.ts';

const directories: string[] = [];

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'colibri-db-'));
  directories.push(directory);
  return directory;
}

export function temporaryDatabase(): string {
  return join(temporaryDirectory(), 'colibri.db');
}

/** Full of rows, all checkpointed into one file. */
export function filledDatabase(): string {
  const path = temporaryDatabase();
  const handle = initDb(path);
  fill(handle);
  handle.close();
  return path;
}

/** Digests of the file and its log: what a refused open must leave alone. */
export function bytesOf(path: string): readonly (string | undefined)[] {
  return [path, `${path}-wal`].map((file) => {
    return existsSync(file) ? sha256Hex(readFileSync(file)) : undefined;
  });
}

/** The code that an open or other call is refused with, or `opened`. */
export function codeOf(work: () => unknown): string {
  try {
    work();
    return 'opened';
  } catch (error) {
    if (error instanceof ColibriError) return error.code;
    throw error;
  }
}

/** Room for tests that start processes on a busy machine. */
export const PROCESS_MS = 90_000;

const WORKER = new URL('./database-process.ts', import.meta.url).pathname;

export function startProcess(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', WORKER, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

export function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
}
