/** Looks through one root: which directories hold a SKILL.md, and a fingerprint of each. Opens no file. */
import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';

import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { FINGERPRINT_NUMBERS } from './root-snapshot.ts';
import type { SkillRoot } from './roots.ts';

export interface WalkedRoot {
  readonly root: SkillRoot;
  /** The root's own real path, null when it does not exist. */
  readonly realPath: string | null;
  readonly directories: readonly WalkedDirectory[];
  readonly fingerprints: Float64Array;
}

export interface WalkedDirectory {
  /** Relative to the root, with forward slashes. */
  readonly relative: string;
  /** `absent`: no SKILL.md in it. `link`: the directory itself is a link, still to be judged. */
  readonly kind: 'skill' | 'absent' | 'link';
  /** Where a link leads; null when it leads nowhere. */
  readonly target?: string | null;
  /** Other paths to the same SKILL.md may exist. */
  readonly hardLinked?: boolean;
}

/** Directories looked into below one root; far above any real collection, it only stops a runaway tree. */
export const WALK_DIRECTORIES_MAX = 250_000;

// A file changed this shortly before it was looked at may change again without its times showing it.
const RACY_MS = 20;

export function walkRoot(root: SkillRoot, now: number): WalkedRoot {
  const identity = rootIdentity(root);
  if (identity === null) return { root, realPath: null, directories: [], fingerprints: new Float64Array() };
  const found: WalkedDirectory[] = [];
  const numbers: number[] = [];
  const visit = (directory: string, relativeTo: string, level: number): void => {
    for (const entry of listDirectory(root, directory)) {
      const relative = relativeTo === '' ? entry.name : `${relativeTo}/${entry.name}`;
      if (found.length >= WALK_DIRECTORIES_MAX) throw tooLarge(root);
      const walked = entry.isDirectory()
        ? lookForSkill(`${directory}/${entry.name}`, relative, numbers, now)
        : lookAtLink(`${directory}/${entry.name}`, relative, numbers, now);
      if (walked.kind === 'absent' && level < root.depth) {
        numbers.length -= FINGERPRINT_NUMBERS;
        visit(`${directory}/${entry.name}`, relative, level + 1);
      } else {
        found.push(walked);
      }
    }
  };
  visit(root.path, '', 1);
  if (rootIdentity(root)?.ino !== identity.ino) {
    throw unreadable(root, 'it disappeared while it was read; the index stays as it was');
  }
  return {
    root,
    realPath: realpathSync(root.path),
    directories: found,
    fingerprints: new Float64Array(numbers),
  };
}

function rootIdentity(root: SkillRoot): Stats | null {
  try {
    return statSync(root.path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw unreadable(root, messageOf(error));
  }
}

function listDirectory(root: SkillRoot, directory: string): Dirent[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true }).filter(isCandidate);
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // Below the root a folder may come and go or be closed to us; that is no reason to give up the rest.
    if (directory !== root.path) return [];
    throw unreadable(root, messageOf(error));
  }
}

function isCandidate(entry: Dirent): boolean {
  if (entry.name.startsWith('.') || entry.name === 'node_modules') return false;
  return entry.isDirectory() || entry.isSymbolicLink();
}

function lookForSkill(directory: string, relative: string, numbers: number[], now: number): WalkedDirectory {
  const stats = statSkillFile(`${directory}/SKILL.md`);
  if (stats === undefined) {
    // The directory's own times tell when a file of another case, such as skill.md, comes or goes.
    pushFingerprint(numbers, lstatSync(directory, { throwIfNoEntry: false }), now);
    return { relative, kind: 'absent' };
  }
  pushFingerprint(numbers, stats, now);
  return stats.nlink > 1 && stats.isFile()
    ? { relative, kind: 'skill', hardLinked: true }
    : { relative, kind: 'skill' };
}

/** Of a linked SKILL.md the target is looked at: its changes are the skill's changes. */
function statSkillFile(file: string): Stats | undefined {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (!stats?.isSymbolicLink()) return stats;
    return statSync(file, { throwIfNoEntry: false }) ?? stats;
  } catch (error) {
    if (systemCodeOf(error) === 'ELOOP') return lstatSync(file);
    return undefined;
  }
}

function lookAtLink(link: string, relative: string, numbers: number[], now: number): WalkedDirectory {
  const target = realPathOf(link);
  const stats = target === null ? undefined : statSkillFile(`${target}/SKILL.md`);
  if (stats === undefined) numbers.push(0, 0, 0, 0);
  else pushFingerprint(numbers, stats, now);
  return { relative, kind: 'link', target };
}

function realPathOf(link: string): string | null {
  try {
    return realpathSync(link);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
}

function pushFingerprint(numbers: number[], stats: Stats | undefined, now: number): void {
  if (stats === undefined) {
    numbers.push(Number.NaN, 0, 0, 0);
    return;
  }
  const racy = Math.abs(now - stats.mtimeMs) < RACY_MS || Math.abs(now - stats.ctimeMs) < RACY_MS;
  numbers.push(racy ? Number.NaN : stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino);
}

function unreadable(root: SkillRoot, reason: string): ColibriError {
  const message = `skills root ${root.display} cannot be read: ${reason}`;
  return new ColibriError('ROOT_UNREADABLE', message, { root: root.display, reason });
}

function tooLarge(root: SkillRoot): ColibriError {
  return unreadable(root, `it holds more than ${WALK_DIRECTORIES_MAX} directories; lower its depth`);
}
