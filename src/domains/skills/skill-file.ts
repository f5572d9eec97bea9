import { closeSync, openSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import path from 'node:path';

import { messageOf, systemCodeOf } from '../../lib/errors.ts';
import { type RegularFile, readOpenFile, SAFE_READ } from '../../lib/regular-file.ts';
import type { DiagnosticCode, SkillDiagnostic } from './diagnostic-codes.ts';

/** Largest SKILL.md. */
export const SKILL_BYTES_MAX: number = 1024 * 1024;

export type SkillBytes =
  | { readonly ok: true; readonly bytes: Buffer; readonly stats: Stats }
  | { readonly ok: false; readonly diagnostic: SkillDiagnostic };

/**
 * Reads a SKILL.md without ever waiting: open, fstat, read, close.
 * Every decision is made on the open file, because the path may lead elsewhere a moment later.
 * A link is followed only into `allowedRoots`, by default the directory that holds the skill's directory.
 */
export function readSkillBytes(file: string, options: ReadOptions = {}): SkillBytes {
  let fd: number;
  try {
    fd = openSync(file, SAFE_READ);
  } catch (error) {
    if (isLink(error) && options.links !== 'refuse') return readLinked(file, options);
    return openFailure(file, error);
  }
  return readAndClose(file, fd, options);
}

export interface ReadOptions {
  readonly allowedRoots?: readonly string[];
  /** Default: `follow`. */
  readonly links?: 'follow' | 'refuse';
  /** Takes the bytes of a file that fits into it; they are good until the next read. */
  readonly into?: Buffer;
}

function readAndClose(file: string, fd: number, { into }: ReadOptions): SkillBytes {
  try {
    return readOpen(file, readOpenFile(fd, SKILL_BYTES_MAX, into));
  } catch (error) {
    return refusal('file-unreadable', file, `cannot be read (${messageOf(error)}); check the file`);
  } finally {
    closeSync(fd);
  }
}

function readOpen(file: string, read: RegularFile): SkillBytes {
  if (read.ok) return read;
  switch (read.reason) {
    case 'not-regular':
      return refusal('file-not-regular', file, 'is not a regular file; replace it with a text file');
    case 'too-large':
      return refusal('file-too-large', file, 'has more than 1 MiB; move parts into other files');
    case 'changed':
      return refusal('file-unreadable', file, 'changed while it was read; try again');
  }
}

/** Linux says ELOOP for a link under O_NOFOLLOW, FreeBSD EMLINK. */
function isLink(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === 'ELOOP' || code === 'EMLINK';
}

function readLinked(file: string, options: ReadOptions): SkillBytes {
  const roots = options.allowedRoots ?? [path.dirname(path.dirname(path.resolve(file)))];
  let fd: number;
  let target: string;
  try {
    target = realpathSync(file);
    if (!isInside(target, roots)) return linkOutside(file);
    fd = openSync(target, SAFE_READ);
  } catch (error) {
    return linkFailure(file, error);
  }
  // A directory on the way may have become a link since realpath looked; Linux tells where the open file really is.
  if (process.platform === 'linux' && openPath(fd) !== target) {
    closeSync(fd);
    return linkOutside(file);
  }
  return readAndClose(file, fd, options);
}

function openPath(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // No /proc here: then nothing vouches for the file.
    return null;
  }
}

function isInside(target: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const real = realPathOf(root);
    return (
      real !== null &&
      (target === real || target.startsWith(real.endsWith(path.sep) ? real : real + path.sep))
    );
  });
}

function realPathOf(root: string): string | null {
  try {
    return realpathSync(root);
  } catch (error) {
    // A configured root need not exist; a link cannot lie inside it then.
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function linkOutside(file: string): SkillBytes {
  return refusal('link-outside', file, 'is a link to a place outside the skill roots; copy the file here');
}

function linkFailure(file: string, error: unknown): SkillBytes {
  const code = systemCodeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return refusal('link-broken', file, 'is a link that leads nowhere; remove or repair it');
  }
  if (code === 'ELOOP') return refusal('link-loop', file, 'is a link that leads back to itself; remove it');
  return openFailure(file, error);
}

function openFailure(file: string, error: unknown): SkillBytes {
  switch (systemCodeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return refusal('skill-md-missing', file, 'is missing; a skill directory needs one');
    case 'ENXIO':
    case 'ENODEV':
      return refusal('file-not-regular', file, 'is not a regular file; replace it with a text file');
    default:
      return refusal(
        'file-unreadable',
        file,
        `cannot be opened (${messageOf(error)}); check its permissions`,
      );
  }
}

function refusal(code: DiagnosticCode, file: string, what: string): SkillBytes {
  const name = path.basename(file);
  return { ok: false, diagnostic: { code, severity: 'error', message: `${name} ${what}`, file } };
}
