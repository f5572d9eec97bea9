/** One skill packed for others: the same files always give the same bytes. */
import { lstatSync } from 'node:fs';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

import { pack } from 'tar-stream';

import { sha256Hex } from '../../../lib/digest.ts';
import type { PublishedSkill } from '../../skills/publication.ts';

export interface Artifact {
  readonly type: 'skill-md' | 'archive';
  readonly bytes: Buffer;
  readonly sha256: string;
}

export interface PackSource {
  readonly skill: PublishedSkill;
  /** Absolute. */
  readonly directory: string;
  /** Refuses a file that is no longer as it was listed. */
  readonly read: (file: string) => Buffer | null;
}

/** Where gzip names the system that it ran on; 255 means none. */
const GZIP_SYSTEM_BYTE = 9;
const EPOCH = 0;

/** A skill of one file is that file; any other is a gzipped tar with SKILL.md at its root, as the format wants it. */
export async function packSkill({ skill, directory, read }: PackSource): Promise<Artifact> {
  const alone = skill.files.length === 1;
  const bytes = alone ? skill.skillFile : await compress(await tarOf(skill, directory, read));
  return { type: alone ? 'skill-md' : 'archive', bytes, sha256: sha256Hex(bytes) };
}

async function tarOf(
  { name, files }: PublishedSkill,
  directory: string,
  read: PackSource['read'],
): Promise<Buffer> {
  const tar = pack();
  for (const file of files) {
    const bytes = read(file.path);
    if (bytes === null) throw new Error(`${name}/${file.path} went away while it was packed`);
    const executable = (lstatSync(`${directory}/${file.path}`).mode & 0o111) !== 0;
    const facts = {
      uid: 0,
      gid: 0,
      uname: '',
      gname: '',
      mtime: new Date(EPOCH),
      mode: executable ? 0o755 : 0o644,
    };
    tar.entry({ name: file.path, size: bytes.length, ...facts }, bytes);
  }
  tar.finalize();
  const parts: Buffer[] = [];
  // A stream of bytes whose parts its types call unknown.
  for await (const part of tar) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function compress(bytes: Buffer): Promise<Buffer> {
  const packed = await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION });
  packed[GZIP_SYSTEM_BYTE] = 255;
  return packed;
}
