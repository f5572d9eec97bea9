/** Looks through one root: which directories hold a SKILL.md, and a fingerprint of each. Opens no file. */
import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';

import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { FINGERPRINT_NUMBERS, isPassedOver } from './root-snapshot.ts';
import type { SkillRoot } from './roots.ts';

export interface WalkedRoot {
  readonly root: SkillRoot;
  /** The root's own real path, null when it does not exist. */
  readonly realPath: string | null;
  readonly directories: readonly WalkedDirectory[];
  readonly fingerprints: Float64Array;
  /** No file was looked at: every directory stands for a skill, and the fingerprints come with the reading. */
  readonly unseen?: true;
}

export interface WalkedDirectory {
  /** Relative to the root, with forward slashes. */
  readonly relative: string;
  /**
   * `absent`: no SKILL.md in it. `link`: the directory itself is a link, still to be judged. `file-link`: its SKILL.md
   * is one. `misnamed`: its name is no text.
   */
  readonly kind: 'skill' | 'absent' | 'link' | 'file-link' | 'misnamed';
  /** Where a link leads, down to the real path; null when it leads nowhere. */
  readonly target?: string | null;
  /** Which file SKILL.md is, where other paths to the same file may exist. */
  readonly inode?: string;
}

/** Entries looked at below one root; far above any real collection, it only stops a runaway tree. */
export const WALK_ENTRIES_MAX = 250_000;

// A file changed this shortly before the walk, or during it, may change again without its times showing it.
const RACY_MS = 20;

export function walkRoot(root: SkillRoot, now: number): WalkedRoot {
  const identity = rootIdentity(root);
  if (identity === null) return { root, realPath: null, directories: [], fingerprints: new Float64Array() };
  const directories: WalkedDirectory[] = [];
  const look: Look = { root, now, numbers: new Float64Array(NUMBERS_AT_FIRST), used: 0, entries: 0 };
  visit(look, directories, { path: root.path, relative: '', level: 1 });
  const realPath = realPathOf(root.path);
  if (realPath === null || rootIdentity(root)?.ino !== identity.ino) {
    throw unreadable(root, 'it disappeared while it was read; the index stays as it was');
  }
  return { root, realPath, directories, fingerprints: look.numbers.slice(0, look.used) };
}

/**
 * For a first scan, which opens every file anyway: the names alone, which saves a look at each. Null where a name does not
 * tell enough, because something may be a link or lie deeper.
 */
export function listRoots(roots: readonly SkillRoot[]): readonly WalkedRoot[] | null {
  const listed: WalkedRoot[] = [];
  for (const root of roots) {
    const one = root.depth === 1 ? listWhole(root) : null;
    if (one === null) return null;
    listed.push(one);
  }
  return listed;
}

function listWhole(root: SkillRoot): WalkedRoot | null {
  const realPath = rootIdentity(root) === null ? null : realPathOf(root.path);
  const { names, links } = realPath === null ? NOTHING : listDirectory(root, root.path);
  if (names.length > WALK_ENTRIES_MAX) throw tooLarge(root);
  if (links.size > 0 || names.some((name) => name.includes('\ufffd'))) return null;
  const directories = names.map((relative): WalkedDirectory => ({ relative, kind: 'skill' }));
  const fingerprints = new Float64Array(directories.length * FINGERPRINT_NUMBERS);
  return { root, realPath, directories, fingerprints, unseen: true };
}

/** What `walkRoot` would have found of a directory; `now` is when the scan began. */
export function noteSeen(
  { fingerprints }: WalkedRoot,
  index: number,
  { stats, now }: { readonly stats: Stats | undefined; readonly now: number },
): void {
  pushFingerprint({ now, numbers: fingerprints, used: index * FINGERPRINT_NUMBERS }, stats);
}

interface Look {
  readonly root: SkillRoot;
  readonly now: number;
  /** The fingerprints so far, and room for more. */
  numbers: Float64Array;
  used: number;
  entries: number;
}

