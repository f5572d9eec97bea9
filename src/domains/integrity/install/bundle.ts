/** The files of one skill as values, and the digests that pin them. Pure. */
import { sha256Hex } from '../../../lib/digest.ts';

export interface BundleFile {
  /** Relative to the skill, with forward slashes. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** What the lock keeps of a file. */
export interface PinnedFile {
  readonly sha256: string;
  readonly mode: FileMode;
}

export type FileMode = '644' | '755';
export type PinnedFiles = Readonly<Record<string, PinnedFile>>;

export function pinFiles(files: readonly BundleFile[]): PinnedFiles {
  return Object.fromEntries(
    byPath(files).map((file) => [file.path, { sha256: sha256Hex(file.bytes), mode: modeOf(file) }]),
  );
}

export function modeOf({ executable }: Pick<BundleFile, 'executable'>): FileMode {
  return executable ? '755' : '644';
}

/** One digest for the whole skill: over one line for each file, `mode sha256 path`, in order of path. */
export function treeDigest(files: PinnedFiles): string {
  const lines = Object.keys(files)
    .sort()
    .map((path) => `${files[path]?.mode} ${files[path]?.sha256} ${path}\n`);
  return `sha256:${sha256Hex(lines.join(''))}`;
}

export function byPath<T extends { readonly path: string }>(files: readonly T[]): readonly T[] {
  return [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
}
