import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Limits of the MCP skills extension. */
export const TREE_FILES_MAX: number = 512;
export const TREE_BYTES_MAX: number = 16 * 1024 * 1024;
/** Directories count too, so that a tree of empty ones ends as well. */
export const TREE_ENTRIES_MAX: number = 10_000;

export interface TreeSize {
  readonly files: number;
  readonly bytes: number;
}

/** Counts the files of a skill without following links; stops as soon as a limit is passed. */
export function measureTree(directory: string): TreeSize {
  let files = 0;
  let bytes = 0;
  let entries = 0;
  const pending = [directory];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      const entryPath = path.join(next, entry.name);
      if (++entries > TREE_ENTRIES_MAX) return { files: TREE_FILES_MAX + 1, bytes };
      if (entry.isDirectory()) {
        pending.push(entryPath);
        continue;
      }
      files++;
      bytes += sizeOf(entry, entryPath);
      if (files > TREE_FILES_MAX) return { files, bytes };
    }
  }
  return { files, bytes };
}

function sizeOf(entry: Dirent, entryPath: string): number {
  return entry.isFile() ? lstatSync(entryPath).size : 0;
}