interface Folder {
  readonly path: string;
  readonly relative: string;
  /** 1 for the root itself. */
  readonly level: number;
}

function visit(look: Look, found: WalkedDirectory[], folder: Folder): void {
  const { names, links, misspelt } = listDirectory(look.root, folder.path);
  // A folder on the way to others is recorded only when it asks for the hint.
  if (misspelt && folder.relative !== '') recordAbsent(look, found, folder);
  let misnamed = '';
  for (const name of names) {
    if (++look.entries > WALK_ENTRIES_MAX) throw tooLarge(look.root);
    const relative = folder.relative === '' ? name : `${folder.relative}/${name}`;
    const child = { path: `${folder.path}/${name}`, relative, level: folder.level + 1 };
    if (name.includes('\ufffd')) {
      // Two such names may read the same, and neither can be opened by what was read.
      if (name !== misnamed) record(look, found, { relative, kind: 'misnamed', fingerprint: [0, 0, 0, 0] });
      misnamed = name;
    } else if (links.has(name)) {
      lookAtLink(look, found, child);
    } else {
      lookAtDirectory(look, found, child);
    }
  }
}

function lookAtDirectory(look: Look, found: WalkedDirectory[], folder: Folder): void {
  const file = `${folder.path}/SKILL.md`;
  const { relative } = folder;
  const stats = statFile(file);
  if (stats === 'closed') {
    // The read will say what is wrong; the directory's own times tell when somebody opens it.
    pushFingerprint(look, lstatSync(folder.path, { throwIfNoEntry: false }));
    found.push({ relative, kind: 'skill' });
  } else if (stats === undefined) {
    if (folder.level <= look.root.depth) visit(look, found, folder);
    else recordAbsent(look, found, folder);
  } else if (stats.isSymbolicLink()) {
    record(look, found, { relative, kind: 'file-link', ...followLink(look, file, file) });
  } else {
    pushFingerprint(look, stats);
    const shared = stats.nlink > 1 && stats.isFile();
    found.push(shared ? { relative, kind: 'skill', inode: inodeOf(stats) } : { relative, kind: 'skill' });
  }
}

/** The directory's own times tell when a file of another case, such as skill.md, comes or goes. */
function recordAbsent(look: Look, found: WalkedDirectory[], { path, relative }: Folder): void {
  pushFingerprint(look, lstatSync(path, { throwIfNoEntry: false }));
  found.push({ relative, kind: 'absent' });
}

function lookAtLink(look: Look, found: WalkedDirectory[], { path, relative }: Folder): void {
  const target = realPathOf(path);
  // A link to a file is as little a skill as a file is.
  if (target !== null && !isDirectory(target)) return;
  const skill = target === null ? NOWHERE : followLink(look, `${target}/SKILL.md`, target);
  record(look, found, { relative, kind: 'link', ...skill, target });
}

interface Followed {
  readonly target: string | null;
  readonly inode?: string;
  readonly fingerprint: readonly number[];
}

const NOWHERE: Followed = { target: null, fingerprint: [0, 0, 0, 0] };

/** Of a linked SKILL.md the target is looked at: its changes are the skill's changes. */
function followLink(look: Look, file: string, via: string): Followed {
  const target = realPathOf(file);
  const stats = target === null ? undefined : statFile(target);
  if (target === null || stats === undefined || stats === 'closed') {
    // Why a file's link leads nowhere may change without a trace on the link, so it is looked at every time.
    const first = statFile(file) === undefined ? 0 : Number.NaN;
    return { target, fingerprint: [first, 0, textNumber(via), 0] };
  }
  const { mtimeMs, ctimeMs, ino } = stats;
  // The times tell a change of size already; in its place stands where the link leads.
  const place = textNumber(`${via}\n${target}`);
  const fingerprint = [isRacy(look, stats) ? Number.NaN : mtimeMs, ctimeMs, place, ino];
  return { target, fingerprint, ...(stats.isFile() ? { inode: inodeOf(stats) } : {}) };
}

