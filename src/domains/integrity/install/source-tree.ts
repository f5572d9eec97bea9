/** What was fetched from a source: its files by name, read when they are wanted. */
import type { BundleFile } from './bundle.ts';

export interface SourceEntry {
  /** Relative to the source, with forward slashes. */
  readonly path: string;
  readonly size: number;
  /** `special`: a device, a pipe, a submodule. */
  readonly kind: 'file' | 'link' | 'special';
  readonly executable: boolean;
}

export interface SourceTree {
  readonly entries: readonly SourceEntry[];
  /** What git had; null for other kinds of sources. */
  readonly commit: string | null;
  /** sha256 of the archive that a skill's folder came in; null when it came in none. */
  artifact(folder: string): string | null;
  /** Names of skills beyond those that were fetched. */
  readonly known?: readonly string[];
  /** Only files of `entries`. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

/** A tree that is in memory already. */
export function memoryTree(
  files: readonly BundleFile[],
  artifact: (folder: string) => string | null = () => null,
): SourceTree {
  const byName = new Map(files.map((file) => [file.path, file.bytes]));
  return {
    entries: files.map(({ path, bytes, executable }) => ({
      path,
      size: bytes.length,
      kind: 'file',
      executable,
    })),
    commit: null,
    artifact,
    read: async (paths) => new Map(paths.map((path) => [path, byName.get(path) ?? Buffer.alloc(0)])),
  };
}
