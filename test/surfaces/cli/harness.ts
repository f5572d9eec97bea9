/** Runs command lines in this process, on streams that remember what was written. */
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import type { CliHost } from '../../../src/surfaces/cli/command.ts';
import type { TextStream } from '../../../src/surfaces/cli/output.ts';
import { runCli } from '../../../src/surfaces/cli/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

export interface RecordedStream extends TextStream {
  readonly text: () => string;
  /** Makes every later write fail. */
  readonly break: (error: Error) => void;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: an empty one, so that skills of the machine's own user never leak in. */
  readonly home?: string;
  /** Columns of the terminal; without it the streams are pipes. */
  readonly terminal?: number;
  readonly boot?: CliHost['boot'];
  readonly onStopSignal?: (stop: () => void) => void;
  readonly ask?: CliHost['ask'];
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function colibri(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const stdout = recordedStream(options.terminal);
  const stderr = recordedStream(options.terminal);
  const code = await runHost(argv, { ...options, stdout, stderr });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** The same on streams of the test's own, for commands that go on until they are stopped. */
export function runHost(
  argv: readonly string[],
  options: RunOptions & { readonly stdout: TextStream; readonly stderr?: TextStream },
): Promise<number> {
  return runCli({
    argv,
    env: options.env ?? {},
    stdout: options.stdout,
    stderr: options.stderr ?? recordedStream(),
    cwd: options.cwd ?? os.tmpdir(),
    home: options.home ?? temporaryDirectory(),
    version: '9.8.7',
    boot: options.boot ?? (() => import('../../../src/startup.ts')),
    ask: options.ask,
    ...(options.onStopSignal === undefined ? {} : { onStopSignal: options.onStopSignal }),
  });
}

export function recordedStream(columns?: number): RecordedStream {
  let text = '';
  let broken: Error | null = null;
  const listeners: ((error: Error) => void)[] = [];
  return {
    ...(columns === undefined ? {} : { isTTY: true, columns }),
    write(chunk, done) {
      if (broken !== null && chunk !== '') {
        const error = broken;
        setImmediate(() => {
          for (const listener of listeners) listener(error);
        });
      } else {
        text += chunk;
      }
      if (done !== undefined) setImmediate(() => done(broken));
      return true;
    },
    on(_event, listener) {
      listeners.push(listener);
      return this;
    },
    text: () => text,
    break: (error) => {
      broken = error;
    },
  };
}

/** A workspace with these SKILL.md texts by folder name. */
export function workspaceWith(skills: Readonly<Record<string, string>>): string {
  const workspace = temporaryDirectory();
  for (const [name, text] of Object.entries(skills)) {
    writeSkill(path.join(workspace, '.agents', 'skills', name), text);
  }
  return workspace;
}

export function writeSkill(directory: string, text: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'SKILL.md'), text);
}

export function skillText(fields: Readonly<Record<string, string>>, body = 'Do it.\n'): string {
  const lines = Object.entries(fields).map(([field, value]) => `${field}: ${value}`);
  return ['---', ...lines, '---', body].join('\n');
}
