/** What is on the disk against what the lock pins. Pure. */
import { type BundleFile, type PinnedFile, type PinnedFiles, pinFiles } from './bundle.ts';

export interface FileDifference {
  readonly path: string;
  readonly change: 'missing' | 'added' | 'changed' | 'mode' | 'not-a-file';
  /** sha256 for a changed content, mode for a changed mode; null where there is none. */
  readonly expected: string | null;
  readonly found: string | null;
}

export function compareFiles(
  pinned: PinnedFiles,
  files: readonly BundleFile[],
  odd: readonly string[] = [],
): readonly FileDifference[] {
  const present = pinFiles(files);
  const paths = [...new Set([...Object.keys(pinned), ...Object.keys(present), ...odd])].sort();
  return paths.flatMap((path) => {
    if (odd.includes(path))
      return [{ path, change: 'not-a-file', expected: pinned[path]?.sha256 ?? null, found: null }];
    const difference = compareFile(pinned[path], present[path]);
    return difference === null ? [] : [{ path, ...difference }];
  });
}

function compareFile(
  expected: PinnedFile | undefined,
  found: PinnedFile | undefined,
): Omit<FileDifference, 'path'> | null {
  if (expected === undefined || found === undefined) {
    const change = expected === undefined ? 'added' : 'missing';
    return { change, expected: expected?.sha256 ?? null, found: found?.sha256 ?? null };
  }
  if (expected.sha256 !== found.sha256)
    return { change: 'changed', expected: expected.sha256, found: found.sha256 };
  return expected.mode === found.mode ? null : { change: 'mode', expected: expected.mode, found: found.mode };
}

/** One line for one difference. */
export function differenceText({ path, change, expected, found }: FileDifference): string {
  switch (change) {
    case 'missing':
      return `${path} is missing (expected sha256 ${expected})`;
    case 'added':
      return `${path} is not in the lock (found sha256 ${found})`;
    case 'changed':
      return `${path} changed: expected sha256 ${expected}, found ${found}`;
    case 'mode':
      return `${path} has mode ${found}, expected ${expected}`;
    case 'not-a-file':
      return `${path} is a link or a special file`;
  }
}
