/** One copy of a skill as far as copies are compared: every file with size, mode and digest. Pure. */
import { sha256Hex } from '../../lib/digest.ts';

export interface TreeFile {
  readonly kind: 'file';
  /** Relative to the skill's directory, with forward slashes. */
  readonly path: string;
  readonly size: number;
  /** Permission bits, 0 to 0o777. */
  readonly mode: number;
  /** sha256, hex. */
  readonly digest: string;
  /** Device and inode: two paths with the same ones are one file. */
  readonly inode: string;
}

export interface TreeLink {
  readonly kind: 'link';
  readonly path: string;
  /** As it is written in the link. */
  readonly target: string;
  /** Where it leads in the end; null when nowhere. */
  readonly real: string | null;
}

/** A pipe, a socket, a device: named, never opened. */
export interface TreeSpecial {
  readonly kind: 'special';
  readonly path: string;
}

export type TreeEntry = TreeFile | TreeLink | TreeSpecial;

export interface SkillTree {
  /** The directory behind all links. */
  readonly real: string;
  /** By path. */
  readonly entries: readonly TreeEntry[];
}

export type ReadTree =
  | { readonly ok: true; readonly tree: SkillTree }
  | { readonly ok: false; readonly reason: string };

/** One skill of one root. */
export interface SkillCopy {
  /** The name of its directory, by which copies find each other. */
  readonly name: string;
  /** Its directory below the root, with forward slashes. */
  readonly relative: string;
  /** Absolute, by way of the root. */
  readonly directory: string;
  /** Where it leads when the directory itself is a link; null when it leads nowhere. */
  readonly link?: string | null;
  readonly read: ReadTree;
}

/** What a file was when both sides were last brought in line. */
export interface SyncedFile {
  readonly path: string;
  readonly digest: string;
  readonly executable: boolean;
}

/** Of a mode only this matters: the rest follows from the umask of whoever made the copy. */
export function isExecutable(mode: number): boolean {
  return (mode & 0o111) !== 0;
}

/** The content of an entry, whatever its name: equal means that copying would change nothing. */
export function contentOf(entry: TreeEntry): { readonly digest: string; readonly executable: boolean } {
  switch (entry.kind) {
    case 'file':
      return { digest: entry.digest, executable: isExecutable(entry.mode) };
    case 'link':
      return { digest: sha256Hex(`link\0${entry.target}`), executable: false };
    case 'special':
      return { digest: 'special', executable: false };
  }
}

export function syncedFiles({ entries }: SkillTree): readonly SyncedFile[] {
  return entries.map((entry) => ({ path: entry.path, ...contentOf(entry) }));
}

/** One digest for all of it: changes with any name, content or executable bit. */
export function treeDigest(files: readonly SyncedFile[]): string {
  return sha256Hex(
    files.map(({ path, digest, executable }) => `${path}\0${digest}\0${executable ? 'x' : '-'}\n`).join(''),
  );
}

/** The digest of a copy that could be read. */
export function digestOf(copy: SkillCopy | null): string | null {
  return copy?.read.ok ? treeDigest(syncedFiles(copy.read.tree)) : null;
}