function record(
  look: Look,
  found: WalkedDirectory[],
  { fingerprint, ...directory }: WalkedDirectory & Pick<Followed, 'fingerprint'>,
): void {
  const [mtime = 0, ctime = 0, size = 0, inode = 0] = fingerprint;
  push(look, mtime, { ctime, size, inode });
  found.push(directory);
}

type Numbers = Pick<Look, 'numbers' | 'used'>;

function pushFingerprint(look: Numbers & Pick<Look, 'now'>, stats: Stats | undefined): void {
  if (stats === undefined) {
    push(look, Number.NaN, { ctime: 0, size: 0, inode: 0 });
    return;
  }
  const { mtimeMs, ctimeMs: ctime, size, ino: inode } = stats;
  push(look, isRacy(look, stats) ? Number.NaN : mtimeMs, { ctime, size, inode });
}

/** Most roots have fewer folders; others double the room. */
const NUMBERS_AT_FIRST = 4096;

function push(
  look: Numbers,
  mtime: number,
  { ctime, size, inode }: { readonly ctime: number; readonly size: number; readonly inode: number },
): void {
  if (look.used === look.numbers.length) {
    const larger = new Float64Array(look.used * 2);
    larger.set(look.numbers);
    look.numbers = larger;
  }
  look.numbers[look.used++] = mtime;
  look.numbers[look.used++] = ctime;
  look.numbers[look.used++] = size;
  look.numbers[look.used++] = inode;
}

/** Every change sets ctime, and unlike mtime nobody can set it back. */
function isRacy({ now }: Pick<Look, 'now'>, { ctimeMs }: Stats): boolean {
  return ctimeMs > now - RACY_MS;
}

function inodeOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

/** A text as a number, to be compared only (FNV-1a). */
function textNumber(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

interface Listing {
  /** Folders, and links that may lead to some, in order. */
  readonly names: readonly string[];
  readonly links: ReadonlySet<string>;
  /** A file such as skill.md is among the rest. */
  readonly misspelt: boolean;
}

const NOTHING: Listing = { names: [], links: new Set(), misspelt: false };

function listDirectory(root: SkillRoot, directory: string): Listing {
  try {
    const names: string[] = [];
    const links = new Set<string>();
    let misspelt = false;
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (isMisspelt(entry.name)) misspelt = true;
      if (!isCandidate(entry)) continue;
      names.push(entry.name);
      if (entry.isSymbolicLink()) links.add(entry.name);
    }
    return { names: names.sort(), links, misspelt };
  } catch (error) {
    // Below the root a folder may come and go or be closed to us; that is no reason to give up the rest.
    if (directory !== root.path) return NOTHING;
    throw unreadable(root, messageOf(error));
  }
}

function isCandidate(entry: Dirent): boolean {
  if (isPassedOver(entry.name)) return false;
  return entry.isDirectory() || entry.isSymbolicLink();
}

/** A file name that was meant to be SKILL.md. */
export function isMisspelt(name: string): boolean {
  return name.length === 8 && name !== 'SKILL.md' && name.toLowerCase() === 'skill.md';
}

function rootIdentity(root: SkillRoot): Stats | null {
  try {
    return statSync(root.path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw unreadable(root, messageOf(error));
  }
}

function statFile(file: string): Stats | 'closed' | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return 'closed';
  }
}

function isDirectory(target: string): boolean {
  const stats = statFile(target);
  return stats !== 'closed' && stats !== undefined && stats.isDirectory();
}

function realPathOf(link: string): string | null {
  try {
    return realpathSync(link);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
}

function unreadable(root: SkillRoot, reason: string): ColibriError {
  const message = `skills root ${root.display} cannot be read: ${reason}`;
  return new ColibriError('ROOT_UNREADABLE', message, { root: root.display, reason });
}

function tooLarge(root: SkillRoot): ColibriError {
  return unreadable(root, `it holds more than ${WALK_ENTRIES_MAX} entries; lower its depth`);
}
