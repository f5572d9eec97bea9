import { crc32 } from 'node:zlib';

import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

import type { BundleFile } from './bundle.ts';
import type { EntryJudge } from './entry-judge.ts';

/** The high byte of `versionMadeBy` when the attributes are those of Unix. */
const MADE_BY_UNIX = 3;
const S_IFMT = 0o170000;
const TYPES: ReadonlyMap<number, string> = new Map([
  [0, 'file'],
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'symlink'],
  [0o010000, 'fifo'],
  [0o020000, 'character-device'],
  [0o060000, 'block-device'],
  [0o140000, 'socket'],
]);

export async function readZip(bytes: Buffer, judge: EntryJudge): Promise<readonly BundleFile[]> {
  const zip = await open(bytes);
  const files: BundleFile[] = [];
  let total = 0;
  for await (const entry of entriesOf(zip)) {
    const mode = entry.versionMadeBy >> 8 === MADE_BY_UNIX ? entry.externalFileAttributes >>> 16 : null;
    const type = typeOf(entry, mode);
    judge.enter({ name: entry.fileName, type, mode });
    if (entry.isEncrypted()) throw new Error(`${JSON.stringify(entry.fileName)} is encrypted`);
    if (type !== 'file') continue;
    const content = await contentOf(zip, entry, judge.bytesMax - total);
    total += content.length;
    files.push({ path: entry.fileName, bytes: content, executable: mode !== null && (mode & 0o111) !== 0 });
  }
  return files;
}

/** A link hides in the attributes alone, and a name that ends with a slash is a folder whatever they say. */
function typeOf({ fileName }: Entry, mode: number | null): string {
  const said = TYPES.get((mode ?? 0) & S_IFMT) ?? 'special file';
  if (!fileName.endsWith('/')) return said;
  return said === 'file' ? 'directory' : said;
}

function open(bytes: Buffer): Promise<ZipFile> {
  const options = { lazyEntries: true, strictFileNames: true, validateEntrySizes: true };
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, options, (error, zip) => (error === null ? resolve(zip) : reject(error)));
  });
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | null>((resolve, reject) => {
      zip.once('entry', resolve);
      zip.once('end', () => resolve(null));
      zip.once('error', reject);
      zip.readEntry();
    });
    zip.removeAllListeners();
    if (entry === null) return;
    yield entry;
  }
}

/** Counted while it unfolds: what an entry says of its own size is only what it says. */
async function contentOf(zip: ZipFile, entry: Entry, bytesMax: number): Promise<Buffer> {
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error)));
  });
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream) {
    const piece = Buffer.from(part);
    length += piece.length;
    if (length > bytesMax) throw new Error(`it unpacks to more than ${bytesMax} bytes`);
    parts.push(piece);
  }
  const content = Buffer.concat(parts);
  if (crc32(content) !== entry.crc32) throw new Error(`${JSON.stringify(entry.fileName)} is damaged`);
  return content;
}
