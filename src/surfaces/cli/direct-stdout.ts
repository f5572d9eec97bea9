/** Stdout without a stream of Node's, which takes longer to make than a quick command takes to answer. */
import { fstatSync, type Stats, statSync, writeSync } from 'node:fs';

import { systemCodeOf } from '../../lib/errors.ts';
import type { TextStream } from './output.ts';

const STDOUT = 1;

/** Null when it may be a terminal, of which only the stream knows how to write to it. */
export function directStdout(own: { readonly stdout: TextStream }): TextStream | null {
  if (!isPlain(statsOf(STDOUT))) return null;
  // From the first write on that could not be done at once: whoever reads is slow, or gone.
  let stream: TextStream | undefined;
  const listeners: ((error: Error) => void)[] = [];
  return {
    write(text, done) {
      if (stream === undefined) {
        const rest = writeNow(typeof text === 'string' ? Buffer.from(text) : text);
        if (rest.length === 0) {
          done?.();
          return true;
        }
        stream = own.stdout;
        for (const listener of listeners) stream.on('error', listener);
        return stream.write(rest, done);
      }
      return stream.write(text, done);
    },
    on(event, listener) {
      listeners.push(listener);
      return stream?.on(event, listener);
    },
  };
}

/** What was left to write when something went wrong. The stream meets it again and says what it is, or waits. */
function writeNow(bytes: Uint8Array): Uint8Array {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(STDOUT, bytes, written);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
  return bytes.subarray(written);
}

function isPlain(stdout: Stats | null): boolean {
  if (stdout === null) return false;
  if (stdout.isFile() || stdout.isFIFO() || stdout.isSocket()) return true;
  return stdout.isCharacterDevice() && stdout.rdev === statsOf('/dev/null')?.rdev;
}

function statsOf(file: string | number): Stats | null {
  try {
    return typeof file === 'number' ? fstatSync(file) : statSync(file);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
}
