/** Names of files in archives and repositories. They come from anybody, and become paths. Pure. */
import { foldCase, hasHiddenCharacters } from '../../../lib/text.ts';
import { DEPTH_MAX, NAME_BYTES_MAX, PATH_BYTES_MAX } from './limits.ts';

/** Why the name may not become a path below a folder; null when it may. A single slash at the end is a folder's. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'is empty';
  if (hasHiddenCharacters(name) || /[\n\t]/.test(name)) return 'holds a character that cannot be seen';
  if (name.includes('\ufffd')) return 'is not valid UTF-8';
  if (name.includes('\\')) return 'holds a backslash';
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'is absolute';
  if (Buffer.byteLength(name) > PATH_BYTES_MAX) return `is longer than ${PATH_BYTES_MAX} bytes`;
  const segments = segmentsOf(name);
  if (segments.length > DEPTH_MAX) return `lies more than ${DEPTH_MAX} folders deep`;
  return segments.map(segmentProblem).find((problem) => problem !== null) ?? null;
}

function segmentProblem(segment: string): string | null {
  if (segment === '..') return 'leads out of its folder';
  if (segment === '' || segment === '.') return 'holds an empty segment';
  // Some file systems drop them, so that two names become one.
  if (/[. ]$/.test(segment)) return 'has a segment that ends with a dot or a blank';
  return Buffer.byteLength(segment) > NAME_BYTES_MAX
    ? `has a segment longer than ${NAME_BYTES_MAX} bytes`
    : null;
}

function segmentsOf(name: string): readonly string[] {
  return (name.endsWith('/') ? name.slice(0, -1) : name).split('/');
}

export interface NameSet {
  /** Why this file cannot stand beside those before it; null when it can, and then it does. */
  add(file: string): string | null;
}

/** Files that some file system would take for one another: by case, by Unicode form, or a file for a folder. */
export function createNameSet(): NameSet {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  return {
    add(file) {
      const key = collisionKey(file);
      const twin = files.get(key) ?? folders.get(key);
      if (twin !== undefined) return files.get(key) === file ? 'is there twice' : `collides with ${twin}`;
      const parents = parentsOf(file);
      for (const parent of parents) {
        const parentKey = collisionKey(parent);
        const other = files.get(parentKey) ?? folders.get(parentKey);
        if (other !== undefined && (other !== parent || files.has(parentKey)))
          return `collides with ${other}`;
      }
      for (const parent of parents) folders.set(collisionKey(parent), parent);
      files.set(key, file);
      return null;
    },
  };
}

function parentsOf(file: string): readonly string[] {
  const segments = file.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
}

function collisionKey(name: string): string {
  return foldCase(name.normalize('NFKC'));
}
