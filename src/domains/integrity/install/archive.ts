/** Archives, unpacked into memory: one bad entry refuses all of them before a single byte is written anywhere. */
import { ColibriError, messageOf } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { readTar } from './archive-tar.ts';
import { readZip } from './archive-zip.ts';
import type { BundleFile } from './bundle.ts';
import { createEntryJudge } from './entry-judge.ts';

/** The files of a zip or a gzipped tar. `label` names the archive in messages. */
export async function readArchive(bytes: Buffer, label: string): Promise<readonly BundleFile[]> {
  const read = readerFor(bytes);
  if (read === null) throw refusal(label, 'it is neither a zip nor a gzipped tar archive');
  try {
    return await read(bytes, createEntryJudge(bytes.length));
  } catch (error) {
    // Whatever a reader stumbles over is the archive's fault: truncated, damaged, or made to confuse it.
    throw refusal(label, messageOf(error), error);
  }
}

/** By its first bytes; what it is called says nothing. */
function readerFor(bytes: Buffer): typeof readZip | null {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return readTar;
  return bytes[0] === 0x50 && bytes[1] === 0x4b ? readZip : null;
}

function refusal(label: string, why: string, cause?: unknown): ColibriError {
  const message = `the archive ${printable(label)} is refused: ${printable(why)}; nothing of it was installed`;
  return new ColibriError('ARCHIVE_REFUSED', message, { archive: label, reason: why }, { cause });
}
