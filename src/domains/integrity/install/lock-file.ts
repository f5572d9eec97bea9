import { ColibriError, messageOf, systemCodeOf } from '../../../lib/errors.ts';
import { readRegularFile } from '../../../lib/regular-file.ts';
import { EMPTY_LOCK, type Lock, parseLock } from './lock.ts';
import type { Place } from './place.ts';

const LOCK_BYTES_MAX = 32 * 1024 * 1024;

/** A missing file is an empty lock; one that cannot be understood is never taken for one. */
export function readLock({ lockFile }: Place): Lock {
  let why: string;
  try {
    const read = readRegularFile(lockFile, LOCK_BYTES_MAX);
    const parsed = read.ok
      ? parseLock(read.bytes.toString('utf8'))
      : { ok: false as const, reason: `it is ${read.reason}` };
    if (parsed.ok) return parsed.lock;
    why = parsed.reason;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return EMPTY_LOCK;
    if (systemCodeOf(error) === undefined) throw error;
    why = messageOf(error);
  }
  throw new ColibriError('LOCK_INVALID', `${lockFile} cannot be used: ${why}; restore it`, {
    file: lockFile,
  });
}
