/** Brings an update and a user's edits together, file by file; never drops an edit. Pure. */
import { isUtf8 } from 'node:buffer';

import { diff3Merge } from 'node-diff3';

import { type BundleFile, byPath, modeOf, type PinnedFile, type PinnedFiles, pinFiles } from './bundle.ts';

export interface Conflict {
  readonly path: string;
  readonly why: string;
}

export interface Merged {
  readonly files: readonly BundleFile[];
  readonly conflicts: readonly Conflict[];
  /** Files whose edits were kept. */
  readonly kept: readonly string[];
}

export interface MergeInput {
  /** As it was installed. */
  readonly base: PinnedFiles;
  /** The content behind a digest of `base`; null when it is not known any more. */
  readonly baseContent: (sha256: string) => Buffer | null;
  /** As it is on the disk. */
  readonly mine: readonly BundleFile[];
  /** As the source has it now. */
  readonly theirs: readonly BundleFile[];
}

/** Beyond this, lines are not compared one by one: the time it takes grows with the square. */
const MERGE_BYTES_MAX = 512 * 1024;

export function mergeTrees({ base, baseContent, mine, theirs }: MergeInput): Merged {
  const [own, upstream] = [pinFiles(mine), pinFiles(theirs)];
  const ownFiles = new Map(mine.map((file) => [file.path, file]));
  const newFiles = new Map(theirs.map((file) => [file.path, file]));
  const files: BundleFile[] = [];
  const conflicts: Conflict[] = [];
  const kept: string[] = [];
  for (const path of new Set([...ownFiles.keys(), ...newFiles.keys()])) {
    const [before, here, there] = [base[path], own[path], upstream[path]];
    const [mineFile, theirFile] = [ownFiles.get(path), newFiles.get(path)];
    if (same(here, before) || same(here, there)) {
      if (theirFile !== undefined) files.push(theirFile);
      continue;
    }
    if (same(there, before)) {
      kept.push(path);
      if (mineFile !== undefined) files.push(mineFile);
      continue;
    }
    const content = before === undefined ? null : baseContent(before.sha256);
    const merged = mergeFile(mineFile, theirFile, { before, content });
    if ('why' in merged) conflicts.push({ path, why: merged.why });
    else {
      kept.push(path);
      files.push({ path, ...merged });
    }
  }
  return { files: byPath(files), conflicts: byPath(conflicts), kept: kept.sort() };
}

function same(a: PinnedFile | undefined, b: PinnedFile | undefined): boolean {
  return a?.sha256 === b?.sha256 && a?.mode === b?.mode;
}

interface Base {
  readonly before: PinnedFile | undefined;
  readonly content: Buffer | null;
}

function mergeFile(
  mine: BundleFile | undefined,
  theirs: BundleFile | undefined,
  { before, content }: Base,
): Omit<BundleFile, 'path'> | { readonly why: string } {
  if (mine === undefined) return { why: 'you removed it, and the source changed it' };
  if (theirs === undefined) return { why: 'you changed it, and the source removed it' };
  if (before === undefined) return { why: 'you and the source both added it, with different content' };
  // The side that changed the mode decides on it.
  const executable = modeOf(mine) === before.mode ? theirs.executable : mine.executable;
  if (mine.bytes.equals(theirs.bytes)) return { bytes: mine.bytes, executable };
  if (content === null)
    return { why: 'you and the source both changed it, and what was installed is not kept here' };
  if (mine.bytes.equals(content)) return { bytes: theirs.bytes, executable };
  if (theirs.bytes.equals(content)) return { bytes: mine.bytes, executable };
  const merged = mergeText(mine.bytes, content, theirs.bytes);
  return merged === null
    ? { why: 'you and the source changed the same lines' }
    : { bytes: merged, executable };
}

function mergeText(mine: Buffer, base: Buffer, theirs: Buffer): Buffer | null {
  const sides = [mine, base, theirs];
  if (sides.some((bytes) => bytes.length > MERGE_BYTES_MAX || bytes.includes(0) || !isUtf8(bytes)))
    return null;
  const [a = [], o = [], b = []] = sides.map((bytes) => bytes.toString('utf8').split(/(?<=\n)/));
  const lines: string[] = [];
  for (const region of diff3Merge(a, o, b, { excludeFalseConflicts: true })) {
    if (region.ok === undefined) return null;
    lines.push(...region.ok);
  }
  return Buffer.from(lines.join(''));
}
