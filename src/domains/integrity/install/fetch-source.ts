/** Fetches a source of any kind into a tree; nothing of it is written where an agent would look. */

import { sha256Hex } from '../../../lib/digest.ts';
import { ColibriError, messageOf } from '../../../lib/errors.ts';
import { readRegularFile } from '../../../lib/regular-file.ts';
import { printable } from '../../../lib/text.ts';
import { SKILL_BYTES_MAX } from '../../skills/skill-file.ts';
import { readArchive } from './archive.ts';
import type { BundleFile } from './bundle.ts';
import { folderTree } from './folder-tree.ts';
import { fetchGitTree, type GitParts } from './git-tree.ts';
import { httpGet } from './http-get.ts';
import { ARCHIVE_BYTES_MAX, EXPANDED_BYTES_MAX, INDEX_BYTES_MAX } from './limits.ts';
import type { Source } from './source.ts';
import { memoryTree, type SourceTree } from './source-tree.ts';
import { type IndexEntry, parseIndex } from './well-known.ts';

export interface FetchWish {
  /** The commit that the lock names. */
  readonly commit?: string | null;
  /** Of an index only these are fetched; null fetches all. */
  readonly names?: readonly string[] | null;
}

export function fetchSource(source: Source, parts: GitParts, wish: FetchWish = {}): Promise<SourceTree> {
  switch (source.kind) {
    case 'git':
      return fetchGitTree(source, parts, wish.commit ?? null);
    case 'path':
      return Promise.resolve(folderTree(source.location));
    case 'archive':
      return fetchArchive(source, parts);
    case 'well-known':
      return fetchIndex(source, parts, wish.names ?? null);
  }
}

async function fetchArchive(
  { location, credentials, identity }: Source,
  { gate }: GitParts,
): Promise<SourceTree> {
  const bytes = location.startsWith('/')
    ? readLocal(location)
    : (await httpGet(location, { gate, credentials, bytesMax: ARCHIVE_BYTES_MAX })).bytes;
  const artifact = sha256Hex(bytes);
  return memoryTree(await readArchive(bytes, identity), () => artifact);
}

function readLocal(file: string): Buffer {
  let why: string;
  try {
    const read = readRegularFile(file, ARCHIVE_BYTES_MAX);
    if (read.ok) return read.bytes;
    why = `it is ${read.reason}`;
  } catch (error) {
    why = messageOf(error);
  }
  throw new ColibriError('SOURCE_UNREACHABLE', `${printable(file)} cannot be read: ${why}`, { path: file });
}

/** Each skill of the index becomes a folder of its name. */
async function fetchIndex(
  source: Source,
  { gate }: GitParts,
  names: readonly string[] | null,
): Promise<SourceTree> {
  const got = await httpGet(source.location, {
    gate,
    credentials: source.credentials,
    bytesMax: INDEX_BYTES_MAX,
  });
  const index = parseIndex(got.bytes.toString('utf8'), got.url.href);
  if (!index.ok) {
    const message = `the index ${printable(source.identity)} cannot be used: ${printable(index.reason)}`;
    throw new ColibriError('SOURCE_UNREACHABLE', message, { source: source.identity });
  }
  const wanted = index.skills.filter(({ name }) => names === null || names.includes(name));
  const files: BundleFile[] = [];
  let total = 0;
  for (const entry of wanted) {
    const bytesMax = entry.type === 'archive' ? ARCHIVE_BYTES_MAX : SKILL_BYTES_MAX;
    // The index's password is for the index's host alone.
    const sameHost = new URL(entry.url).origin === got.url.origin;
    const { bytes } = await httpGet(entry.url, {
      gate,
      bytesMax,
      credentials: sameHost ? source.credentials : null,
    });
    for (const file of await artifactFiles(entry, bytes)) {
      total += file.bytes.length;
      files.push({ ...file, path: `${entry.name}/${file.path}` });
    }
    if (total > EXPANDED_BYTES_MAX) throw tooMuch(source);
  }
  const digests = new Map(wanted.map(({ name, sha256 }) => [name, sha256]));
  const tree = memoryTree(files, (folder) => digests.get(folder) ?? null);
  // Names that were not fetched are known all the same, so that a wrong one can be answered with the right ones.
  return names === null ? tree : { ...tree, known: index.skills.map(({ name }) => name) };
}

async function artifactFiles(entry: IndexEntry, bytes: Buffer): Promise<readonly BundleFile[]> {
  const found = sha256Hex(bytes);
  if (found !== entry.sha256) {
    const message = `${printable(entry.url)} is not what its index says: expected sha256 ${entry.sha256}, found ${found}; nothing of it was installed`;
    throw new ColibriError('ARCHIVE_REFUSED', message, { url: entry.url, expected: entry.sha256, found });
  }
  if (entry.type === 'archive') return readArchive(bytes, entry.url);
  return [{ path: 'SKILL.md', bytes, executable: false }];
}

function tooMuch({ identity }: Source): ColibriError {
  const message = `${printable(identity)} holds more than ${EXPANDED_BYTES_MAX} bytes; name the skills with --skill`;
  return new ColibriError('ARCHIVE_REFUSED', message, { source: identity });
}
