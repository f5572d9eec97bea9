import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import { extract, type Header } from 'tar-stream';

import { systemCodeOf } from '../../../lib/errors.ts';
import type { BundleFile } from './bundle.ts';
import type { EntryJudge } from './entry-judge.ts';

export async function readTar(bytes: Buffer, judge: EntryJudge): Promise<readonly BundleFile[]> {
  const files: BundleFile[] = [];
  const tar = extract();
  tar.end(await expand(bytes, judge.bytesMax));
  for await (const entry of tar) {
    const { header } = entry;
    // `tar -C folder .` has an entry for the folder itself.
    if (header.type !== 'directory' || !/^\.\/?$/.test(header.name)) {
      const path = judged(header, judge);
      const parts: Buffer[] = [];
      // A stream of bytes whose parts its types call unknown.
      for await (const part of entry) parts.push(part as Buffer);
      const executable = ((header.mode ?? 0) & 0o111) !== 0;
      if (header.type === 'file') files.push({ path, bytes: Buffer.concat(parts), executable });
    }
    entry.resume();
  }
  return files;
}

function judged({ name, type, mode, pax }: Header, judge: EntryJudge): string {
  // `tar -C folder .` begins every name like this.
  const path = name.startsWith('./') ? name.slice(2) : name;
  judge.enter({ name: path, type: type ?? 'nameless kind of entry', mode: mode ?? null });
  if (Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse')))
    throw new Error(`${name} is sparse; pack it as an ordinary file`);
  return path;
}

/** zlib stops by itself where the limit is, so that a bomb never unfolds. */
async function expand(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if (systemCodeOf(error) !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new Error(`it unpacks to more than ${bytesMax} bytes`, { cause: error });
  }
}
