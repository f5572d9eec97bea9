/** Looks through one root: which directories hold a SKILL.md, and a fingerprint of each. Opens no file. */
import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';

import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { isRacy } from '../../../lib/file-mark.ts';
import { realPathOf } from '../../../lib/real-path.ts';
import { isSameListing, listingMark } from './file-times.ts';
import { FINGERPRINT_NUMBERS, isPassedOver, NEVER_LISTED, type RootSnapshot } from './root-snapshot.ts';
import type { SkillRoot } from './roots.ts';

export interface WalkedRoot extends Pick<RootSnapshot, 'directories' | 'fingerprints' | 'listed'> {
  readonly root: SkillRoot;
  /** The root's own real path, null when it does not exist. */
  readonly realPath: string | null;
  /** What is not simply a folder with a SKILL.md of its own, by its place among the directories. */
  readonly oddities: ReadonlyMap<number, Oddity>;
  /** No file was looked at: every directory stands for a skill, and the fingerprints come with the reading. */
  readonly unseen?: true;
}

export interface Oddity {
  /**
   * `absent`: no SKILL.md in it. `link`: the directory itself is a link, still to be judged. `file-link`: its SKILL.md
   * is one. `misnamed`: its name is no text. `skill`: its SKILL.md has several names.
   */
  readonly kind: 'skill' | 'absent' | 'link' | 'file-link' | 'misnamed';
  /** Where a link leads, down to the real path; null when it leads nowhere. */
  readonly target?: string | null;
  /** Which file SKILL.md is, where other paths to the same file may exist. */
  readonly inode?: string;
}

/** Entries looked at below one root; far above any real collection, it only stops a runaway tree. */
export const WALK_ENTRIES_MAX = 250_000;

/** With what the last scan saw, a root whose listing cannot have changed is not listed again. */
export function walkRoot(root: SkillRoot, now: number, before?: RootSnapshot): WalkedRoot {
  const identity = rootIdentity(root);
  if (identity === null) return { ...NOWHERE, root };
  const known = before !== undefined && root.depth === 1 && isSameListing(before.listed, identity);
  const walk = known ? lookAgain(root, now, before) : lookThrough(root, now, identity);
  const realPath = realPathOf(root.path);
  if (realPath === null || rootIdentity(root)?.ino !== identity.ino) {
    throw unreadable(root, 'it disappeared while it was read; the index stays as it was');
  }
  return { ...walk, root, realPath };
}

/**
 * For a first scan, which opens every file anyway: the names alone, which saves a look at each. Null where a name does not
 * tell enough, because something may be a link or lie deeper.
 */
export function listRoots(roots: readonly SkillRoot[], now: number): readonly WalkedRoot[] | null {
  const listed: WalkedRoot[] = [];
  for (const root of roots) {
    const one = root.depth === 1 ? listWhole(root, now) : null;
    if (one === null) return null;
    listed.push(one);
  }
  return listed;
}

function listWhole(root: SkillRoot, now: number): WalkedRoot | null {
  const identity = rootIdentity(root);
  const realPath = identity === null ? null : realPathOf(root.path);
  if (identity === null || realPath === null) return { ...NOWHERE, root, unseen: true };
  const { names: directories, links } = listDirectory(root, root.path);
  if (directories.length > WALK_ENTRIES_MAX) throw tooLarge(root);
  if (links.size > 0 || directories.some(isMisnamed)) return null;
  const fingerprints = new Float64Array(directories.length * FINGERPRINT_NUMBERS);
  const listed = listingMark(root.path, identity, now);
  return { root, realPath, directories, fingerprints, listed, oddities: NO_ODDITIES, unseen: true };
}

/** What `walkRoot` would have found of a directory; `now` is when the scan began. */
export function noteSeen(
  { fingerprints }: WalkedRoot,
  index: number,
  { stats, now }: { readonly stats: Stats | undefined; readonly now: number },
): void {
  pushStats({ now, fingerprints, used: index * FINGERPRINT_NUMBERS }, stats);
}

type Walk = Omit<WalkedRoot, 'root' | 'realPath'>;

const NO_ODDITIES: ReadonlyMap<number, Oddity> = new Map();
const NOWHERE = {
  ...{ realPath: null, directories: [], fingerprints: new Float64Array() },
  ...{ listed: NEVER_LISTED, oddities: NO_ODDITIES },
} as const;

