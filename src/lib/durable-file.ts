/** Files that are on the disk when the call comes back, also if the power goes a moment later. */
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A new file. With a mode it gets exactly that one; without, what the mask of the process leaves of 644. */
export function writeDurably(file: string, content: string | Uint8Array, mode?: number): void {
  const fd = openSync(file, 'wx', mode === undefined ? 0o644 : 0o600);
  try {
    writeFileSync(fd, content);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  // Not through `open`, which the mask would narrow.
  if (mode !== undefined) chmodSync(file, mode);
}

/** Readers see the old file or the new one. A link that lies there is replaced, never written through. */
export function replaceFile(file: string, content: string | Uint8Array, mode?: number): void {
  const temporary = `${file}.${process.pid}.new`;
  // Left by a process that died, or laid there by somebody who would like to choose where we write.
  rmSync(temporary, { force: true, recursive: true });
  try {
    writeDurably(temporary, content, mode);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A file, or a folder: a rename is durable when the folder that holds the name is. */
export function syncPath(place: string): void {
  const fd = openSync(place, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
