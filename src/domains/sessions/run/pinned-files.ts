/** Copies a skill, exactly as it was pinned, to where a script can run from it and nobody can change it. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { sha256Hex } from '../../../lib/digest.ts';
import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { readRegularFile } from '../../../lib/regular-file.ts';
import type { ManifestFile } from '../../skills/manifest.ts';
import { TREE_BYTES_MAX, TREE_FILES_MAX } from '../../skills/skill-tree.ts';
import { checkFilePath } from '../file-path.ts';

export interface PinnedSkill {
  readonly directory: string;
  /** What the skill held when it was loaded; anything else in its directory is left out. */
  readonly files: readonly ManifestFile[];
}

export interface PinnedCopy {
  readonly script: Buffer;
  readonly scriptDigest: string;
  /** sha256 over path and digest of every file, hex. */
  readonly filesDigest: string;
}

/** Writes the files into `target`, which must not exist, and makes them read-only. */
export function copyPinnedFiles(
  skill: PinnedSkill,
  target: string,
  { script }: { readonly script: string },
): PinnedCopy {
  checkSize(skill.files);
  const files = skill.files
    .filter((file) => !isBytecode(file.path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const folders = new Set([target]);
  mkdirSync(target);
  let content: Buffer | null = null;
  for (const file of files) {
    const bytes = readPinned(skill.directory, file);
    const place = path.join(target, file.path);
    makeFolders(path.dirname(place), { target, folders });
    writeFileSync(place, bytes, { flag: 'wx' });
    // Scripts may call each other; nothing else needs to be a program.
    chmodSync(place, file.path.startsWith('scripts/') ? 0o555 : 0o444);
    if (file.path === script) content = bytes;
  }
  for (const folder of folders) chmodSync(folder, 0o555);
  if (content === null) throw notPinned(script, skill.files);
  return {
    script: content,
    scriptDigest: sha256Hex(content),
    filesDigest: sha256Hex(files.map((file) => `${file.path}\0${file.digest}\n`).join('')),
  };
}

/** A script is a file of the skill's `scripts` folder, named as it was listed. */
export function checkScriptPath(script: string, files: readonly ManifestFile[]): void {
  const checked = checkFilePath(script);
  if (!checked.ok) throw new ColibriError(checked.code, checked.message, { script });
  if (!script.startsWith('scripts/')) {
    const message = `${script} is not in the folder scripts/ of its skill; only files there can be run`;
    throw new ColibriError('SCRIPT_INVALID', message, { script });
  }
  if (!files.some((file) => file.path === script)) throw notPinned(script, files);
}

function readPinned(directory: string, { path: relative, digest }: ManifestFile): Buffer {
  const checked = checkFilePath(relative);
  if (!checked.ok) throw new ColibriError(checked.code, checked.message, { path: relative });
  const changed = (reason: string): ColibriError => {
    const message = `${relative} is not what it was when the skill was loaded (${reason}); load the skill again`;
    return new ColibriError('FILE_CHANGED', message, { path: relative, reason });
  };
  try {
    const read = readRegularFile(path.join(directory, relative), TREE_BYTES_MAX);
    if (!read.ok) throw changed(read.reason);
    // Whatever the path led through on the way: these bytes are the ones that were looked at.
    if (sha256Hex(read.bytes) !== digest) throw changed('other content');
    return read.bytes;
  } catch (error) {
    if (systemCodeOf(error) === undefined || error instanceof ColibriError) throw error;
    throw changed(messageOf(error));
  }
}

function makeFolders(
  folder: string,
  { target, folders }: { readonly target: string; readonly folders: Set<string> },
): void {
  if (folders.has(folder) || folder === target) return;
  makeFolders(path.dirname(folder), { target, folders });
  mkdirSync(folder);
  folders.add(folder);
}

/** Compiled Python would run instead of the source that was read and approved. */
function isBytecode(relative: string): boolean {
  return /\.py[co]$/i.test(relative);
}

function checkSize(files: readonly ManifestFile[]): void {
  const bytes = files.reduce((total, { size }) => total + size, 0);
  if (files.length <= TREE_FILES_MAX && bytes <= TREE_BYTES_MAX) return;
  const message = `the skill has ${files.length} files with ${bytes} bytes; at most ${TREE_FILES_MAX} and ${TREE_BYTES_MAX} can be run from`;
  throw new ColibriError('RUN_LIMIT', message);
}

function notPinned(script: string, files: readonly ManifestFile[]): ColibriError {
  const scripts = files.map(({ path: name }) => name).filter((name) => name.startsWith('scripts/'));
  const message = `the skill has no file ${script}; it has ${scripts.slice(0, 10).join(', ') || 'no scripts'}`;
  return new ColibriError('FILE_NOT_FOUND', message, { script });
}