interface Look {
  readonly root: SkillRoot;
  readonly now: number;
  readonly directories: string[];
  readonly oddities: Map<number, Oddity>;
  /** Those so far, and room for more. */
  fingerprints: Float64Array;
  /** How many of the numbers are taken. */
  used: number;
  entries: number;
}

/** Most roots have fewer folders; others double the room. */
const NUMBERS_AT_FIRST = 4096;

function lookThrough(root: SkillRoot, now: number, identity: Stats): Walk {
  const fingerprints = new Float64Array(NUMBERS_AT_FIRST);
  const look: Look = { root, now, directories: [], oddities: new Map(), fingerprints, used: 0, entries: 0 };
  const { links, names } = visit(look, '', 1);
  const isPlain = root.depth === 1 && links.size === 0 && !names.some(isMisnamed);
  return walkOf(look, isPlain ? listingMark(root.path, identity, now) : NEVER_LISTED);
}

/** Every name is that of a folder: with a link among them nothing would have been remembered. */
function lookAgain(root: SkillRoot, now: number, before: RootSnapshot): Walk {
  const fingerprints = new Float64Array(before.fingerprints.length);
  const look: Look = { root, now, directories: [], oddities: new Map(), fingerprints, used: 0, entries: 0 };
  for (const name of before.directories) lookAtDirectory(look, name, 2);
  // The very same list, so that nobody has to compare the two.
  return { ...walkOf(look, before.listed), directories: before.directories };
}

function walkOf({ directories, oddities, fingerprints, used }: Look, listed: Float64Array): Walk {
  return { directories, oddities, fingerprints: fingerprints.slice(0, used), listed };
}

/** `relative` is empty for the root itself, whose level is 1. */
function visit(look: Look, relative: string, level: number): Listing {
  const listing = listDirectory(look.root, pathOf(look, relative));
  // A folder on the way to others is recorded only when it asks for the hint.
  if (listing.misspelt && relative !== '') recordAbsent(look, relative);
  let misnamed = '';
  for (const name of listing.names) {
    if (++look.entries > WALK_ENTRIES_MAX) throw tooLarge(look.root);
    const child = relative === '' ? name : `${relative}/${name}`;
    if (isMisnamed(name)) {
      // Two such names may read the same, and neither can be opened by what was read.
      if (name !== misnamed) record(look, child, { kind: 'misnamed', marks: NO_MARKS });
      misnamed = name;
    } else if (listing.links.has(name)) {
      lookAtLink(look, child);
    } else {
      lookAtDirectory(look, child, level + 1);
    }
  }
  return listing;
}

function lookAtDirectory(look: Look, relative: string, level: number): void {
  const file = `${look.root.path}/${relative}/SKILL.md`;
  const stats = statFile(file);
  if (stats === 'closed') {
    // The read will say what is wrong; the directory's own times tell when somebody opens it.
    pushStats(look, lstatSync(pathOf(look, relative), IF_THERE));
    look.directories.push(relative);
  } else if (stats === undefined) {
    if (level <= look.root.depth) visit(look, relative, level);
    else recordAbsent(look, relative);
  } else if (stats.isSymbolicLink()) {
    record(look, relative, { kind: 'file-link', ...followLink(look, file, file) });
  } else {
    if (stats.nlink > 1 && stats.isFile()) noteOddity(look, { kind: 'skill', inode: inodeOf(stats) });
    pushStats(look, stats);
    look.directories.push(relative);
  }
}

/** The directory's own times tell when a file of another case, such as skill.md, comes or goes. */
function recordAbsent(look: Look, relative: string): void {
  noteOddity(look, ABSENT);
  pushStats(look, lstatSync(pathOf(look, relative), IF_THERE));
  look.directories.push(relative);
}

const ABSENT: Oddity = { kind: 'absent' };

function lookAtLink(look: Look, relative: string): void {
  const target = realPathOf(pathOf(look, relative));
  // A link to a file is as little a skill as a file is.
  if (target !== null && !isDirectory(target)) return;
  const skill = target === null ? LEADS_NOWHERE : followLink(look, `${target}/SKILL.md`, target);
  record(look, relative, { kind: 'link', ...skill, target });
}

/** A fingerprint; that of a file is in its `Stats`. */
type Marks = Pick<Stats, 'mtimeMs' | 'ctimeMs' | 'size' | 'ino'>;

