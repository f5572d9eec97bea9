/**
 * The last list of each form as it was printed, in a file beside the database, together with everything it was made of. Whoever finds
 * all of that unchanged prints it again, and need not open the database.
 */
import { replaceFile } from '../../lib/durable-file.ts';
import { systemCodeOf } from '../../lib/errors.ts';
import { regularBytes } from '../../lib/regular-file.ts';
import { type RootBytes, type SeenRoot, seenRoots } from './scan/snapshot-layout.ts';

/** A line for each skill, or one document. */
export type ListForm = 'lines' | 'json';

export interface PrintedList {
  readonly form: ListForm;
  readonly text: string;
  /** What was said beside it. */
  readonly note: string | null;
}

export interface KeptList {
  /** For stdout, nothing left to be done to it. */
  readonly text: Uint8Array;
  readonly note: string | null;
}

/** More takes longer to print than to make. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;
const LINE_FEED = 10;
/** The database may be closed to others. */
const OWN_MODE = 0o600;

/** Before the snapshots of the roots and the text, as one line of JSON. */
interface Header {
  readonly state: string;
  readonly note: string | null;
  readonly roots: readonly { readonly path: string; readonly key: string; readonly bytes: number }[];
  readonly textBytes: number;
}

/** Null when there is none, or it was made in another state. */
export function readKeptList(
  file: string,
  state: string,
): (KeptList & { readonly seen: readonly SeenRoot[] }) | null {
  const bytes = regularBytes(file, KEPT_BYTES_MAX);
  const header = bytes === null ? null : headerOf(bytes);
  if (bytes === null || header?.state !== state) return null;
  let at = bytes.indexOf(LINE_FEED) + 1;
  const take = (length: number) => bytes.subarray(at, (at += length));
  const roots = header.roots.map(({ path, key, bytes: length }) => ({ path, key, snapshot: take(length) }));
  const text = take(header.textBytes);
  return at === bytes.length ? { text, note: header.note, seen: seenRoots(roots) } : null;
}

/** Quietly does nothing where it cannot be kept: the next list is made like this one. */
export function writeKeptList(
  file: string,
  { text, note }: Pick<PrintedList, 'text' | 'note'>,
  { state, roots }: { readonly state: string; readonly roots: readonly RootBytes[] },
): void {
  const printed = Buffer.from(text);
  const header: Header = {
    state,
    note,
    roots: roots.map(({ path, key, snapshot }) => ({ path, key, bytes: snapshot.byteLength })),
    textBytes: printed.length,
  };
  const parts = [
    Buffer.from(`${JSON.stringify(header)}\n`),
    ...roots.map(({ snapshot }) => snapshot),
    printed,
  ];
  const bytes = Buffer.concat(parts);
  if (bytes.length > KEPT_BYTES_MAX) return;
  try {
    replaceFile(file, bytes, OWN_MODE);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}

/** Whoever has the state that is asked for has written all of it. */
function headerOf(bytes: Buffer): Header | null {
  try {
    return JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(LINE_FEED))) as Header;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
