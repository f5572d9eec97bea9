/** Decides on every entry of an archive before it is read. Pure. */
import { printable } from '../../../lib/text.ts';
import { createNameSet, nameProblem } from './entry-name.ts';
import { ENTRIES_MAX, EXPANDED_BYTES_MAX, RATIO_FLOOR_BYTES, RATIO_MAX } from './limits.ts';

export interface ArchiveEntry {
  readonly name: string;
  readonly type: string;
  /** As on Unix; null where the archive does not tell. */
  readonly mode: number | null;
}

export interface EntryJudge {
  /** How many bytes all entries together may unpack to. */
  readonly bytesMax: number;
  /** Throws what makes the whole archive unfit. */
  enter(entry: ArchiveEntry): void;
}

const SPECIAL_BITS = 0o7000;

/** For an archive of so many bytes. */
export function createEntryJudge(packedBytes: number): EntryJudge {
  const names = createNameSet();
  let entries = 0;
  return {
    bytesMax: Math.min(EXPANDED_BYTES_MAX, Math.max(RATIO_FLOOR_BYTES, packedBytes * RATIO_MAX)),
    enter(entry) {
      if (++entries > ENTRIES_MAX) throw new Error(`it has more than ${ENTRIES_MAX} entries`);
      const problem = problemOf(entry) ?? (entry.type === 'file' ? names.add(entry.name) : null);
      if (problem !== null) throw new Error(`${JSON.stringify(printable(entry.name))} ${problem}`);
    },
  };
}

function problemOf({ name, type, mode }: ArchiveEntry): string | null {
  if (type !== 'file' && type !== 'directory') return `is no file but a ${type}`;
  if (mode !== null && (mode & SPECIAL_BITS) !== 0) return 'has a set-user, set-group or sticky bit';
  return nameProblem(name);
}
