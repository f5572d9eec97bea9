/** Reads the copies of skills below a root. Nothing is followed but what `SkillCopy` names as a link. */
import { type Dirent, lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';

import type { Clock } from '../../lib/clock.ts';
import { sha256Hex } from '../../lib/digest.ts';
import { messageOf, systemCodeOf } from '../../lib/errors.ts';
import { realPathOf } from '../../lib/real-path.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import type { SkillRoot } from '../skills/scan/roots.ts';
import { type Oddity, walkRoot } from '../skills/scan/walk.ts';
import type { ReadTree, SkillCopy, TreeEntry } from './drift-manifest.ts';

/** The skills of one root by the names of their directories. */
export interface RootCopies {
  readonly root: SkillRoot;
  /** Behind all links; null when the root does not exist. */
  readonly real: string | null;
  readonly copies: ReadonlyMap<string, SkillCopy>;
}

export interface TreeReader {
  /** `also`: directories to look at although they hold no SKILL.md. */
  readRoot(root: SkillRoot, options: ReadOptions): Promise<RootCopies>;
  /** One copy again, to see whether it is still what it was. */
  readTree(directory: string): ReadTree;
}

interface ReadOptions {
  readonly allowedRoots: readonly string[];
  readonly also?: ReadonlySet<string>;
}

const COPY_ENTRIES_MAX = 10_000;
const COPY_BYTES_MAX = 256 * 1024 * 1024;
/** Made by systems and interpreters beside the files, never part of a skill. */
const LITTER: ReadonlySet<string> = new Set(['.DS_Store', 'Thumbs.db', '__pycache__']);
/** Copies that are read before somebody else gets a turn: a check must not hold up the server. */
const COPIES_PER_TURN = 16;
/** What changed so shortly ago may change again without its times showing it. */
const RACY_MS = 20;

const REMEMBERED_MAX = 50_000;

interface Remembered {
  readonly fingerprint: string;
  readonly read: ReadTree;
}

/** Remembers the digests of copies whose files have kept their times, so that a second look opens no file. */
export function createTreeReader(clock: Clock): TreeReader {
  const remembered = new Map<string, Remembered>();
  const readTree = (directory: string): ReadTree => {
    try {
      const real = realpathSync(directory);
      const walk = walkCopy(real);
      const known = remembered.get(real);
      if (known?.fingerprint === walk.fingerprint) return known.read;
      const read: ReadTree = { ok: true, tree: { real, entries: hashEntries(real, walk.entries) } };
      // Copies that come and go must not fill the memory of a server.
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      if (walk.newest < clock.now() - RACY_MS) remembered.set(real, { fingerprint: walk.fingerprint, read });
      return read;
    } catch (error) {
      if (!(error instanceof UnfitCopy) && systemCodeOf(error) === undefined) throw error;
      return { ok: false, reason: messageOf(error) };
    }
  };
  return {
    readTree,
    async readRoot(root, { allowedRoots, also }) {
      const { realPath, directories, oddities } = walkRoot(root, clock.now());
      const copies = new Map<string, SkillCopy>();
      let turn = 0;
      for (const [index, relative] of directories.entries()) {
        const name = path.posix.basename(relative);
        const oddity = oddities.get(index);
        const wanted = oddity?.kind !== 'absent' || also?.has(name) === true;
        // The first in order of paths has the name, as in the index.
        if (!wanted || oddity?.kind === 'misnamed' || copies.has(name)) continue;
        if (++turn % COPIES_PER_TURN === 0) await setImmediate();
        copies.set(name, copyOf(root, relative, { name, oddity, allowedRoots, readTree }));
      }
      return { root, real: realPath, copies };
    },
  };
}

interface CopyContext {
  readonly name: string;
  readonly oddity: Oddity | undefined;
  readonly allowedRoots: readonly string[];
  readonly readTree: (directory: string) => ReadTree;
}

function copyOf(
  root: SkillRoot,
  relative: string,
  { name, oddity, allowedRoots, readTree }: CopyContext,
): SkillCopy {
  const directory = path.join(root.path, relative);
  const place = { name, relative, directory };
  if (oddity?.kind !== 'link') return { ...place, read: readTree(directory) };
  const { target = null } = oddity;
  if (target === null)
    return { ...place, link: null, read: { ok: false, reason: 'it is a link that leads nowhere' } };
  const inside = allowedRoots.some((allowed) => target === allowed || target.startsWith(`${allowed}/`));
  const outside: ReadTree = { ok: false, reason: 'it is a link to a place outside the skill roots' };
  return { ...place, link: target, read: inside ? readTree(target) : outside };
}

class UnfitCopy extends Error {}

interface Walk {
  readonly entries: readonly { readonly path: string; readonly stats: Stats }[];
  readonly fingerprint: string;
  /** Milliseconds since 1970 of the last change. */
  readonly newest: number;
}

function walkCopy(directory: string): Walk {
  const entries: { path: string; stats: Stats }[] = [];
  const pending = [''];
  let seen = 0;
  let newest = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of readdirSync(path.join(directory, next), { withFileTypes: true })) {
      if (LITTER.has(entry.name)) continue;
      if (++seen > COPY_ENTRIES_MAX) throw new UnfitCopy(`it has more than ${COPY_ENTRIES_MAX} entries`);
      const relative = nameIn(next, entry);
      if (entry.isDirectory()) {
        pending.push(relative);
        continue;
      }
      const stats = lstatSync(path.join(directory, relative));
      newest = Math.max(newest, stats.ctimeMs);
      entries.push({ path: relative, stats });
    }
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const fingerprint = entries.map(({ path: file, stats }) => `${file}\0${marksOf(stats)}`).join('\0\0');
  return { entries, fingerprint, newest };
}

/** A name that is no text cannot be opened by what was read, and two of them may read the same. */
function nameIn(folder: string, { name }: Dirent): string {
  if (name.includes('\ufffd')) throw new UnfitCopy('it has a file whose name is not valid UTF-8; rename it');
  return folder === '' ? name : `${folder}/${name}`;
}

function marksOf({ mtimeMs, ctimeMs, size, ino, mode }: Stats): string {
  return `${mtimeMs} ${ctimeMs} ${size} ${ino} ${mode}`;
}

function hashEntries(directory: string, entries: Walk['entries']): readonly TreeEntry[] {
  let bytes = 0;
  return entries.map(({ path: relative, stats }): TreeEntry => {
    const file = path.join(directory, relative);
    if (stats.isSymbolicLink()) {
      return { kind: 'link', path: relative, target: readlinkSync(file), real: realPathOf(file) };
    }
    if (!stats.isFile()) return { kind: 'special', path: relative };
    const read = readRegularFile(file, COPY_BYTES_MAX - bytes);
    if (!read.ok) {
      const why = { 'too-large': `it has more than ${COPY_BYTES_MAX} bytes`, changed: 'it is being written' };
      throw new UnfitCopy(
        `${relative}: ${read.reason === 'not-regular' ? 'no file any more' : why[read.reason]}`,
      );
    }
    bytes += read.bytes.length;
    return {
      kind: 'file',
      path: relative,
      size: read.bytes.length,
      mode: read.stats.mode & 0o777,
      digest: sha256Hex(read.bytes),
      inode: `${read.stats.dev}:${read.stats.ino}`,
    };
  });
}

/** Whether something stands at a path, be it a link that leads nowhere. */
export function standsAt(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}