const NO_MARKS: Marks = { mtimeMs: 0, ctimeMs: 0, size: 0, ino: 0 };
const NEVER_EQUAL: Marks = { ...NO_MARKS, mtimeMs: Number.NaN };

interface Followed extends Omit<Oddity, 'kind'> {
  readonly target: string | null;
  readonly marks: Marks;
}

const LEADS_NOWHERE: Followed = { target: null, marks: NO_MARKS };

/** Of a linked SKILL.md the target is looked at: its changes are the skill's changes. */
function followLink({ now }: Look, file: string, via: string): Followed {
  const target = realPathOf(file);
  const stats = target === null ? undefined : statFile(target);
  if (target === null || stats === undefined || stats === 'closed') {
    // Why a file's link leads nowhere may change without a trace on the link, so it is looked at every time.
    const seen = statFile(file) === undefined ? NO_MARKS : NEVER_EQUAL;
    return { target, marks: { ...seen, size: textNumber(via) } };
  }
  const { ctimeMs, ino } = stats;
  const mtimeMs = isRacy(stats, now) ? Number.NaN : stats.mtimeMs;
  // The times tell a change of size already; in its place stands where the link leads.
  const marks = { mtimeMs, ctimeMs, ino, size: textNumber(`${via}\n${target}`) };
  return { target, marks, ...(stats.isFile() ? { inode: inodeOf(stats) } : {}) };
}

function record(look: Look, relative: string, { marks, ...oddity }: Oddity & Pick<Followed, 'marks'>): void {
  noteOddity(look, oddity);
  push(look, marks);
  look.directories.push(relative);
}

/** Of the directory that is recorded next. */
function noteOddity({ oddities, directories }: Look, oddity: Oddity): void {
  oddities.set(directories.length, oddity);
}

type Numbers = Pick<Look, 'fingerprints' | 'used'>;

function pushStats(look: Numbers & Pick<Look, 'now'>, stats: Stats | undefined): void {
  const at = look.used;
  push(look, stats ?? NEVER_EQUAL);
  if (stats !== undefined && isRacy(stats, look.now)) look.fingerprints[at] = Number.NaN;
}

function push(look: Numbers, { mtimeMs, ctimeMs, size, ino }: Marks): void {
  if (look.used === look.fingerprints.length) {
    const larger = new Float64Array(look.used * 2);
    larger.set(look.fingerprints);
    look.fingerprints = larger;
  }
  look.fingerprints[look.used++] = mtimeMs;
  look.fingerprints[look.used++] = ctimeMs;
  look.fingerprints[look.used++] = size;
  look.fingerprints[look.used++] = ino;
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

function pathOf({ root }: Look, relative: string): string {
  return relative === '' ? root.path : `${root.path}/${relative}`;
}

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

/** What is no text was read with this character in the place of the rest. */
function isMisnamed(name: string): boolean {
  return name.includes('\ufffd');
}

function isCandidate(entry: Dirent): boolean {
  if (isPassedOver(entry.name)) return false;
  return entry.isDirectory() || entry.isSymbolicLink();
}

/** A file name that was meant to be SKILL.md. */
export function isMisspelt(name: string): boolean {
  return name.length === 8 && name !== 'SKILL.md' && name.toLowerCase() === 'skill.md';
}

const IF_THERE = { throwIfNoEntry: false } as const;

function rootIdentity(root: SkillRoot): Stats | null {
  try {
    return statSync(root.path, IF_THERE) ?? null;
  } catch (error) {
    throw unreadable(root, messageOf(error));
  }
}

function statFile(file: string): Stats | 'closed' | undefined {
  try {
    return lstatSync(file, IF_THERE);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return 'closed';
  }
}

function isDirectory(target: string): boolean {
  const stats = statFile(target);
  return stats !== 'closed' && stats !== undefined && stats.isDirectory();
}

function unreadable(root: SkillRoot, reason: string): ColibriError {
  const message = `skills root ${root.display} cannot be read: ${reason}`;
  return new ColibriError('ROOT_UNREADABLE', message, { root: root.display, reason });
}

function tooLarge(root: SkillRoot): ColibriError {
  return unreadable(root, `it holds more than ${WALK_ENTRIES_MAX} entries; lower its depth`);
}
